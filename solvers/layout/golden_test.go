package layout

import (
	"encoding/json"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// weighted is one entry of a golden matrix: its row, its column and its value.
type weighted [3]float64

// symmetric is the matrix of entries above the diagonal.
func symmetric(n int, upper []weighted) *sparse.CSR {
	dense := mat.NewSymDense(n, nil)
	for _, e := range upper {
		dense.SetSym(int(e[0]), int(e[1]), e[2])
	}
	a := &sparse.CSR{Rows: n, Cols: n, Ptr: make([]int, 1, n+1)}
	for i := range n {
		for j := range n {
			if v := dense.At(i, j); v != 0 {
				a.Col, a.Val = append(a.Col, int32(j)), append(a.Val, v)
			}
		}
		a.Ptr = append(a.Ptr, len(a.Col))
	}
	return a
}

func TestGoldenCurve(t *testing.T) {
	golden.Cases(t, "maps", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			A, B    float64
			MinDist float64 `json:"min_dist"`
			Spread  float64
		}
		golden.Decode(t, raw, &c)
		got := must.Get(NewCurve(c.MinDist, c.Spread))(t)
		// The reference stops its least squares at about 1e-8.
		golden.Expect(t, "curve", []float64{got.A, got.B}, []float64{c.A, c.B}, 1e-6)
	})
}

func TestGoldenDivergence(t *testing.T) {
	golden.Cases(t, "maps", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			N    int
			Y    [][]float64
			TSNE struct {
				P        []weighted
				Z, KL    float64
				Gradient [][]float64
			}
		}
		golden.Decode(t, raw, &c)
		p, y := symmetric(c.N, c.TSNE.P), mat.NewDense(c.N, len(c.Y[0]), golden.Flat(c.Y))
		kl := must.Get(Divergence(t.Context(), 2, p, y))(t)
		golden.Expect(t, "divergence", []float64{kl}, []float64{c.TSNE.KL}, 1e-12)
		d, z := descentAt(t, TSNE{Threads: 2}, p, y)
		golden.Expect(t, "Z", []float64{z}, []float64{c.TSNE.Z}, 1e-12)
		for i, want := range c.TSNE.Gradient {
			got := d.gradient(i, z, 1)
			for k := range got {
				got[k] *= 4
			}
			// The descent has p in 24 bits.
			golden.Expect(t, "gradient", got[:len(want)], want, 1e-7)
		}
	})
}

func TestGoldenPairObjective(t *testing.T) {
	golden.Cases(t, "maps", func(t *testing.T, raw json.RawMessage) {
		var c struct {
			N      int
			Y      [][]float64
			PaCMAP struct {
				Near     [][]int32
				Weights  [3]float64
				Loss     float64
				Gradient [][]float64
			}
		}
		golden.Decode(t, raw, &c)
		n, y := int32(c.N), mat.NewDense(c.N, len(c.Y[0]), golden.Flat(c.Y))
		var p Pairs
		for i := range n {
			for _, j := range c.PaCMAP.Near[i] {
				p.Near = append(p.Near, Pair{i, j})
			}
			p.MidNear, p.Further = append(p.MidNear, Pair{i, (i + 2) % n}), append(p.Further, Pair{i, (i + 4) % n})
		}
		golden.Expect(t, "objective", []float64{p.Objective(y, c.PaCMAP.Weights)}, []float64{c.PaCMAP.Loss}, 1e-12)
		incident := must.Get(p.incident(y))(t)
		dim := len(c.Y[0])
		at, got := make([]float64, c.N*dim), make([]float64, c.N*dim)
		for i, v := range incident.order {
			copy(at[i*dim:], c.Y[v])
		}
		for i, v := range incident.order {
			gradient(incident, c.PaCMAP.Weights, at, i, got[int(v)*dim:(int(v)+1)*dim])
		}
		golden.Expect(t, "gradient", got, golden.Flat(c.PaCMAP.Gradient), 1e-12)
	})
}
