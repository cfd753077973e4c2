package density

import (
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// around lists a component and those around it, up to component 0.
func (t *Condensed) around(c int32) (list []int32) {
	for ; c >= 0; c = t.Parent[c] {
		list = append(list, c)
	}
	return list
}

// membershipsOf is the definition, a pair at a time.
func membershipsOf(t *Condensed, chosen []int32, x []float64) []float64 {
	n, all := len(t.Of), []float64(nil)
	for i := range n {
		p, lambda := t.Of[i], t.Lambda[i]
		near, height, far := make([]float64, len(chosen)), make([]float64, len(chosen)), make([]float64, len(chosen))
		for q, j := range chosen {
			near[q] = math.Inf(1)
			for k := range n {
				c := t.Of[k]
				if slices.Contains(t.around(c), j) && !slices.Contains(t.Parent, c) && t.Lambda[k] == t.Death[c] {
					near[q] = min(near[q], math.Hypot(x[2*i]-x[2*k], x[2*i+1]-x[2*k+1]))
				}
			}
			if height[q] = lambda; !slices.Contains(t.around(p), j) && !slices.Contains(t.around(j), p) {
				for _, a := range t.around(p) {
					if slices.Contains(t.around(j), a) {
						height[q] = t.Death[a]
						break
					}
				}
			}
			far[q] = math.Exp(math.Exp(-t.Death[p] / height[q]))
		}
		sum, best := 0.0, 0
		for q := range chosen {
			if near[q] == 0 {
				near[q] = 1e-300
			}
			sum += far[q] / near[q]
			if height[q] > height[best] || height[q] == height[best] && near[q] < near[best] {
				best = q
			}
		}
		for q := range chosen {
			all = append(all, far[q]/near[q]/sum*(height[best]/max(t.Death[chosen[best]], lambda)))
		}
	}
	return all
}

func TestMembershipsAreThoseOfTheDefinition(t *testing.T) {
	for seed := range uint64(4) {
		x := sample(90, seed, false)
		tree := must.Get(hierarchyOf(t, 90, reachability(x, 3), false).Condense(t.Context(), 4))(t)
		for _, o := range []SelectOptions{{}, {Method: Leaves}, {Epsilon: .5}, {AllowSingle: true, Epsilon: 100}} {
			chosen := tree.Assign(must.Get(tree.Select(o))(t), 0).Chosen
			want := membershipsOf(tree, chosen, x)
			exemplars, d := tree.Exemplars(chosen), make([]float64, 90*len(chosen))
			for i := range 90 {
				for q, list := range exemplars {
					d[i*len(chosen)+q] = math.Inf(1)
					for _, k := range list {
						d[i*len(chosen)+q] = min(d[i*len(chosen)+q], math.Hypot(x[2*i]-x[2*k], x[2*i+1]-x[2*k+1]))
					}
				}
			}
			var first []float64
			for threads := 1; threads <= 3; threads++ {
				got := slices.Clone(d)
				if err := tree.Memberships(t.Context(), chosen, got, threads); err != nil {
					t.Fatal(err)
				}
				if threads == 1 {
					first = got
				} else if !slices.Equal(got, first) {
					t.Fatalf("seed %d, %+v: other bits on %d threads", seed, o, threads)
				}
			}
			for k, v := range first {
				if math.Abs(v-want[k]) > 1e-12 {
					t.Fatalf("seed %d, %+v: sample %d, cluster %d: %v, by definition %v", seed, o, k/len(chosen), k%len(chosen), v, want[k])
				}
			}
		}
	}
}

// Duplicates of infinite density, and samples that nothing joins.
func TestMembershipsWithoutBounds(t *testing.T) {
	x := append(slices.Repeat([]float64{0, 0}, 5), slices.Repeat([]float64{3, 0}, 5)...)
	x = append(x, 1, 0, 9, 9)
	d := reachability(x, 3)
	for j := range 12 { // the last sample is alone
		d[11*12+j], d[j*12+11] = math.Inf(1), math.Inf(1)
	}
	tree := must.Get(hierarchyOf(t, 12, d, false).Condense(t.Context(), 4))(t)
	chosen := tree.Assign(must.Get(tree.Select(SelectOptions{}))(t), 0).Chosen
	m := make([]float64, 24)
	for i := range 12 {
		m[2*i], m[2*i+1] = math.Hypot(x[2*i], x[2*i+1]), math.Hypot(x[2*i]-3, x[2*i+1])
	}
	if err := tree.Memberships(t.Context(), chosen, m, 1); err != nil {
		t.Fatal(err)
	}
	if want := slices.Concat(slices.Repeat([]float64{1, 0}, 5), slices.Repeat([]float64{0, 1}, 5), make([]float64, 4)); !slices.Equal(m, want) {
		t.Errorf("memberships %v, expected %v", m, want)
	}
	if err := tree.Memberships(t.Context(), chosen, m[1:], 1); err == nil {
		t.Error("23 distances of 12 samples to 2 clusters: no error")
	}
}
