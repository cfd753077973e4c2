package datasets

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// hidden is the width of the layer that bends the manifolds.
const hidden = 64

// clusteredManifolds is clusters that are smooth manifolds of dimension q =
// intrinsic, each the image of a cube under a small random network; the
// networks of the clusters differ in proportion to separation (one cluster with
// separation 0: "one cloud"). Drawn are A₁ = 0.6·normals(64×q),
// b = 0.5·normals(64), A₂ = normals(dims×64)/8; then for each cluster c
// D = 0.6·separation·normals(64×q), E = separation·normals(dims×64)/8,
// centre = 0.2·separation·normals(dims); and for each row i ≡ c, ascending,
// z = (2·uniforms(q) − 1)³ and x = centre + (A₂+E) tanh((A₁+D)z + b) +
// noise·normals(dims). Labels tell the clusters.
var clusteredManifolds = &recipe{
	name: "clustered-manifolds",
	parameters: []Parameter{
		count("clusters", "10", 1, "number of clusters"),
		count("dims", "256", 1, "number of features"),
		count("intrinsic", "12", 1, "dimension of each manifold"),
		nonNegative("separation", "0.5", "how far the manifolds differ from each other"),
		nonNegative("noise", "0.02", "standard deviation of the normal noise added to every coordinate"),
	},
	features: dims,
	check: func(n int, v values) error {
		if err := checkClusters(n, v); err != nil {
			return err
		}
		if err := fits("dims × 64", dims(v), hidden); err != nil {
			return err
		}
		return fits("intrinsic × 64", v.count("intrinsic"), hidden)
	},
	draw: drawManifolds,
}

func drawManifolds(n int, v values, src *source) *Set {
	m, q := dims(v), v.count("intrinsic")
	clusters, separation := v.count("clusters"), v.number("separation")
	set := &Set{X: mat.NewDense(n, m, nil), Labels: make([]int64, n)}
	common := network{
		inner: src.scaledNormals(0.6, hidden*q),
		bias:  src.scaledNormals(0.5, hidden),
		outer: src.scaledNormals(1.0/8, m*hidden),
		noise: v.number("noise"),
	}
	for c := range clusters {
		own := common
		own.inner = src.scaledNormals(0.6*separation, hidden*q)
		own.outer = src.scaledNormals(separation/8, m*hidden)
		blas.Axpy(1, common.inner, own.inner)
		blas.Axpy(1, common.outer, own.outer)
		own.centre = src.scaledNormals(0.2*separation, m)

		rows := (n - c + clusters - 1) / clusters
		perRow := q + outputs(m)
		parallel(rows, 1+64*64/m, func(lo, hi int) {
			rng, z, h := src.at(lo*perRow), make([]float64, q), make([]float64, hidden)
			for j := lo; j < hi; j++ {
				i := c + j*clusters
				set.Labels[i] = int64(c)
				own.draw(rng, z, h, set.X.RawRowView(i))
			}
		})
		src.skip(rows * perRow)
	}
	return set
}

// network is the map of one manifold.
type network struct {
	inner, bias, outer []float64 // A₁+D (64 × q), b, A₂+E (m × 64)
	centre             []float64
	noise              float64
}

// draw draws one sample into x. The products are plain loops rather than a
// backend's: the set must not depend on the backend in its last bits.
func (w *network) draw(rng *blas.Stream, z, h, x []float64) {
	rng.Uniforms(z)
	for i, u := range z {
		s := 2*u - 1
		z[i] = s * s * s
	}
	for i := range h {
		h[i] = math.Tanh(blas.Dot(z, w.inner[i*len(z):]) + w.bias[i])
	}
	rng.Normals(x)
	for i := range x {
		x[i] = w.centre[i] + blas.Dot(h, w.outer[i*hidden:(i+1)*hidden]) + w.noise*x[i]
	}
}
