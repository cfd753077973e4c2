package eigen

import (
	"context"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// UpperPanel is the number of rows of an [Upper] that begin at the same column.
const UpperPanel = 32

// Upper is a full symmetric matrix of which little more than the upper triangle
// is stored, 4n² + 128n bytes: panels of UpperPanel rows, each from the first
// column of its diagonal block on. The matrix of [NewFixedUpper] takes 5 bytes per entry
// instead of 8.
type Upper struct {
	n      int
	panels [][]float64    // nil: fixed
	fixed  *blas.Fixed40s // panel after panel
	step   float64

	sums, parts [][]float64 // of a product, kept for the next
}

// NewUpper returns a zero matrix of order n.
func NewUpper(n int) *Upper {
	u := &Upper{n: n}
	for lo := 0; lo < n; lo += UpperPanel {
		u.panels = append(u.panels, make([]float64, min(UpperPanel, n-lo)*(n-lo)))
	}
	return u
}

// NewFixedUpper returns a zero matrix of order n whose entries, in [0, most], are rounded to
// multiples of 2⁻³⁹·most.
func NewFixedUpper(n int, most float64) *Upper {
	fixed := blas.NewFixed40s(int(upperEntries(int64(n))))
	return &Upper{n: n, fixed: &fixed, step: most / (blas.MaxFixed40 - 1)}
}

// UpperBytes is the memory of an [Upper] of order n, and FixedUpperBytes the memory of a fixed one.
func UpperBytes(n int64) int64      { return 8 * upperEntries(n) }
func FixedUpperBytes(n int64) int64 { return 5 * upperEntries(n) }

// upperEntries is the number that is stored, or a few more.
func upperEntries(n int64) int64 { return n * (n + UpperPanel) / 2 }

// Bytes is its memory.
func (u *Upper) Bytes() int64 {
	if u.fixed != nil {
		return FixedUpperBytes(int64(u.n))
	}
	return UpperBytes(int64(u.n))
}

// Order returns n.
func (u *Upper) Order() int { return u.n }

// Rounding bounds what the entries were rounded by, as a spectral norm.
func (u *Upper) Rounding() float64 { return float64(u.n) * u.step / 2 }

// First returns the first column that is stored of row i.
func (u *Upper) First(i int) int { return i - i%UpperPanel }

// place is the panel of an entry of row i and its place there, or among all where entries
// are fixed.
func (u *Upper) place(i, j int) (panel, at int) {
	lo := u.First(i)
	panel, at = i/UpperPanel, (i-lo)*(u.n-lo)+j-lo
	if u.fixed != nil {
		at += lo*u.n - lo*(lo-UpperPanel)/2
	}
	return panel, at
}

// Set writes entries of row i from column j ≥ First(i) on.
func (u *Upper) Set(i, j int, values []float64) {
	panel, at := u.place(i, j)
	if u.fixed != nil {
		u.fixed.Set(at, 1/u.step, values)
		return
	}
	copy(u.panels[panel][at:at+len(values)], values)
}

// Entries reads entries of row i from column j ≥ First(i) on.
func (u *Upper) Entries(i, j int, values []float64) {
	panel, at := u.place(i, j)
	if u.fixed == nil {
		copy(values, u.panels[panel][at:at+len(values)])
		return
	}
	u.fixed.Read(at, values)
	blas.Scale(u.step, values)
}

// At is an entry.
func (u *Upper) At(i, j int) float64 {
	if j < u.First(i) {
		i, j = j, i
	}
	var v [1]float64
	u.Entries(i, j, v[:])
	return v[0]
}

// Mirror copies the entries above the diagonal within the diagonal blocks to
// below it. Call it after the rows have been written and before Mul.
func (u *Upper) Mirror() {
	for i := range u.n {
		for j := u.First(i); j < i; j++ {
			u.Set(i, j, []float64{u.At(j, i)})
		}
	}
}

const (
	// upperGroups is the number of partial sums of a product. It decides bits and is
	// therefore one constant.
	upperGroups = 16
	// upperColumns is the number of columns of a fixed panel that are read at a time: 256
	// KiB, which stay in the second-level cache.
	upperColumns = 1024
)

// Mul computes Y = U·X for n × width blocks, row-major, on up to threads workers
// (0: all cores), whose number changes no bit. Every panel is read once for both
// triangles: 2n²·width operations, 16n·width numbers of scratch, which are kept, so that
// one product is under way at a time.
func (u *Upper) Mul(kernels *blas.Kernels, threads, width int, x, y []float64) {
	n := u.n
	panels := (n + UpperPanel - 1) / UpperPanel
	if u.sums == nil {
		u.sums = make([][]float64, min(upperGroups, panels))
	}
	if missing := blas.Threads(threads) - len(u.parts); missing > 0 {
		u.parts = append(u.parts, make([][]float64, missing)...)
	}
	sums := u.sums
	// The context is never cancelled, so neither are the loops.
	_ = blas.For(context.Background(), threads, len(sums), 1, func(w, g, _ int) {
		z := slices.Grow(sums[g][:0], n*width)[:n*width]
		clear(z)
		for p := g; p < panels; p += len(sums) {
			lo := p * UpperPanel
			hi := min(lo+UpperPanel, n)
			if u.fixed == nil {
				u.mulPart(kernels, width, lo, hi, lo, n, u.panels[p], x, z)
				continue
			}
			for from := lo; from < n; from += upperColumns {
				to := min(from+upperColumns, n)
				u.mulPart(kernels, width, lo, hi, from, to, u.part(w, lo, hi, from, to), x, z)
			}
		}
		sums[g] = z
	})
	_ = blas.For(context.Background(), threads, n*width, 1<<14, func(_, lo, hi int) {
		out := y[lo:hi]
		clear(out)
		for _, z := range sums {
			blas.Axpy(1, z[lo:hi], out)
		}
	})
}

// part reads the rows lo ≤ i < hi of a fixed panel and columns from ≤ j < to, in steps.
func (u *Upper) part(worker, lo, hi, from, to int) []float64 {
	if u.parts[worker] == nil {
		u.parts[worker] = make([]float64, UpperPanel*upperColumns)
	}
	part := u.parts[worker]
	for r := range hi - lo {
		_, at := u.place(lo+r, from)
		u.fixed.Read(at, part[r*(to-from):(r+1)*(to-from)])
	}
	return part
}

// mulPart adds to z the product of rows lo ≤ i < hi and columns from ≤ j < to of the matrix
// and, of columns beyond the diagonal block, the product of their transpose.
func (u *Upper) mulPart(kernels *blas.Kernels, width, lo, hi, from, to int, part, x, z []float64) {
	ld, unit := to-from, 1.0
	if u.fixed != nil {
		unit = u.step
	}
	kernels.Gemm(false, false, hi-lo, width, ld, unit, part, ld, x[from*width:to*width], width, 1, z[lo*width:], width)
	if beyond := max(hi, from); beyond < to {
		kernels.Gemm(true, false, to-beyond, width, hi-lo, unit, part[beyond-from:], ld, x[lo*width:hi*width], width, 1, z[beyond*width:], width)
	}
}
