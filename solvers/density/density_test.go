package density

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// reference is HDBSCAN* by its definitions: the components of each distance are found from all pairs, level by level.
type reference struct {
	n     int
	d     []float64 // mutual reachability distances
	min   int
	nodes []*component
	of    []int // the last component of each sample
	left  []float64
}

type component struct {
	parent       int
	birth, death float64
	samples      []int
	stability    float64
}

// within returns the components of samples that edges shorter than the distance join.
func (r *reference) within(samples []int, distance float64) [][]int {
	seen := make(map[int]bool)
	var all [][]int
	for _, s := range samples {
		if seen[s] {
			continue
		}
		part := []int{s}
		seen[s] = true
		for at := 0; at < len(part); at++ {
			for _, j := range samples {
				if !seen[j] && r.d[part[at]*r.n+j] < distance {
					seen[j] = true
					part = append(part, j)
				}
			}
		}
		slices.Sort(part)
		all = append(all, part)
	}
	return all
}

func newReference(n, least int, d []float64) *reference {
	r := &reference{n: n, d: d, min: least, of: make([]int, n), left: make([]float64, n)}
	everyone := make([]int, n)
	for i := range everyone {
		everyone[i] = i
	}
	r.nodes = []*component{{parent: -1, samples: everyone}}
	for c := 0; c < len(r.nodes); c++ {
		node := r.nodes[c]
		for samples := node.samples; ; {
			// The largest distance that still joins them is the next at which edges are removed.
			level := math.Inf(1)
			if parts := r.within(samples, math.Inf(1)); len(parts) == 1 {
				levels := []float64{}
				for _, i := range samples {
					for _, j := range samples {
						if i < j {
							levels = append(levels, d[i*n+j])
						}
					}
				}
				slices.Sort(levels)
				levels = slices.Compact(levels)
				lo, hi := 0, len(levels)-1 // the smallest level at which all are joined, edges of that level included
				for lo < hi {
					mid := (lo + hi) / 2
					if len(r.within(samples, math.Nextafter(levels[mid], math.Inf(1)))) == 1 {
						hi = mid
					} else {
						lo = mid + 1
					}
				}
				level = levels[lo]
			}
			lambda := 1 / level
			node.death = lambda
			var large [][]int
			for _, part := range r.within(samples, level) {
				if len(part) >= least {
					large = append(large, part)
					continue
				}
				for _, i := range part {
					r.of[i], r.left[i] = c, lambda
				}
			}
			if len(large) == 1 {
				samples = large[0]
				continue
			}
			for _, part := range large {
				r.nodes = append(r.nodes, &component{parent: c, birth: lambda, samples: part})
			}
			break
		}
	}
	for c, node := range r.nodes {
		for _, i := range node.samples {
			node.stability += min(r.left[i], node.end(r, c, i)) - node.birth
		}
	}
	return r
}

// end is λ at which sample i leaves component c, for itself or with a component inside it.
func (node *component) end(r *reference, c, i int) float64 {
	if r.of[i] == c {
		return r.left[i]
	}
	return node.death
}

// best tries every set of components, none inside another, for the largest sum of stabilities.
func (r *reference) best(c int, single bool) (float64, []int) {
	sum, inside := 0.0, []int(nil)
	for k, node := range r.nodes {
		if node.parent == c {
			s, list := r.best(k, true)
			sum, inside = sum+s, append(inside, list...)
		}
	}
	if single && r.nodes[c].stability >= sum {
		return r.nodes[c].stability, []int{c}
	}
	return sum, inside
}

func (r *reference) labels(chosen []int) []int32 {
	labels := slices.Repeat([]int32{-1}, r.n)
	slices.Sort(chosen)
	for q, c := range chosen {
		for _, i := range r.nodes[c].samples {
			if c > 0 || r.left[i] >= r.nodes[0].death {
				labels[i] = int32(q)
			}
		}
	}
	return labels
}

// sample draws points of several densities in a plane, some of them on a grid so that many distances are equal.
func sample(n int, seed uint64, grid bool) []float64 {
	x := make([]float64, 2*n)
	blas.NewStream(seed).Normals(x)
	for i := range x {
		x[i] = x[i]*[]float64{.1, 1, .3}[i/2%3] + float64(4*(i/2%3))
		if grid {
			x[i] = math.Round(x[i] * 4)
		}
	}
	return x
}

// reachability returns all mutual reachability distances of points in a plane; samples with infinite are in parts that nothing joins.
func reachability(x []float64, minSamples int) []float64 {
	n := len(x) / 2
	d, core := make([]float64, n*n), make([]float64, n)
	for i := range n {
		for j := range n {
			d[i*n+j] = math.Hypot(x[2*i]-x[2*j], x[2*i+1]-x[2*j+1])
		}
		row := slices.Clone(d[i*n : (i+1)*n])
		slices.Sort(row)
		core[i] = row[minSamples-1]
	}
	for i := range n {
		for j := range n {
			d[i*n+j] = MutualReachability(core[i], core[j], d[i*n+j])
		}
	}
	return d
}

