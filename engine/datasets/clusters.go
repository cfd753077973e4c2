package datasets

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// gaussians is round clusters about random centres: the centres are
// 10·uniforms(clusters × dims); then one batch of n × dims normal numbers, of
// which row i, times sd, is added to the centre of cluster i mod clusters.
// Labels are the clusters.
var gaussians = &recipe{
	name: "gaussians",
	parameters: []Parameter{
		count("clusters", "5", 1, "number of clusters"),
		count("dims", "10", 1, "number of features"),
		nonNegative("sd", "1", "standard deviation within a cluster"),
	},
	features: dims,
	check:    checkClusters,
	draw: func(n int, v values, src *source) *Set {
		clusters, m := v.count("clusters"), dims(v)
		labels, centres := make([]int64, n), make([]float64, clusters*m)
		src.uniforms(centres)
		data := src.scaledNormals(v.number("sd"), n*m)
		for i := range labels {
			c := i % clusters
			labels[i] = int64(c)
			blas.Axpy(10, centres[c*m:(c+1)*m], data[i*m:(i+1)*m])
		}
		return &Set{X: mat.NewDense(n, m, data), Labels: labels}
	},
}

func checkClusters(n int, v values) error {
	if c := v.count("clusters"); c > n {
		return fmt.Errorf("%d clusters requested of %d samples; lower clusters or raise samples", c, n)
	}
	return nil
}

// twoMoons is two interleaving half circles: h = ⌊n/2⌋ angles t, then n−h
// angles u, uniform in [0, π); (cos t, sin t) and (1 − cos u, 0.5 − sin u);
// then one batch of n × 2 normal noise, then one batch of n × extra further
// columns that hold noise alone. Labels are the moons.
var twoMoons = &recipe{
	name:    "two-moons",
	samples: 500,
	parameters: []Parameter{
		nonNegative("noise", "0.13", "standard deviation of the normal noise added to the moons"),
		count("extra", "0", 0, "further columns of noise alone"),
		nonNegative("extra_sd", "0.5", "standard deviation of the further columns"),
	},
	features: func(v values) int { return 2 + v.count("extra") },
	draw: func(n int, v values, src *source) *Set {
		m := 2 + v.count("extra")
		x, labels, angles := mat.NewDense(n, m, nil), make([]int64, n), make([]float64, n)
		src.uniforms(angles)
		noise := src.scaledNormals(v.number("noise"), 2*n)
		extra := src.scaledNormals(v.number("extra_sd"), (m-2)*n)
		for i, u := range angles {
			sin, cos := math.Sincos(math.Pi * u)
			if i >= n/2 {
				labels[i] = 1
				sin, cos = 0.5-sin, 1-cos
			}
			row := x.RawRowView(i)
			row[0], row[1] = cos+noise[2*i], sin+noise[2*i+1]
			copy(row[2:], extra[i*(m-2):(i+1)*(m-2)])
		}
		return &Set{X: x, Labels: labels}
	},
}

// waveform is Breiman's three classes of noisy mixtures of two triangular
// waves, in order of class: the class of row j is ⌊3j/n⌋. Per row one uniform
// u, then 21 normal numbers; feature i = 1…21 is u·h_a(i) + (1−u)·h_b(i) +
// normal, where h_c(i) = max(6 − |i − c|, 0).
var waveform = &recipe{
	name:     "waveform",
	features: fixed(21),
	draw: func(n int, _ values, src *source) *Set {
		const m = 21
		x, labels := mat.NewDense(n, m, nil), make([]int64, n)
		parallel(n, 256, func(lo, hi int) {
			rng := src.at(lo * (1 + outputs(m)))
			for j := lo; j < hi; j++ {
				class := 3 * j / n
				labels[j] = int64(class)
				u, row := rng.Uniform(), x.RawRowView(j)
				rng.Normals(row)
				a, b := waves[class][0], waves[class][1]
				for i := range row {
					row[i] += u*wave(a, i+1) + (1-u)*wave(b, i+1)
				}
			}
		})
		return &Set{X: x, Labels: labels}
	},
}

// waves are the centres of the two waves that each class mixes.
var waves = [3][2]int{{11, 15}, {11, 7}, {15, 7}}

func wave(centre, i int) float64 { return math.Max(6-math.Abs(float64(i-centre)), 0) }

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
// noise·normals(dims). Labels are the clusters.
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
