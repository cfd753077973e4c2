package nmf_test

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// BenchmarkHeldOutLikelihood measures losses by the likelihood of counts that they did not see, a tenth of all: the table of
// docs/methods/nmf.md. Of a fit the means are 0.99 WH + 0.01 of the mean of the column. It reports the mean negative
// log-likelihood of a held-out entry under Poisson's distribution, the negative binomial, and both with zeros inflated, whose
// numbers are the likeliest of each column for the entries that were seen.
func BenchmarkHeldOutLikelihood(b *testing.B) {
	for _, set := range []string{"pbmc-facs.X.npz", "20news-w100.X.mtx"} {
		x, n, m := frequent(b, set, 1000, 1000)
		d := nmf.Dense(n, m, x)
		held := must.Get(nmf.HoldOut(d, 0.1, 7))(b)
		hidden := make([]bool, n*m)
		for i := range n {
			cols, _ := held.Values.Row(i)
			for _, j := range cols {
				hidden[i*m+int(j)] = true
			}
		}
		seen := d.Without(held.Values)
		for _, iterations := range []int{200, 600} {
			for name, o := range map[string]nmf.Options{"squares": {Solver: nmf.HALS}, "kl": {Loss: nmf.KL}, "negative-binomial": {Loss: nmf.NegativeBinomial}, "huber": {Loss: nmf.Huber}} {
				b.Run(fmt.Sprintf("%s/%d/%s", set, iterations, name), func(b *testing.B) {
					o.Rank, o.Iterations, o.TraceEvery, o.Seed = 10, iterations, iterations, 1
					for b.Loop() {
						r := must.Get(nmf.Factorize(b.Context(), seen, o))(b)
						for unit, v := range likelihoods(x, hidden, n, m, 10, r.W, r.H) {
							b.ReportMetric(v, unit)
						}
					}
				})
			}
		}
	}
}

// frequent are rows of a set, evenly spaced, and its columns with the largest sums.
func frequent(b *testing.B, set string, rows, columns int) (x []float64, n, m int) {
	a := must.Get(files.ReadSparse(filepath.Join(golden.Data(b), set), files.Options{}))(b)
	n, m = min(rows, a.Rows), min(columns, a.Cols)
	sums, order, place := make([]float64, a.Cols), make([]int, a.Cols), make([]int, a.Cols)
	for p, j := range a.Col {
		sums[j] += a.Val[p]
	}
	for j := range order {
		order[j], place[j] = j, -1
	}
	slices.SortStableFunc(order, func(p, q int) int { return cmp.Compare(sums[q], sums[p]) })
	for q, j := range order[:m] {
		place[j] = q
	}
	x = make([]float64, n*m)
	for i := range n {
		cols, vals := a.Row(i * a.Rows / n)
		for p, j := range cols {
			if place[j] >= 0 {
				x[i*m+place[j]] = vals[p]
			}
		}
	}
	return x, n, m
}

// logPoisson and logNegativeBinomial are negative logarithms of probabilities.
func logPoisson(x, y, _ float64) float64 {
	g, _ := math.Lgamma(x + 1)
	return g - x*math.Log(y) + y
}

func logNegativeBinomial(x, y, phi float64) float64 {
	r := 1 / phi
	if x == 0 {
		return r * math.Log1p(y*phi)
	}
	above, _ := math.Lgamma(x + r)
	below, _ := math.Lgamma(r)
	factorial, _ := math.Lgamma(x + 1)
	return -(above - below - factorial - r*math.Log1p(y*phi) + x*math.Log(y/(r+y)))
}

func likelihoods(x []float64, hidden []bool, n, m, r int, w, h []float64) map[string]float64 {
	names := []string{"poisson", "nb", "zip", "zinb"}
	sums := make([]float64, 4)
	var count float64
	for j := range m {
		var seen, unseen [][2]float64
		var mean float64
		for i := range n {
			var y float64
			for k := range r {
				y += w[i*r+k] * h[k*m+j]
			}
			if hidden[i*m+j] {
				unseen = append(unseen, [2]float64{x[i*m+j], y})
			} else {
				seen = append(seen, [2]float64{x[i*m+j], y})
				mean += x[i*m+j]
			}
		}
		mean = max(mean/float64(len(seen)), 1e-6)
		for _, list := range [][][2]float64{seen, unseen} {
			for at := range list {
				list[at][1] = 0.99*list[at][1] + 0.01*mean
			}
		}
		phi := likeliest(func(log float64) (sum float64) {
			for _, e := range seen {
				sum += logNegativeBinomial(e[0], e[1], math.Exp(log))
			}
			return sum
		})
		for which, of := range []func(x, y, phi float64) float64{logPoisson, logNegativeBinomial} {
			share := inflation(seen, phi, of)
			for _, e := range unseen {
				v := of(e[0], e[1], phi)
				sums[which] += v
				if e[0] == 0 {
					sums[2+which] -= math.Log(share + (1-share)*math.Exp(-v))
				} else {
					sums[2+which] += v - math.Log(1-share)
				}
			}
		}
		count += float64(len(unseen))
	}
	all := map[string]float64{}
	for q, name := range names {
		all[name] = sums[q] / count
	}
	return all
}

// likeliest is where a function of log φ is least, by golden sections.
func likeliest(f func(log float64) float64) float64 {
	const golden = 0.6180339887
	low, high := -12.0, 3.0
	for range 14 {
		if c, d := high-golden*(high-low), low+golden*(high-low); f(c) < f(d) {
			high = d
		} else {
			low = c
		}
	}
	return math.Exp((low + high) / 2)
}

// inflation is the likeliest share of zeros that are none of the distribution's, by expectation–maximization.
func inflation(seen [][2]float64, phi float64, of func(x, y, phi float64) float64) float64 {
	share := 0.05
	for range 50 {
		var sum float64
		for _, e := range seen {
			if e[0] == 0 {
				sum += share / (share + (1-share)*math.Exp(-of(0, e[1], phi)))
			}
		}
		share = sum / float64(len(seen))
	}
	return min(share, 1-1e-9)
}