// allEdges lists the pairs in an order of their own.
func allEdges(n int, d []float64, turned bool) Edges {
	var e Edges
	for i := range n {
		for j := range i {
			if w := d[i*n+j]; !math.IsInf(w, 1) {
				e.From, e.To, e.Weight = append(e.From, int32(i)), append(e.To, int32(j)), append(e.Weight, w)
			}
		}
	}
	if turned {
		slices.Reverse(e.From)
		slices.Reverse(e.To)
		slices.Reverse(e.Weight)
	}
	return e
}

func hierarchyOf(t *testing.T, n int, d []float64, turned bool) *Hierarchy {
	t.Helper()
	forest := must.Get(Forest(context.Background(), n, allEdges(n, d, turned)))(t)
	return must.Get(NewHierarchy(context.Background(), n, forest))(t)
}

func TestClustersAreThoseOfTheDefinition(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		n, samples, size int
		grid, parts      bool
	}{{60, 4, 5, false, false}, {90, 5, 5, true, false}, {90, 1, 3, true, false}, {120, 5, 8, false, true}, {40, 3, 4, true, true}, {30, 5, 29, false, false}} {
		for seed := range uint64(3) {
			t.Run(fmt.Sprint(c, seed), func(t *testing.T) {
				d := reachability(sample(c.n, seed, c.grid), c.samples)
				if c.parts { // a graph in two parts
					for i := range c.n {
						for j := range c.n {
							if (i%3 == 0) != (j%3 == 0) {
								d[i*c.n+j] = math.Inf(1)
							}
						}
					}
				}
				want := newReference(c.n, c.size, d)
				for _, turned := range []bool{false, true} {
					tree := must.Get(hierarchyOf(t, c.n, d, turned).Condense(ctx, c.size))(t)
					if tree.Components() != len(want.nodes) {
						t.Fatalf("%d components, by definition %d", tree.Components(), len(want.nodes))
					}
					stability := tree.Stabilities()
					for i, node := range want.nodes {
						if tree.Birth[i] != node.birth || tree.Death[i] != node.death || int(tree.Parent[i]) != node.parent || int(tree.Size[i]) != len(node.samples) {
							t.Fatalf("component %d: parent %d, from %v to %v, %d samples; by definition %v", i, tree.Parent[i], tree.Birth[i], tree.Death[i], tree.Size[i], *node)
						}
						if diff := math.Abs(stability[i] - node.stability); diff > 1e-9*(1+node.stability) {
							t.Errorf("component %d: stability %v, by definition %v", i, stability[i], node.stability)
						}
					}
					for i := range c.n {
						if int(tree.Of[i]) != want.of[i] || tree.Lambda[i] != want.left[i] {
							t.Fatalf("sample %d leaves %d at %v, by definition %d at %v", i, tree.Of[i], tree.Lambda[i], want.of[i], want.left[i])
						}
					}
					for _, single := range []bool{false, true} {
						_, best := want.best(0, single)
						chosen := must.Get(tree.Select(SelectOptions{AllowSingle: single}))(t)
						if got := tree.Assign(chosen, 0).Labels; !slices.Equal(got, numberedByFirst(want.labels(best))) {
							t.Errorf("single %v: labels %v, by definition %v", single, got, want.labels(best))
						}
					}
				}
			})
		}
	}
}

func TestCutIsThatOfTheDefinition(t *testing.T) {
	d := reachability(sample(90, 2, true), 4)
	for _, cut := range []float64{0, 1, 1.5, 2, 10} {
		got := hierarchyOf(t, 90, d, false).Cut(cut, 4)
		want, count := slices.Repeat([]int32{-1}, 90), int32(0)
		everyone := make([]int, 90)
		for i := range everyone {
			everyone[i] = i
		}
		for _, part := range (&reference{n: 90, d: d}).within(everyone, math.Nextafter(cut, 99)) {
			if len(part) < 4 {
				continue
			}
			for _, i := range part {
				want[i] = count
			}
			count++
		}
		if !slices.Equal(got.Labels, want) {
			t.Errorf("cut %v: labels %v, by definition %v", cut, got.Labels, want)
		}
	}
}

