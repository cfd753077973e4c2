package engine

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// heaps are three clouds of 20 samples far from each other, in four columns.
func heaps() *mat.Dense {
	x, _ := groups(60, 4)
	for i := range 60 {
		row := x.RawRowView(i)
		for k := range row {
			row[k] *= 0.1
		}
		row[i/20] += 5
	}
	return x
}

func TestSelectiveMethodsFindClusters(t *testing.T) {
	x := heaps()
	each(t, trials(t, isSelective, nil), nil, func(t *testing.T, m Method) {
		for _, labels := range []string{"argmax", "kmeans"} {
			pointer := must(New(m.Name()))(t)
			if err := Set(pointer, "labels", labels); err != nil {
				t.Fatal(err)
			}
			r, err := Cluster(context.Background(), x, pointer, ClusterOptions{Clusters: 3})
			if err != nil {
				t.Fatalf("%s: %v", m.Name(), err)
			}
			for i, l := range r.Labels {
				if l != int64(i/20) {
					t.Errorf("%s, %s: sample %d of heap %d has the label %d", m.Name(), labels, i, i/20, l)
					break
				}
			}
			if r.Selection == nil || r.Selection.Learned.NNZ() == 0 {
				t.Fatalf("%s: no selection, or an empty graph", m.Name())
			}
			// The graph goes to the other package and back without a copy of its values.
			learned := r.Selection.Learned
			back, _, err := sparse.Of(learned.Storage())
			if err != nil || !mat.Equal(back, learned) || &back.Val[0] != &learned.Val[0] {
				t.Errorf("%s: another graph in storage, or a copy: %v", m.Name(), err)
			}
		}
	})
}

func TestSelectiveFactorization(t *testing.T) {
	x := heaps()
	each(t, selectiveMethods(t), nil, func(t *testing.T, m Method) {
		var w []float64
		for _, threads := range []int{1, 3} {
			r, err := Factorize(context.Background(), x, m, FactorizeOptions{Rank: 3, Options: Options{Threads: threads}})
			if err != nil {
				t.Fatalf("%s: %v", m.Name(), err)
			}
			if w != nil && !slices.Equal(w, r.W.RawMatrix().Data) {
				t.Errorf("%s: threads change bits", m.Name())
			}
			w = r.W.RawMatrix().Data
			s := r.Selection
			want := 6
			if m.Name() == "smrmf-ns" {
				want = 60
			}
			if len(s.Exemplars) != want {
				t.Errorf("%s: %d exemplars, want %d", m.Name(), len(s.Exemplars), want)
			}
			for i := range 60 {
				cols, vals := s.Learned.Row(i)
				if len(cols) > 7 || len(cols) > 0 && !slices.Contains(s.Exemplars, i) {
					t.Errorf("%s: sample %d has %d neighbours", m.Name(), i, len(cols))
				}
				for q, j := range cols {
					if int(j) == i || vals[q] != s.Encoding.At(i, int(j)) {
						t.Errorf("%s: the affinity of %d and %d is %v", m.Name(), i, j, vals[q])
					}
				}
			}
			for j := range 60 {
				var sum float64
				for i := range 60 {
					sum += s.Encoding.At(i, j)
				}
				if math.Abs(sum-1) > 1e-9 {
					t.Errorf("%s: column %d of the encoding sums to %v", m.Name(), j, sum)
				}
			}
		}
	})
}

// Odd data come through without a NaN.
func TestSelectiveMethodsTakeOddData(t *testing.T) {
	constant, equal, zero, pair := heaps(), mat.NewDense(12, 3, nil), mat.NewDense(12, 3, nil), mat.NewDense(2, 1, []float64{0, 1})
	for i := range 60 {
		constant.Set(i, 2, 7)
	}
	for i := range 12 {
		equal.SetRow(i, []float64{1, 2, 3})
	}
	copies := heaps()
	for i := range 30 {
		copies.SetRow(i, copies.RawRowView(0))
	}
	type set struct {
		x    *mat.Dense
		rank int
	}
	sets := map[string]set{
		"a constant column": {constant, 3}, "equal samples": {equal, 2}, "zeros": {zero, 2}, "two samples": {pair, 1},
		"copies": {copies, 3}, "one cluster": {heaps(), 1}, "as many clusters as samples": {pair, 2},
	}
	each(t, trials(t, isSelective, settings{"": {"iterations=20"}}), nil, func(t *testing.T, m Method) {
		for name, c := range sets {
			for _, scale := range []string{"minmax", "none"} {
				t.Run(name+" scale="+scale, func(t *testing.T) {
					if err := Set(m, "scale", scale); err != nil {
						t.Fatal(err)
					}
					r, err := Factorize(context.Background(), c.x, m, FactorizeOptions{Rank: c.rank})
					if c.x == equal || c.x == zero {
						expectRefusal(t, err, "all 12 samples are equal; 2 clusters need as many different ones")
						return
					}
					if err != nil {
						t.Fatal(err)
					}
					for _, v := range slices.Concat(r.W.RawMatrix().Data, r.H.RawMatrix().Data, r.Selection.Learned.Val) {
						if math.IsNaN(v) || math.IsInf(v, 0) {
							t.Errorf("%v in the result", v)
							break
						}
					}
					if c.rank == 1 {
						l, err := Cluster(context.Background(), c.x, m, ClusterOptions{Clusters: 1})
						if err != nil || slices.Max(l.Labels) != 0 {
							t.Errorf("one cluster: %v", err)
						}
					}
				})
			}
		}
	})
}

