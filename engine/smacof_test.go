package engine

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// stressOf is stress-1 of coordinates at their best scale, for distances of which NaN is unknown.
func stressOf(t *testing.T, d, y *mat.Dense, weight func(i, j int) float64) float64 {
	of := distancesOf(t, y)
	n, _ := d.Dims()
	var dd, dt, tt float64
	for i := range n {
		for j := range i {
			if t := d.At(i, j); t == t {
				w := weight(i, j)
				dd += w * of.At(i, j) * of.At(i, j)
				dt += w * of.At(i, j) * t
				tt += w * t * t
			}
		}
	}
	return math.Sqrt(max(1-dt*dt/(dd*tt), 0))
}

func evenly(int, int) float64 { return 1 }

func lastOf(v []float64) float64 { return v[len(v)-1] }

// The stress that is reported is that of the coordinates, never rises, and is below that of classical scaling.
func TestSMACOF(t *testing.T) {
	x := generate(t, "gaussians", 150, 3).X
	d := distancesOf(t, x)
	for _, m := range []SMACOF{{}, {Dim: 1}, {Dim: 3}, {Init: "random", Restarts: 3}} {
		r := embed(t, x, m, Options{})
		if got := stressOf(t, d, r.Y, evenly); !(math.Abs(got-lastOf(r.Objective)) < 1e-9) {
			t.Errorf("%+v: stress-1 is %v, reported as %v", m, got, lastOf(r.Objective))
		}
		if !slices.IsSortedFunc(r.Objective, func(a, b float64) int { return -cmpFloat(a, b) }) {
			t.Errorf("%+v: the stress rises", m)
		}
		if !r.Converged || len(r.Objective) != r.Iterations+1 || r.Details["stress_1"] != lastOf(r.Objective) {
			t.Errorf("%+v: %d iterations, converged %v, details %v", m, r.Iterations, r.Converged, r.Details)
		}
		if m.Init == "" && !(lastOf(r.Objective) < stressOf(t, d, embed(t, x, MDS{Dim: max(m.Dim, 2)}, Options{}).Y, evenly)+map[bool]float64{true: 1}[m.Dim == 1]) {
			t.Errorf("%+v: the stress is not below that of mds", m)
		}
		if of, is := r.Details["stress_1_of_starts"].([]float64); is != (m.Restarts > 1) || is && (len(of) != 3 || slices.Min(of) != lastOf(r.Objective)) {
			t.Errorf("%+v: stresses of starts %v", m, r.Details["stress_1_of_starts"])
		}
	}
	if r := embed(t, x, SMACOF{Iterations: 2}, Options{}); r.Converged || r.Iterations != 2 {
		t.Errorf("two iterations: %d, converged %v", r.Iterations, r.Converged)
	}
}

func cmpFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// pairsOf lists some of the distances, each pair in one direction.
func pairsOf(t *testing.T, d *mat.Dense, keep func(i, j int) bool) *neighbors.Graph {
	t.Helper()
	n, _ := d.Dims()
	a := &sparse.CSR{Rows: n, Cols: n, Ptr: []int{0}}
	for i := range n {
		for j := i + 1; j < n; j++ {
			if keep(i, j) {
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, d.At(i, j))
			}
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return must(neighbors.FromMatrix(a))(t)
}

// Samples, their distances, and the graph of all pairs have one answer; unknown distances as NaN and as pairs that are not
// listed have one; and the plane is found again where two of three distances are unknown.
func TestSMACOFOfDistances(t *testing.T) {
	x := generate(t, "gaussians", 80, 3).X.Slice(0, 80, 0, 2).(*mat.Dense)
	x = mat.DenseCopyOf(x)
	d := distancesOf(t, x)
	want := embed(t, x, SMACOF{Tolerance: number(1e-9)}, Options{})
	same := func(what string, tol float64, got *Result) {
		t.Helper()
		a, b := distancesOf(t, got.Y), distancesOf(t, want.Y)
		a.Sub(a, b)
		if off := mat.Norm(a, math.Inf(1)) / mat.Norm(b, math.Inf(1)); !(off < tol) {
			t.Errorf("%s: distances differ by %.1e", what, off)
		}
	}
	same("distances", 1e-9, embed(t, nil, SMACOF{Tolerance: number(1e-9)}, Options{Distances: d}))
	same("all pairs", 1e-6, embed(t, nil, SMACOF{Tolerance: number(1e-9)}, Options{Graph: pairsOf(t, d, func(int, int) bool { return true })}))
	keep := func(i, j int) bool { return (i+j)%3 == 0 || j == i+1 }
	holes := mat.DenseCopyOf(d)
	for i := range 80 {
		for j := i + 1; j < 80; j++ {
			if !keep(i, j) {
				holes.Set(i, j, math.NaN())
				holes.Set(j, i, math.NaN())
			} else if (i+j)%2 == 0 { // one of the two is enough
				holes.Set(j, i, math.NaN())
			}
		}
	}
	of := embed(t, nil, SMACOF{Tolerance: number(1e-9)}, Options{Distances: holes})
	same("distances with holes", 1e-4, of)
	if got := embed(t, nil, SMACOF{Tolerance: number(1e-9)}, Options{Graph: pairsOf(t, d, keep)}); !mat.Equal(got.Y, of.Y) || got.Details["known_pairs"] != of.Details["known_pairs"] {
		t.Error("pairs and distances with holes have different answers")
	}
}

// Weights apply: given ones, from which only ratios count, and those by distance.
func TestSMACOFWeights(t *testing.T) {
	x := generate(t, "gaussians", 60, 3).X
	d := distancesOf(t, x)
	w := &sparse.CSR{Rows: 60, Cols: 60, Ptr: []int{0}}
	weight := func(i, j int) float64 { return float64((i*j+i+j)%4) * 0.5 }
	for i := range 60 {
		for j := range 60 {
			if v := weight(i, j); v > 0 && i != j {
				w.Col, w.Val = append(w.Col, int32(j)), append(w.Val, v)
			}
		}
		w.Ptr = append(w.Ptr, len(w.Col))
	}
	r := embed(t, x, SMACOF{}, Options{Affinities: w})
	if got := stressOf(t, d, r.Y, weight); !(math.Abs(got-lastOf(r.Objective)) < 1e-9) {
		t.Errorf("given weights: stress-1 %v, reported %v", got, lastOf(r.Objective))
	}
	if e := embed(t, x, SMACOF{}, Options{}); !(stressOf(t, d, e.Y, weight) > lastOf(r.Objective)) {
		t.Error("equal weights have no larger stress by the given weights")
	}
	if of := embed(t, nil, SMACOF{}, Options{Distances: d, Affinities: w}); !(math.Abs(lastOf(of.Objective)-lastOf(r.Objective)) < 1e-6) {
		t.Errorf("with distances: stress-1 %v, with samples %v", lastOf(of.Objective), lastOf(r.Objective))
	}
	all := pairsOf(t, d, func(int, int) bool { return true })
	if of := embed(t, nil, SMACOF{}, Options{Graph: all, Affinities: w}); !(math.Abs(lastOf(of.Objective)-lastOf(r.Objective)) < 1e-3) {
		t.Errorf("with pairs: stress-1 %v, with samples %v", lastOf(of.Objective), lastOf(r.Objective))
	}
	for name, power := range map[string]float64{"sammon": 1, "elastic": 2} {
		r := embed(t, x, SMACOF{Weights: name}, Options{})
		if got := stressOf(t, d, r.Y, func(i, j int) float64 { return math.Pow(d.At(i, j), -power) }); !(math.Abs(got-lastOf(r.Objective)) < 1e-9) {
			t.Errorf("%s: stress-1 %v, reported %v", name, got, lastOf(r.Objective))
		}
	}
}

// The order of the distances determines the answer: a monotone function of them has the same. Ties have their two treatments.
func TestSMACOFNonMetric(t *testing.T) {
	x := generate(t, "gaussians", 60, 3).X
	d := distancesOf(t, x)
	other := mat.NewDense(60, 60, nil)
	other.Apply(func(_, _ int, v float64) float64 { return v * v * v }, d)
	start := embed(t, x, MDS{}, Options{}).Y
	a := embed(t, nil, SMACOF{Nonmetric: true}, Options{Distances: d, Init: start})
	b := embed(t, nil, SMACOF{Nonmetric: true}, Options{Distances: other, Init: start})
	if got, want := lastOf(b.Objective), lastOf(a.Objective); !(math.Abs(got-want) < 1e-6) {
		t.Errorf("stress-1 %v of the cubes, %v of the distances", got, want)
	}
	if m := embed(t, nil, SMACOF{}, Options{Distances: d}); !(lastOf(a.Objective) < lastOf(m.Objective)) {
		t.Errorf("non-metric stress %v, metric %v", lastOf(a.Objective), lastOf(m.Objective))
	}
	steps := mat.NewDense(60, 60, nil)
	steps.Apply(func(_, _ int, v float64) float64 { return math.Ceil(v / 3) }, d)
	primary := embed(t, nil, SMACOF{Nonmetric: true}, Options{Distances: steps, Init: start})
	secondary := embed(t, nil, SMACOF{Nonmetric: true, Ties: "secondary"}, Options{Distances: steps, Init: start})
	if !(lastOf(primary.Objective) < lastOf(secondary.Objective)) {
		t.Errorf("stress of primary ties %v, of secondary %v", lastOf(primary.Objective), lastOf(secondary.Objective))
	}
}

// By a metric the answer is that of its distances, and the model measures new samples by it.
func TestSMACOFMetrics(t *testing.T) {
	x := generate(t, "gaussians", 60, 3).X
	for _, metric := range []string{"cosine", "manhattan", "correlation", "hamming", "minkowski=3"} {
		d := distancesBy(t, x, neighbors.Metric(metric))
		r := embed(t, x, SMACOF{}, Options{Metric: metric})
		if got := stressOf(t, d, r.Y, evenly); !(math.Abs(got-lastOf(r.Objective)) < 1e-9) {
			t.Errorf("%s: stress-1 %v, reported %v", metric, got, lastOf(r.Objective))
		}
		model := loaded(t, saved(t, must(r.Model())(t)))
		if y := transformed(t, model, x, Options{}); !mat.Equal(y, r.Y) {
			t.Errorf("%s: training samples do not get their places", metric)
		}
	}
}

// The model places a sample that was left out near where the whole has it, with the least stress, and each alone; landmarks are placed
// likewise.
func TestSMACOFModel(t *testing.T) {
	x := generate(t, "gaussians", 120, 3).X
	for _, m := range []SMACOF{{}, {Nonmetric: true}, {Weights: "sammon"}} {
		rest, train := x.Slice(100, 120, 0, 10), x.Slice(0, 100, 0, 10)
		r := embed(t, train, m, Options{})
		model := loaded(t, saved(t, must(r.Model())(t)))
		y := transformed(t, model, mat.DenseCopyOf(rest), Options{})
		if one := transformed(t, model, mat.DenseCopyOf(x.Slice(105, 106, 0, 10)), Options{}); !slices.Equal(one.RawRowView(0), y.RawRowView(5)) {
			t.Errorf("%+v: a sample alone has another place", m)
		}
		if m.Nonmetric {
			continue
		}
		for i := range 20 {
			cost := func(at []float64) float64 {
				var sum float64
				for j := range 100 {
					d := math.Sqrt(blas.SquaredDistance(x.RawRowView(100+i), x.RawRowView(j)))
					e := d - math.Sqrt(blas.SquaredDistance(at, r.Y.RawRowView(j)))
					if m.Weights == "sammon" {
						e /= math.Sqrt(d)
					}
					sum += e * e
				}
				return sum
			}
			own := cost(y.RawRowView(i))
			for _, step := range [][]float64{{0.1, 0}, {-0.1, 0}, {0, 0.1}, {0, -0.1}} {
				if at := []float64{y.At(i, 0) + step[0], y.At(i, 1) + step[1]}; !(cost(at) > own) {
					t.Errorf("%+v: sample %d has less stress at %v than at %v", m, i, at, y.RawRowView(i))
				}
			}
		}
	}
	whole, some := embed(t, x, SMACOF{}, Options{}), embed(t, x, SMACOF{}, Options{Landmarks: 60})
	d := distancesOf(t, x)
	if a, b := stressOf(t, d, whole.Y, evenly), stressOf(t, d, some.Y, evenly); !(b < 1.2*a) || !(b > a) {
		t.Errorf("stress-1 %v by 60 landmarks, %v of all", b, a)
	}
}

func TestSMACOFRefuses(t *testing.T) {
	r := refusing(t)
	x := generate(t, "gaussians", 30, 3).X
	d := distancesOf(t, x)
	all := pairsOf(t, d, func(int, int) bool { return true })
	few := pairsOf(t, d, func(i, j int) bool { return i/10 == j/10 })
	with := func(i, j int, v float64) *mat.Dense { e := mat.DenseCopyOf(d); e.Set(i, j, v); return e }
	w := affinitiesOf(t, graphOf(t, x, 5), func(float64) float64 { return 1 })
	r.embed("", nil, SMACOF{}, Options{Graph: few})
	r.embed("", nil, SMACOF{}, Options{Graph: all, Distances: d})
	r.embed("", x, SMACOF{}, Options{Distances: d})
	r.embed("", x, SMACOF{}, Options{Graph: all})
	r.embed("", nil, SMACOF{}, Options{Affinities: w})
	r.embed("", nil, SMACOF{}, Options{Distances: with(3, 4, -1)})
	r.embed("", nil, SMACOF{}, Options{Distances: with(3, 4, 99)})
	r.embed("", nil, SMACOF{}, Options{Distances: d, Model: true})
	r.embed("", nil, SMACOF{}, Options{Distances: d, Metric: "cosine"})
	r.embed("", nil, SMACOF{}, Options{Distances: d, Landmarks: 10})
	r.embed("", x, SMACOF{}, Options{Affinities: w, Landmarks: 10})
	r.embed("", x, SMACOF{Dim: 30}, Options{})
	r.embed("", x, SMACOF{}, Options{Memory: 1000})
}
