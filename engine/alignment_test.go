package engine

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/solvers/orderstat"
)

// The eigenvectors of the alignment matrix are the embedding, by the eigensolver and by
// the type of the other package.
func TestAlignmentIsWhatEmbedSolves(t *testing.T) {
	x := generate(t, "swiss-roll", 500, 1).X
	for _, m := range []Method{LLE{}, NEML{}, MLLE{}, LTSA{}, LTSACurvature{}, HLLE{}, LNP{Neighbors: 25}, LE{}, SMCE{}} {
		t.Run(m.Name(), func(t *testing.T) {
			phi := must(Alignment(t.Context(), x, m, Options{}))(t)
			if !mat.Equal(phi, phi.T()) || phi.Rows != 500 {
				t.Error("it is not symmetric")
			}
			r := embed(t, x, m, Options{Components: "joint"})
			if m.Name() != "le" && m.Name() != "smce" { // whose null vector is not constant
				constant := slices.Repeat([]float64{1 / math.Sqrt(500)}, 500)
				e := must(eigen.Smallest(t.Context(), phi.Storage(), [][]float64{constant}, 2, eigen.Options{}))(t)
				for j, v := range e.Values {
					if math.Abs(v-r.Values[j]) > 1e-10*phi.RowSumNorm() {
						t.Errorf("eigenvalue %d: %g, of the embedding %g", j, v, r.Values[j])
					}
				}
			}
			again, err := Alignment(t.Context(), x, m, Options{Threads: 1})
			if err != nil || !slices.Equal(again.Val, phi.Val) || !slices.Equal(again.Col, phi.Col) {
				t.Errorf("another matrix with one thread: %v", err)
			}
		})
	}
}

// Φ of LLE is (I − W)ᵀ(I − W) of its weights, of any unit of the data.
func TestAlignmentByWeights(t *testing.T) {
	x := generate(t, "swiss-roll", 200, 1).X
	g := must(Represent(t.Context(), x, LLE{}, Options{}))(t)
	w := must(g.Matrix())(t)
	var rest, want mat.Dense
	rest.Sub(mat.NewDiagDense(200, slices.Repeat([]float64{1}, 200)), w.Dense())
	want.Mul(rest.T(), &rest)
	var far mat.Dense
	far.Scale(0x1p600, x)
	for _, data := range []mat.Matrix{x, &far} {
		phi := must(Alignment(t.Context(), data, LLE{}, Options{}))(t)
		if !mat.EqualApprox(phi, &want, 1e-12) {
			t.Error("Φ is not (I − W)ᵀ(I − W)")
		}
	}
}

func TestAlignmentRefusals(t *testing.T) {
	x := generate(t, "swiss-roll", 60, 1).X
	r := refusing(t)
	r.of("pca", failed(Alignment(t.Context(), x, PCA{}, Options{})))
	r.of("npp", failed(Alignment(t.Context(), x, NPP{}, Options{})))
	r.of("nmf", failed(Alignment(t.Context(), x, NMF{}, Options{})))
	r.of("lle", failed(Alignment(t.Context(), x.Slice(0, 1, 0, 3), LLE{}, Options{})))
	r.of("lle", failed(Alignment(t.Context(), mat.NewDense(3, 1, []float64{1, math.NaN(), 2}), LLE{}, Options{})))
	r.of("lle", failed(Alignment(t.Context(), x, LLE{}, Options{Memory: 1 << 10})))
	r.of("lle", failed(Alignment(t.Context(), nil, LLE{}, Options{})))
}

// meeting are processes that are goroutines: the k-th gives its numbers and gets the answer.
type meeting struct {
	give chan []float64
	take chan []float64
}

func (m meeting) LowerMedian(own []float64) float64 {
	m.give <- append([]float64{0}, own...)
	return (<-m.take)[0]
}

func (m meeting) Sum(own ...float64) []float64 {
	m.give <- append([]float64{1}, own...)
	return <-m.take
}

// host answers until all processes are done.
func host(all []meeting, done chan struct{}) {
	for {
		var together []float64
		var sum []float64
		var kind float64
		for _, m := range all {
			select {
			case <-done:
				return
			case from := <-m.give:
				kind = from[0]
				together = append(together, from[1:]...)
				if sum == nil {
					sum = make([]float64, len(from)-1)
				}
				if kind == 1 {
					for i, v := range from[1:] {
						sum[i] += v
					}
				}
			}
		}
		if kind == 0 {
			sum = []float64{orderstat.LowerMedian(together)}
		}
		for _, m := range all {
			m.take <- sum
		}
	}
}