func TestSelectiveMethodsRefuse(t *testing.T) {
	x := heaps()
	spoilt := func(v float64) *mat.Dense {
		y := mat.DenseCopyOf(x)
		y.Set(3, 1, v)
		return y
	}
	each(t, selectiveMethods(t), nil, func(t *testing.T, base Method) {
		for what, c := range map[string]struct {
			x    mat.Matrix
			rank int
			set  [2]string
			want string
		}{
			"NaN":              {spoilt(math.NaN()), 3, [2]string{}, "row 4, column 2"},
			"infinite":         {spoilt(math.Inf(-1)), 3, [2]string{}, "row 4, column 2"},
			"one sample":       {mat.NewDense(1, 2, nil), 1, [2]string{}, "at least 2"},
			"rank 0":           {x, 0, [2]string{}, "rank 0"},
			"rank above n":     {x, 61, [2]string{}, "rank 61"},
			"k = 0":            {x, 3, [2]string{"neighbors", "0"}, "Neighbors is 0"},
			"k = n":            {x, 3, [2]string{"neighbors", "60"}, "60 neighbours"},
			"λ < 0":            {x, 3, [2]string{"lambda", "-1"}, "Lambda is -1"},
			"β = 0":            {x, 3, [2]string{"beta", "0"}, "Beta is 0"},
			"ρ < 1":            {x, 3, [2]string{"rho", "0.5"}, "Rho is 0.5"},
			"μ = 0":            {x, 3, [2]string{"mu", "-1"}, "Mu is -1"},
			"mode":             {x, 3, [2]string{"mode", "both"}, "Mode is both"},
			"scale":            {x, 3, [2]string{"scale", "log"}, "Scale is log"},
			"tolerance":        {x, 3, [2]string{"tolerance", "-1"}, "Tolerance is -1"},
			"τ > n":            {x, 3, [2]string{"exemplars", "61"}, "61 exemplars"},
			"τ < 0":            {x, 3, [2]string{"exemplars", "-1"}, "Exemplars is -1"},
			"p = 2 with few τ": {x, 3, [2]string{"p", "2"}, "at least 8 exemplars"},
			"diag":             {x, 3, [2]string{"diag", "none"}, "Diag is none"},
			"δ < 0":            {x, 3, [2]string{"delta", "-0.5"}, "Delta is -0.5"},
			"start_steps":      {x, 3, [2]string{"start_steps", "-3"}, "StartSteps is -3"},
		} {
			m := must(New(base.Name()))(t)
			if _, known := Values(m)[c.set[0]]; c.set[0] != "" && !known {
				continue // not a parameter of this method
			}
			t.Run(what, func(t *testing.T) {
				var err error
				if c.set[0] != "" {
					err = Set(m, c.set[0], c.set[1])
				}
				if err == nil {
					_, err = Factorize(context.Background(), c.x, m, FactorizeOptions{Rank: c.rank})
				}
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want %q", err, c.want)
				}
				if err != nil && !strings.HasPrefix(err.Error(), base.Name()+": ") {
					t.Errorf("%v does not name the method", err)
				}
			})
		}
		if _, err := Factorize(context.Background(), x, base, FactorizeOptions{Rank: 3, Options: Options{Memory: 30000}}); err == nil || !strings.Contains(err.Error(), "limit") {
			t.Errorf("%s: beyond the memory limit: %v", base.Name(), err)
		}
		stopped, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := Factorize(stopped, x, base, FactorizeOptions{Rank: 3}); err == nil {
			t.Errorf("%s: a cancelled run gave no error", base.Name())
		}
		if _, err := Factorize(context.Background(), x, base, FactorizeOptions{Rank: 3, Options: Options{Model: true}}); err == nil || !strings.Contains(err.Error(), "no rule for new samples") {
			t.Errorf("%s: a model: %v", base.Name(), err)
		}
	})
}

// A δ so small that every sample stands for itself leaves no graph, which is said.
func TestSelectiveMethodsSayThatTheGraphIsEmpty(t *testing.T) {
	x, beta := heaps(), 1e9
	x.Set(4, 0, x.At(4, 0)+0.01) // which was a copy
	m := FSMRMF{SquaredEncoding: SquaredEncoding{Delta: 1e-9}, Lagrangian: Lagrangian{Iterations: 3}}
	m.Beta = &beta
	r := factorized(t, x, m, FactorizeOptions{Rank: 3})
	if r.Selection.Learned.NNZ() > 0 || !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "the learned graph is empty") }) {
		t.Errorf("%d entries, warnings %q", r.Selection.Learned.NNZ(), r.Warnings)
	}
}