// tree is a condensed tree by hand: 0 splits at λ 1 into 1 and 2, 2 at λ 4 into 3 and 4.
func tree() *Condensed {
	return &Condensed{MinSize: 2, Parent: []int32{-1, 0, 0, 2, 2}, Birth: []float64{0, 1, 1, 4, 4}, Death: []float64{1, 5, 4, 6, 10}, Size: []int32{9, 3, 5, 2, 2},
		Of: []int32{0, 1, 1, 1, 2, 3, 3, 4, 4}, Lambda: []float64{.5, 3, 5, 5, 2, 6, 6, 10, 10}}
}

func TestSelection(t *testing.T) {
	// The stabilities are .5 + 8 = 8.5; 2 + 4 + 4 = 10; 1 + 4·3 = 13; 4; 12.
	if got := tree().Stabilities(); !slices.Equal(got, []float64{8.5, 10, 13, 4, 12}) {
		t.Fatalf("stabilities %v", got)
	}
	for _, c := range []struct {
		o    SelectOptions
		want []int32
	}{
		{SelectOptions{}, []int32{1, 3, 4}},                                // 13 < 4 + 12
		{SelectOptions{MaxSize: 2}, []int32{3, 4}},                         // 1 is too large
		{SelectOptions{Method: Leaves}, []int32{1, 3, 4}},                  //
		{SelectOptions{Epsilon: .3}, []int32{1, 2}},                        // 3 and 4 are born at distance .25
		{SelectOptions{Method: Leaves, Epsilon: 2}, []int32{1, 2}},         // those below the root at most
		{SelectOptions{Epsilon: 2, AllowSingle: true}, []int32{0}},         //
		{SelectOptions{AllowSingle: true}, []int32{1, 3, 4}},               //
		{SelectOptions{Epsilon: .25, AllowSingle: true}, []int32{1, 3, 4}}, // born at epsilon
	} {
		if got := must.Get(tree().Select(c.o))(t); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, expected %v", c.o, got, c.want)
		}
	}
	must.Refuse(t, "no rule")(tree().Select(SelectOptions{Method: "all"}))
	must.Refuse(t, "finite")(tree().Select(SelectOptions{Epsilon: math.NaN()}))
}

func TestTable(t *testing.T) {
	table := tree().Table()
	if len(table) != 4*(9+4) || !slices.Equal(table[:8], []float64{9, 0, .5, 1, 10, 1, 3, 1}) || !slices.Equal(table[4*11:4*12], []float64{11, 12, 4, 2}) {
		t.Errorf("table %v", table)
	}
}

func TestScores(t *testing.T) {
	c := tree().Assign([]int32{1, 2}, 0)
	if want := []int32{-1, 0, 0, 0, 1, 1, 1, 1, 1}; !slices.Equal(c.Labels, want) {
		t.Errorf("labels %v, expected %v", c.Labels, want)
	}
	if want := []float64{0, .6, 1, 1, .5, 1, 1, 1, 1}; !slices.Equal(c.Probabilities, want) {
		t.Errorf("probabilities %v, expected %v", c.Probabilities, want)
	}
	if want := []float64{.95, .4, 0, 0, .8, 0, 0, 0, 0}; !slices.Equal(tree().Outliers(), want) {
		t.Errorf("outlier scores %v, expected %v", tree().Outliers(), want)
	}
	if c.Reach[0] >= 1 || c.Reach[0] < 1-1e-15 {
		t.Errorf("a new sample joins cluster 0 up to %v, expected just below 1", c.Reach[0])
	}
	if all := tree().Assign([]int32{0}, 0); all.Labels[0] != -1 || all.Labels[1] != 0 || all.Reach[0] != 1 {
		t.Errorf("all as one cluster: %v", *all)
	}
}

func TestRefusals(t *testing.T) {
	ctx := context.Background()
	must.Refuse(t, "cycle")(NewHierarchy(ctx, 3, Edges{[]int32{0, 1, 2}, []int32{1, 2, 0}, []float64{1, 1, 1}}))
	must.Refuse(t, "weight NaN")(NewHierarchy(ctx, 2, Edges{[]int32{0}, []int32{1}, []float64{math.NaN()}}))
	must.Refuse(t, "joins samples 0 and 2 of 2")(NewHierarchy(ctx, 2, Edges{[]int32{0}, []int32{2}, []float64{1}}))
	must.Refuse(t, "joins samples 0 and 2 of 2")(Forest(ctx, 2, Edges{[]int32{0}, []int32{2}, []float64{1}}))
	must.Refuse(t, "ends of edges")(NewHierarchy(ctx, 2, Edges{[]int32{0}, nil, nil}))
	must.Refuse(t, "≥ 2")(must.Get(NewHierarchy(ctx, 2, Edges{}))(t).Condense(ctx, 1))
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	must.Refuse(t, "canceled")(NewHierarchy(stopped, 2, Edges{[]int32{0}, []int32{1}, []float64{1}}))
}
