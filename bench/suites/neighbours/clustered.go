package neighbours

import (
	"context"
	"math"

	"github.com/orthant-go/orthant/blas"
)

// clustered draws samples near a curved manifold of dimension d in m columns, in clusters:
//
//	x = A t/√d + ½ sin(2 B t/√d) + 0.02 e,  t = c + 0.7 z,
//
// where the centre c is one of 100, drawn for each row. Centres, A, B (m × d), z and e are standard normal. The stream
// begins with A, B and the centres. Each row then has its own part of the stream, independent of the number of rows: a uniform number
// that selects its centre, d normal numbers z, and m normal numbers e.
type clustered struct {
	m, d           int
	linear, bent   []float64 // A/√d and 2 B/√d
	centres        []float64
	seed           uint64
	first, outputs uint64 // start of the rows in the stream, and outputs of one row
}

const (
	centres = 100
	width   = 0.7
	bend    = 0.5
	noise   = 0.02
)

// step is the increment of the counter of [blas.Stream].
const step = 0x9E3779B97F4A7C15

func newClustered(m, d int, seed uint64) *clustered {
	g := &clustered{m: m, d: d, seed: seed, linear: make([]float64, m*d), bent: make([]float64, m*d), centres: make([]float64, centres*d)}
	random := blas.NewStream(seed)
	for _, part := range [][]float64{g.linear, g.bent, g.centres} {
		random.Normals(part)
		g.first += pairs(len(part))
	}
	g.outputs = 1 + pairs(d) + pairs(m)
	blas.Scale(1/math.Sqrt(float64(d)), g.linear)
	blas.Scale(2/math.Sqrt(float64(d)), g.bent)
	return g
}

// pairs returns the number of outputs of the stream for n normal numbers.
func pairs(n int) uint64 { return uint64(n + n%2) }

// rows draws the rows from lo to hi.
func (g *clustered) rows(lo, hi int, dst []float64) {
	// The background context is never cancelled, so there is no error.
	_ = blas.For(context.Background(), 0, hi-lo, 256, func(_, begin, end int) {
		t := make([]float64, g.d)
		for i := begin; i < end; i++ {
			g.row(lo+i, t, dst[i*g.m:(i+1)*g.m])
		}
	})
}

func (g *clustered) row(i int, t, x []float64) {
	random := blas.NewStream(g.seed + (g.first+uint64(i)*g.outputs)*step)
	c := random.Below(centres)
	random.Normals(t)
	for j := range t {
		t[j] = g.centres[c*g.d+j] + width*t[j]
	}
	random.Normals(x)
	for j := range x {
		row := j * g.d
		x[j] = blas.Dot(g.linear[row:row+g.d], t) + bend*math.Sin(blas.Dot(g.bent[row:row+g.d], t)) + noise*x[j]
	}
}
