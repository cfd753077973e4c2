package engine

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// By their defaults the methods return feasible factors whose objective is not above that of
// the start, and say whether it is the start itself: of every start, and of a given one.
func TestIndicatorsAreNoWorseThanTheirStart(t *testing.T) {
	x, _ := groups(90, 20)
	each(t, indicatorMethods(t), nil, func(t *testing.T, m Method) {
		for _, init := range []string{"spectral", "kmeans", "nndsvd", "given"} {
			o := FactorizeOptions{Rank: 4}
			if init == "given" {
				if m.Name() == "apmf" {
					continue // it starts from its own projection
				}
				o.InitW, o.InitH = mat.NewDense(90, 4, nil), mat.NewDense(4, x.RawMatrix().Cols, nil)
				for i := range 90 {
					o.InitW.Set(i, i*7%4, 0.3)
				}
				o.InitH.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(3*i + j)) }, o.InitH)
			} else if err := Set(m, "init", init); err != nil {
				t.Fatal(err)
			}
			r := factorized(t, x, m, o)
			first, last := r.Trace[0].Objective, r.Trace[len(r.Trace)-1].Objective
			if last > first {
				t.Errorf("%s: the objective rises from %v to %v", init, first, last)
			}
			for i := 1; i < len(r.Trace); i++ {
				if r.Trace[i].Objective > r.Trace[i-1].Objective {
					t.Errorf("%s: the best objective rises to %v", init, r.Trace[i])
				}
			}
			if stayed := r.Details["start_returned"].(bool); stayed != (last == first) {
				t.Errorf("%s: start_returned is %v, where the objective goes from %v to %v", init, stayed, first, last)
			}
			if slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "objective rises") }) {
				t.Errorf("%s: %q", init, r.Warnings)
			}
			for i := range 90 {
				positive := 0
				for _, v := range r.W.RawRowView(i) {
					if v > 0 {
						positive++
					} else if v < 0 {
						t.Fatalf("%s: an indicator is %v", init, v)
					}
				}
				if positive != 1 {
					t.Fatalf("%s: row %d of W is %v", init, i+1, r.W.RawRowView(i))
				}
			}
		}
	})
}

// The labels are the places of the positive indicators, and every cluster has samples.
func TestIndicatorsTellTheClusters(t *testing.T) {
	x, _ := groups(90, 20)
	each(t, indicatorMethods(t), nil, func(t *testing.T, m Method) {
		r := factorized(t, x, m, FactorizeOptions{Rank: 3})
		c := clusteringOf(t, x, m, ClusterOptions{Clusters: 3})
		to := map[int]int64{}
		for i, label := range c.Labels {
			row := r.W.RawRowView(i)
			at := slices.Index(row, slices.Max(row))
			if own, seen := to[at]; seen && own != label {
				t.Fatalf("sample %d: cluster %d where others of column %d are in %d", i+1, label, at, own)
			}
			to[at] = label
		}
		if slices.Contains(c.Sizes, 0) {
			t.Errorf("sizes %v", c.Sizes)
		}
	})
}

// The weight λ follows the data: other units of the features change no cluster.
func TestIndicatorsOfOtherUnits(t *testing.T) {
	x, _ := groups(90, 20)
	y := mat.DenseCopyOf(x)
	y.Apply(func(_, j int, v float64) float64 { return 1024*v*math.Pow(4, float64(j%3)) - 512 }, y)
	each(t, indicatorMethods(t), nil, func(t *testing.T, m Method) {
		a := clusteringOf(t, x, m, ClusterOptions{Clusters: 3})
		b := clusteringOf(t, y, m, ClusterOptions{Clusters: 3})
		if !slices.Equal(a.Labels, b.Labels) {
			t.Error("units of the features change the clusters")
		}
		if la, lb := a.Details["lambda"].(float64), b.Details["lambda"].(float64); math.Abs(la-lb) > 1e-9*la {
			t.Errorf("λ is %v and %v", la, lb)
		}
	})
}

func TestIndicatorsRefuseStarts(t *testing.T) {
	x, _ := groups(30, 8)
	w, h := mat.NewDense(30, 3, nil), mat.NewDense(3, 8, nil)
	negative, infinite := mat.DenseCopyOf(w), mat.DenseCopyOf(h)
	negative.Set(3, 1, -0.5)
	infinite.Set(2, 4, math.Inf(-1))
	for name, c := range map[string]struct {
		w, h *mat.Dense
		want string
	}{
		"a negative W":    {negative, h, "row 4, column 2 (counting from 1) of the start W is -0.5; give finite numbers ≥ 0"},
		"an infinite H":   {w, infinite, "row 3, column 5 (counting from 1) of the start H is -Inf; give finite numbers"},
		"another shape":   {mat.NewDense(30, 4, nil), h, "the start W is 30 × 4; give 30 × 3"},
		"another shape H": {w, mat.NewDense(3, 7, nil), "the start H is 3 × 7; give 3 × 8"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Factorize(context.Background(), x, RMNMF{}, FactorizeOptions{Rank: 3, InitW: c.w, InitH: c.h})
			expectRefusal(t, err, c.want)
		})
	}
}
