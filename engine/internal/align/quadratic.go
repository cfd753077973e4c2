package align

import (
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/sparse"
)

// rotated is AQAᵀ for r rows A of length m.
func rotated(job *run.Run, q []float64, m int, axes []float64, r int) []float64 {
	half, out := make([]float64, r*m), make([]float64, r*r)
	job.Kernels().GemmParallel(job.Threads(), false, false, r, m, m, 1, axes, m, q, m, 0, half, m)
	job.Kernels().GemmParallel(job.Threads(), false, true, r, r, m, 1, half, m, axes, m, 0, out, r)
	vector.Mirror(out, r)
	return out
}

// spreadWidth is the number of columns that a sparse product takes at a time: the
// widest that is fast, and few enough for the columns to stay in cache.
const spreadWidth = 16

// applied is Φz for rows z of a given width.
func applied(job *run.Run, phi *sparse.CSR, z []float64, width int) ([]float64, error) {
	n := phi.Rows
	t := make([]float64, n*width)
	if width <= spreadWidth {
		// One panel: its rows are shared out.
		w := 4
		for w < width {
			w *= 2
		}
		x, y := make([]float64, n*w), make([]float64, n*w)
		copyPanel(n, width, x, w, z, width)
		phi.MulBlock(job.Threads(), w, x, y)
		copyPanel(n, width, t, width, y, w)
		return t, job.Err()
	}
	type scratch struct{ x, y []float64 }
	workers := make([]scratch, blas.Threads(job.Threads()))
	err := blas.For(job.Context(), job.Threads(), width, spreadWidth, func(w, lo, hi int) {
		s := &workers[w]
		if s.x == nil {
			s.x, s.y = make([]float64, n*spreadWidth), make([]float64, n*spreadWidth)
		}
		if hi-lo < spreadWidth {
			clear(s.x)
		}
		copyPanel(n, hi-lo, s.x, spreadWidth, z[lo:], width)
		blas.MulCSRBlock(spreadWidth, 0, n, phi.Ptr, phi.Col, phi.Val, s.x, s.y)
		copyPanel(n, hi-lo, t[lo:], width, s.y, spreadWidth)
	})
	return t, err
}

// copyPanel copies the leading columns of n rows from one stride to another.
func copyPanel(n, columns int, dst []float64, to int, src []float64, from int) {
	for i := range n {
		copy(dst[i*to:i*to+columns], src[i*from:i*from+columns])
	}
}

const (
	// upperPanel is the number of columns of a symmetric product computed at a time.
	upperPanel = 96
	// Up to slabColumns columns, more rows than slabRows are summed slab by slab.
	slabColumns, slabRows, slabRound = 256, 4096, 16
)

// quadraticBytes is the most memory that [quadratic] takes beside z and Φ.
func quadraticBytes(n, width, threads int) int64 {
	bytes := numbersOf(n, width) + numbersOf(width, width)
	if width <= spreadWidth {
		return bytes + 2*numbersOf(n, spreadWidth)
	}
	if width <= slabColumns && n > slabRows {
		bytes += slabRound * numbersOf(width, width)
	}
	return bytes + int64(blas.Threads(threads))*2*numbersOf(n, spreadWidth)
}

// quadratic is zᵀΦz, both triangles. The bits do not depend on threads: panels of
// columns are computed apart, and sums over slabs of rows are added in order.
func quadratic(job *run.Run, phi *sparse.CSR, z []float64, width int) ([]float64, error) {
	t, err := applied(job, phi, z, width)
	if err != nil {
		return nil, err
	}
	n, q := phi.Rows, make([]float64, width*width)
	panel := func(rows, first, lo, hi int, c []float64) {
		job.Kernels().Gemm(true, false, hi, hi-lo, rows, 1, z[first*width:], width, t[first*width+lo:], width, 0, c[lo:], width)
	}
	if width > slabColumns || n <= slabRows {
		err = blas.For(job.Context(), job.Threads(), width, upperPanel, func(_, lo, hi int) { panel(n, 0, lo, hi, q) })
		vector.Mirror(q, width)
		return q, err
	}
	partial := make([]float64, slabRound*width*width)
	for from := 0; from < n; from += slabRound * slabRows {
		count := min(slabRound, (n-from+slabRows-1)/slabRows)
		err := blas.For(job.Context(), job.Threads(), count, 1, func(_, s, _ int) {
			first := from + s*slabRows
			for lo := 0; lo < width; lo += upperPanel {
				panel(min(slabRows, n-first), first, lo, min(lo+upperPanel, width), partial[s*width*width:(s+1)*width*width])
			}
		})
		if err != nil {
			return nil, err
		}
		for s := range count {
			blas.Axpy(1, partial[s*width*width:(s+1)*width*width], q)
		}
	}
	vector.Mirror(q, width)
	return q, nil
}
