package engine

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/orthant-go/orthant/blas"
)

// The published consensus, written again: plain, dense, and step by step.

func plainConsensus(x, spectra *mat.Dense, rank int, threshold, share float64) *Consensus {
	unit := mat.DenseCopyOf(spectra)
	rows, m := unit.Dims()
	for i := range rows {
		row := mat.NewVecDense(m, unit.RawRowView(i))
		row.ScaleVec(1/mat.Norm(row, 2), row)
	}
	neighbors := int(share * float64(rows) / float64(rank))
	var kept []int
	for i := range rows {
		d := plainDistances(unit, i)
		slices.Sort(d)
		if stat.Mean(d[1:neighbors+1], nil) < threshold {
			kept = append(kept, i)
		}
	}
	filtered := mat.NewDense(len(kept), m, nil)
	for q, i := range kept {
		filtered.SetRow(q, unit.RawRowView(i))
	}
	c := &Consensus{Rank: rank, Kept: len(kept)}
	_, _, c.StabilityOfAll, c.ErrorOfAll = plainClusters(x, unit, rank)
	c.Spectra, c.Usages, c.Stability, c.Error = plainClusters(x, filtered, rank)
	c.RelativeError = math.Sqrt(c.Error) / mat.Norm(x, 2)
	n, _ := x.Dims()
	tpm, z, shares := mat.DenseCopyOf(x), mat.NewDense(n, m, nil), mat.DenseCopyOf(c.Usages)
	for i := range n {
		for _, p := range []struct {
			of  *mat.Dense
			sum float64
		}{{tpm, 1e6}, {shares, 1}} {
			row := p.of.RawRowView(i)
			var sum float64
			for _, v := range row {
				sum += v
			}
			for j, v := range row {
				if sum > 0 {
					row[j] = v / sum * p.sum
				}
			}
		}
	}
	for j := range m {
		column := mat.Col(nil, j, tpm)
		mean, deviation := stat.PopMeanStdDev(column, nil)
		for i, v := range column {
			z.Set(i, j, (v-mean)/deviation)
		}
	}
	var svd mat.SVD
	svd.Factorize(c.Usages, mat.SVDThin)
	c.Scores = new(mat.Dense)
	svd.SolveTo(c.Scores, z, rank)
	for i := range rank {
		for j := range m {
			if math.IsNaN(z.At(0, j)) {
				c.Scores.Set(i, j, math.NaN())
			}
		}
	}
	c.Levels = mat.DenseCopyOf(plainNonnegative(mat.DenseCopyOf(tpm.T()), mat.DenseCopyOf(shares.T())).T())
	return c
}

func plainDistances(x *mat.Dense, i int) []float64 {
	rows, _ := x.Dims()
	d := make([]float64, rows)
	for j := range d {
		var v mat.VecDense
		v.SubVec(x.RowView(i), x.RowView(j))
		d[j] = mat.Norm(&v, 2)
	}
	return d
}

// plainClusters clusters the rows of unit, and returns medians, coordinates under them, the
// silhouette and the error.
func plainClusters(x, unit *mat.Dense, rank int) (medians, usages *mat.Dense, stability, squares float64) {
	rows, m := unit.Dims()
	labels := plainKMeans(unit, rank)
	for i := range rows {
		sums, sizes := make([]float64, rank), make([]float64, rank)
		for j, d := range plainDistances(unit, i) {
			if j != i {
				sums[labels[j]] += d
				sizes[labels[j]]++
			}
		}
		a, b := sums[labels[i]]/sizes[labels[i]], math.Inf(1)
		for c := range rank {
			if c != labels[i] {
				b = min(b, sums[c]/sizes[c])
			}
		}
		if sizes[labels[i]] > 0 {
			stability += (b - a) / max(a, b) / float64(rows)
		}
	}
	medians = mat.NewDense(rank, m, nil)
	for c := range rank {
		var sum float64
		for j := range m {
			var v []float64
			for i, l := range labels {
				if l == c {
					v = append(v, unit.At(i, j))
				}
			}
			slices.Sort(v)
			medians.Set(c, j, (v[(len(v)-1)/2]+v[len(v)/2])/2)
			sum += medians.At(c, j)
		}
		for j := range m {
			medians.Set(c, j, medians.At(c, j)/sum)
		}
	}
	usages = plainNonnegative(x, medians)
	var e mat.Dense
	e.Mul(usages, medians)
	e.Sub(x, &e)
	return medians, usages, stability, math.Pow(mat.Norm(&e, 2), 2)
}

