package solvers

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// weighted are the samples of [KMeansFrom], in either storage.
type weighted interface {
	dims() (n, m int)
	// take notes where the centres are.
	take(centers []float64, clusters int)
	// products writes ⟨x, c⟩ of the listed samples with all centres, a row each.
	// scratch is that of the worker, of any length.
	products(at []int32, scratch []float64, out []float64) []float64
	// square is ‖x − c‖² of sample i, as exactly as the storage allows.
	square(i int, center []float64, norm float64) float64
	// add adds w times sample i to a sum.
	add(i int, w float64, sum []float64)
	norm(i int) float64
	exact() bool // square does not cancel
}

// weightedPoints are dense samples.
type weightedPoints struct {
	x        []float64
	n, m     int
	kernels  *blas.Kernels
	centers  []float64
	clusters int
}

func (p *weightedPoints) dims() (n, m int)    { return p.n, p.m }
func (p *weightedPoints) row(i int) []float64 { return p.x[i*p.m : (i+1)*p.m] }
func (p *weightedPoints) norm(i int) float64  { return blas.Dot(p.row(i), p.row(i)) }
func (p *weightedPoints) exact() bool         { return true }

func (p *weightedPoints) take(centers []float64, clusters int) {
	p.centers, p.clusters = centers, clusters
}

func (p *weightedPoints) square(i int, center []float64, _ float64) float64 {
	return blas.SquaredDistance(p.row(i), center)
}

func (p *weightedPoints) add(i int, w float64, sum []float64) { blas.Axpy(w, p.row(i), sum) }

func (p *weightedPoints) products(at []int32, scratch, out []float64) []float64 {
	count := len(at)
	rows := p.x[int(at[0])*p.m:]
	if int(at[count-1]-at[0]) != count-1 { // not one after the other
		if cap(scratch) < count*p.m {
			scratch = make([]float64, fromRows*p.m)
		}
		rows = scratch[:count*p.m]
		for q, i := range at {
			copy(rows[q*p.m:(q+1)*p.m], p.row(int(i)))
		}
	}
	p.kernels.Gemm(false, true, count, p.clusters, p.m, 1, rows, p.m, p.centers, p.m, 0, out, p.clusters)
	return scratch
}

// weightedRows are samples in compressed rows.
type weightedRows struct {
	a        *sparse.CSR
	turned   []float64 // the centres, m × clusters
	clusters int
}

func (r *weightedRows) dims() (n, m int) { return r.a.Rows, r.a.Cols }
func (r *weightedRows) exact() bool      { return false }

func (r *weightedRows) norm(i int) float64 {
	_, vals := r.a.Row(i)
	return blas.Dot(vals, vals)
}

func (r *weightedRows) take(centers []float64, clusters int) {
	m := r.a.Cols
	if len(r.turned) < m*clusters {
		r.turned = make([]float64, m*clusters)
	}
	r.clusters = clusters
	for c := range clusters {
		for j, v := range centers[c*m : (c+1)*m] {
			r.turned[j*clusters+c] = v
		}
	}
}

func (r *weightedRows) square(i int, center []float64, norm float64) float64 {
	return squareBetween(r.a, i, norm, center)
}

func (r *weightedRows) add(i int, w float64, sum []float64) {
	cols, vals := r.a.Row(i)
	for q, v := range vals {
		sum[cols[q]] += w * v
	}
}

func (r *weightedRows) products(at []int32, scratch, out []float64) []float64 {
	k := r.clusters
	for q, i := range at {
		row := out[q*k : (q+1)*k]
		clear(row)
		cols, vals := r.a.Row(int(i))
		for e, v := range vals {
			blas.Axpy(v, r.turned[int(cols[e])*k:int(cols[e])*k+k], row)
		}
	}
	return scratch
}