// TestSharesAddUp: what three processes make of their rows adds up to the alignment matrix.
func TestSharesAddUp(t *testing.T) {
	const n, k, processes = 210, 8, 3
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		a, b := 0.3+float64(i%15)/5, float64(i/15)/4+0.013*float64(i%7)
		x.SetRow(i, []float64{a * math.Cos(a), a * math.Sin(a), b})
	}
	g := graphOf(t, x, k)
	for _, m := range []Method{
		&LLE{Neighbors: k}, &MLLE{Neighbors: k}, &NEML{Neighbors: k}, &LTSA{Neighbors: k}, &LTSA{Neighbors: k, ExcludeSelf: true},
		&LE{Neighbors: k}, &LE{Neighbors: k, Graph: "mutual", Weights: "heat"}, &LE{Neighbors: k, Graph: "average", Weights: "cosine"},
	} {
		want := must(Alignment(context.Background(), x, m, Options{}))(t)
		got := mat.NewDense(n, n, nil)
		sums := make(chan func(), processes)
		meetings := make([]meeting, processes)
		for p := range meetings {
			meetings[p] = meeting{make(chan []float64), make(chan []float64)}
		}
		done := make(chan struct{})
		go host(meetings, done)
		for p, others := range meetings {
			go func() {
				part := partOf(x, g, p*n/processes, (p+1)*n/processes)
				s, err := Share(context.Background(), m, Options{}, Whole{Samples: n, Features: 3, Largest: 3}, others)
				if err != nil {
					sums <- func() { t.Error(err) }
					return
				}
				phi, _, err := s.Align(part)
				sums <- func() {
					if err != nil {
						t.Error(err)
						return
					}
					for i := range phi.Rows {
						cols, vals := phi.Row(i)
						for q, j := range cols {
							r, c := int(part.Rows[i]), int(part.Rows[j])
							got.Set(r, c, got.At(r, c)+vals[q])
						}
					}
				}
			}()
		}
		for range processes {
			(<-sums)()
		}
		close(done)
		if _, edges := m.(*LE); edges {
			degree := mat.DenseCopyOf(got)
			for i := range n {
				for j := range n {
					v := got.At(i, j) / math.Sqrt(degree.At(i, i)*degree.At(j, j))
					got.Set(i, j, v)
				}
			}
		}
		for i := range n {
			for j := range n {
				if d := math.Abs(got.At(i, j) - want.At(i, j)); d > 1e-11 {
					t.Fatalf("%s: entry %d, %d is %g, of one process %g", m.Name(), i, j, got.At(i, j), want.At(i, j))
				}
			}
		}
	}
}

// partOf are the samples lo ≤ i < hi with those that their lists name.
func partOf(x *mat.Dense, g *neighbors.Graph, lo, hi int) SharedPart {
	place := map[int32]int32{}
	var rows []int32
	for i := lo; i < hi; i++ {
		place[int32(i)] = int32(len(rows))
		rows = append(rows, int32(i))
	}
	local := &neighbors.Graph{Ptr: []int{0}}
	for i := lo; i < hi; i++ {
		for a, j := range g.Of(i) {
			if _, met := place[j]; !met {
				place[j] = int32(len(rows))
				rows = append(rows, j)
			}
			local.Index, local.Dist = append(local.Index, place[j]), append(local.Dist, g.Distances(i)[a])
		}
		local.Ptr = append(local.Ptr, len(local.Index))
	}
	own := hi - lo
	for _, i := range rows[own:] {
		for a, j := range g.Of(int(i)) {
			if int(j) >= lo && int(j) < hi {
				local.Index, local.Dist = append(local.Index, place[j]), append(local.Dist, g.Distances(int(i))[a])
			}
		}
		local.Ptr = append(local.Ptr, len(local.Index))
	}
	return SharedPart{X: subset(x, rows), Rows: rows, Own: own, Graph: local}
}

func subset(x *mat.Dense, rows []int32) *mat.Dense {
	_, m := x.Dims()
	y := mat.NewDense(len(rows), m, nil)
	for at, i := range rows {
		y.SetRow(at, x.RawRowView(int(i)))
	}
	return y
}