// plainKMeans is the best of 60 starts from rows drawn at random.
func plainKMeans(x *mat.Dense, clusters int) []int {
	rows, m := x.Dims()
	s := blas.NewStream(8)
	var best []int
	least := math.Inf(1)
	for range 60 {
		centers := mat.NewDense(clusters, m, nil)
		for c := range clusters {
			centers.SetRow(c, x.RawRowView(s.Below(rows)))
		}
		labels := make([]int, rows)
		var cost float64
		for range 100 {
			cost = 0
			for i := range rows {
				nearest := math.Inf(1)
				for c := range clusters {
					if d := blas.SquaredDistance(x.RawRowView(i), centers.RawRowView(c)); d < nearest {
						nearest, labels[i] = d, c
					}
				}
				cost += nearest
			}
			for c := range clusters {
				sum, size := make([]float64, m), 0.0
				for i, l := range labels {
					if l == c {
						blas.Axpy(1, x.RawRowView(i), sum)
						size++
					}
				}
				if size > 0 {
					blas.Scale(1/size, sum)
					centers.SetRow(c, sum)
				}
			}
		}
		if cost < least-1e-12 {
			least, best = cost, labels
		}
	}
	order := map[int]int{}
	for i, l := range best {
		if _, seen := order[l]; !seen {
			order[l] = len(order)
		}
		best[i] = order[l]
	}
	return best
}

// plainNonnegative is the nearest nonnegative combination of the rows of h to each row of x:
// the best of those of every set of rows that has no negative coordinate.
func plainNonnegative(x, h *mat.Dense) *mat.Dense {
	n, m := x.Dims()
	r, _ := h.Dims()
	w := mat.NewDense(n, r, nil)
	for i := range n {
		least := math.Pow(mat.Norm(x.RowView(i), 2), 2)
		for set := 1; set < 1<<r; set++ {
			var rows []int
			for k := range r {
				if set>>k&1 == 1 {
					rows = append(rows, k)
				}
			}
			a := mat.NewDense(m, len(rows), nil)
			for q, k := range rows {
				a.SetCol(q, h.RawRowView(k))
			}
			var v, e mat.VecDense
			if v.SolveVec(a, x.RowView(i)) != nil || mat.Min(&v) < 0 {
				continue
			}
			e.MulVec(a, &v)
			e.SubVec(x.RowView(i), &e)
			if d := math.Pow(mat.Norm(&e, 2), 2); d < least {
				least = d
				for k := range r {
					w.Set(i, k, 0)
				}
				for q, k := range rows {
					w.Set(i, k, v.AtVec(q))
				}
			}
		}
	}
	return w
}

// plainCophenetic joins the nearest two clusters, again and again.
func plainCophenetic(shares *mat.Dense) float64 {
	s, _ := shares.Dims()
	clusters := make([][]int, s)
	for i := range clusters {
		clusters[i] = []int{i}
	}
	height := mat.NewDense(s, s, nil)
	for len(clusters) > 1 {
		a, b, least := 0, 0, math.Inf(1)
		for p := range clusters {
			for q := range p {
				var sum float64
				for _, i := range clusters[p] {
					for _, j := range clusters[q] {
						sum += 1 - shares.At(i, j)
					}
				}
				if sum /= float64(len(clusters[p]) * len(clusters[q])); sum < least {
					a, b, least = q, p, sum
				}
			}
		}
		for _, i := range clusters[a] {
			for _, j := range clusters[b] {
				height.Set(i, j, least)
				height.Set(j, i, least)
			}
		}
		clusters[a] = append(clusters[a], clusters[b]...)
		clusters = slices.Delete(clusters, b, b+1)
	}
	var x, y []float64
	for i := range s {
		for j := range i {
			x, y = append(x, 1-shares.At(i, j)), append(y, height.At(i, j))
		}
	}
	return stat.Correlation(x, y, nil)
}
