package nmf

import (
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// BenchmarkUnmixing unmixes a made cube of 900 pixels and 60 bands, four spectra over a background with noise at 40 dB: the
// table of docs/methods/nmf.md. It reports of the median of three seeds the least cosine of a spectrum with one found, the largest
// distance relative to its length, and the root mean square error of the abundances.
func BenchmarkUnmixing(b *testing.B) {
	const n, m, r = 900, 60, 4
	for pure, name := range map[float64]string{1: "even", 0.8: "below0.8"} {
		d, w, h := madeCube(n, m, r, pure)
		given := Options{SumToOne: true, Init: Given, H: h[:2*m], Fixed: HFixed}
		enclosed := given
		enclosed.Volume = 2e-5
		for what, o := range map[string]Options{"nmf": {Normalize: Never}, "sum": {SumToOne: true}, "volume": {SumToOne: true, Volume: 2e-5}, "given": given, "given,volume": enclosed} {
			b.Run(name+"/"+what, func(b *testing.B) {
				for b.Loop() {
					var cosines, distances, errors []float64
					for seed := uint64(1); seed <= 3; seed++ {
						o.Rank, o.Solver, o.Iterations, o.TraceEvery, o.Seed = r, HALS, 1000, 1000, seed
						got := factorize(b, d, o)
						off, wrong := unmixed(w, h, got, m, r, o.SumToOne)
						cosines, distances, errors = append(cosines, slices.Min(bestCosines(h, got.H, m))), append(distances, off), append(errors, wrong)
					}
					for unit, list := range map[string][]float64{"cosine": cosines, "distance": distances, "abundances": errors} {
						slices.Sort(list)
						b.ReportMetric(list[1], unit)
					}
				}
			})
		}
	}
}

// madeCube are pixels with abundances of at most this, the abundances and the spectra.
func madeCube(n, m, r int, pure float64) (d Data, w, h []float64) {
	_, w, h = mixtures(n, m, r, 0)
	for at := range h { // a background, so that no spectrum is held by zeros
		h[at] += 0.3
	}
	for i := 0; i < n*r; i += r {
		for most := slices.Max(w[i : i+r]); most > pure; most = slices.Max(w[i : i+r]) {
			for k := range r {
				w[i+k] = 0.8*w[i+k] + 0.2/float64(r)
			}
		}
	}
	x := plainProduct(n, m, r, w, h)
	noise := make([]float64, n*m)
	blas.NewStream(5).Normals(noise)
	sigma := 0.01 * math.Sqrt(blas.Dot(x, x)/float64(n*m))
	for at := range x {
		x[at] = max(0, x[at]+sigma*noise[at])
	}
	return Dense(n, m, x), w, h
}

// unmixed is the largest distance of a spectrum to the nearest one found, relative to its length, scaled where
// components have no scale, and the root mean square error of the abundances.
func unmixed(w, h []float64, got *Result, m, r int, scaled bool) (off, wrong float64) {
	n := len(w) / r
	for a := range r {
		best, at := math.Inf(1), 0
		for b := range r {
			u, v := h[a*m:(a+1)*m], slices.Clone(got.H[b*m:(b+1)*m])
			if !scaled {
				blas.Scale(blas.Dot(u, v)/max(blas.Dot(v, v), denominator), v)
			}
			if e := math.Sqrt(blas.SquaredDistance(u, v) / blas.Dot(u, u)); e < best {
				best, at = e, b
			}
		}
		off = max(off, best)
		for i := range n {
			e := w[i*r+a] - got.W[i*r+at]
			wrong += e * e
		}
	}
	return off, math.Sqrt(wrong / float64(n*r))
}
