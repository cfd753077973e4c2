package blas

import "unsafe"

// StackLanes is the number of factorisations whose rows [Entries.AddQuotients] takes side
// by side.
const StackLanes = 4

// StackWidth is the most columns of a panel that [Entries.Products] takes, a multiple
// of 8.
const StackWidth = 32

// Entries are the rows of a sparse matrix for many products. Their indices were checked once.
type Entries struct {
	ptr   []int
	wide  []int32  // the columns, or
	near  []uint16 // these
	val   []float64
	short []float32 // in place of val
	cols  int
}

// WideEntries are rows in the storage of compressed sparse rows. Row pointers outside
// the entries, and columns from cols on, panic.
func WideEntries(ptr []int, col []int32, val []float64, cols int) Entries {
	checkCSR(0, len(ptr)-1, ptr, col, val, cols)
	return Entries{ptr: ptr, wide: col, val: val, cols: cols}
}

// NearEntries are rows of a matrix of at most 2¹⁶ columns, in 10 bytes an entry, or in 6
// where short is given in place of val. It panics as [WideEntries] does.
func NearEntries(ptr []int, col []uint16, val []float64, short []float32, cols int) Entries {
	before := ptr[0]
	for _, p := range ptr {
		if p < before {
			panic("blas: row pointers descend")
		}
		before = p
	}
	if ptr[0] < 0 || before > len(col) || before > max(len(val), len(short)) {
		panic("blas: row pointers outside the columns or values")
	}
	for _, j := range col[ptr[0]:before] {
		if int(j) >= cols {
			panic("blas: column outside the vector")
		}
	}
	return Entries{ptr: ptr, near: col, val: val, short: short, cols: cols}
}

// entry is the column and the value of entry p.
func (e *Entries) entry(p int) (int, float64) {
	var v float64
	if e.short != nil {
		v = float64(e.short[p])
	} else {
		v = e.val[p]
	}
	if e.near != nil {
		return int(e.near[p]), v
	}
	return int(e.wide[p]), v
}

// pointers are where the columns and values lie.
func (e *Entries) pointers() (col, val unsafe.Pointer) {
	col = unsafe.Pointer(unsafe.SliceData(e.wide))
	if e.near != nil {
		col = unsafe.Pointer(unsafe.SliceData(e.near))
	}
	if e.short != nil {
		return col, unsafe.Pointer(unsafe.SliceData(e.short))
	}
	return col, unsafe.Pointer(unsafe.SliceData(e.val))
}

// kind is the place of the storage among the kernels.
func (e *Entries) kind() int {
	switch {
	case e.near == nil:
		return 0
	case e.short == nil:
		return 1
	}
	return 2
}

// Products writes the product of rows lo to hi with the first columns of X, at most
// [StackWidth] and a multiple of 8, to the columns of Y, or with add adds it to them. Rows of X
// and Y are ldx and ldy numbers apart; row lo of the product is row 0 of Y. Every number
// is one chain of fused multiply-adds in the order of the entries, as [Axpy] of row after
// row of X forms it.
func (e *Entries) Products(lo, hi, columns int, x []float64, ldx int, y []float64, ldy int, add bool) {
	if hi <= lo {
		return
	}
	if columns < 8 || columns > StackWidth || columns%8 != 0 {
		panic("blas: a panel of other than 8, 16, 24 or 32 columns")
	}
	_ = x[:(e.cols-1)*ldx+columns]
	_ = y[:(hi-lo-1)*ldy+columns]
	if product := kernel.products[e.kind()][columns/8-1]; product != nil {
		flag := 0
		if add {
			flag = 1
		}
		col, val := e.pointers()
		product(hi-lo, noescape(&e.ptr[lo : hi+1][0]), col, val, noescape(&x[0]), 8*ldx, noescape(&y[0]), 8*ldy, flag)
		return
	}
	for i := lo; i < hi; i++ {
		to := y[(i-lo)*ldy : (i-lo)*ldy+columns]
		if !add {
			clear(to)
		}
		for p := e.ptr[i]; p < e.ptr[i+1]; p++ {
			j, v := e.entry(p)
			Axpy(v, x[j*ldx:j*ldx+columns], to)
		}
	}
}

// AddPart adds to the first columns of y, as many as [Entries.Products] takes, the products of entries
// from to to with their rows of X: a part of a row of the product, when X is taken strip by strip.
func (e *Entries) AddPart(from, to, columns int, x []float64, ldx int, y []float64) {
	if from >= to {
		return
	}
	if columns < 8 || columns > StackWidth || columns%8 != 0 {
		panic("blas: a panel of other than 8, 16, 24 or 32 columns")
	}
	if from < e.ptr[0] || to > e.ptr[len(e.ptr)-1] {
		panic("blas: a part outside the entries")
	}
	_ = x[:(e.cols-1)*ldx+columns]
	y = y[:columns]
	if product := kernel.products[e.kind()][columns/8-1]; product != nil {
		ends := [2]int{from, to}
		col, val := e.pointers()
		product(1, noescape(&ends[0]), col, val, noescape(&x[0]), 8*ldx, noescape(&y[0]), 0, 1)
		return
	}
	for p := from; p < to; p++ {
		j, v := e.entry(p)
		Axpy(v, x[j*ldx:j*ldx+columns], y)
	}
}

// quotientFloor is below no denominator of [Entries.AddQuotients].
const quotientFloor = 1e-16

// AddQuotients adds to row i of Y, for rows lo to hi, the sum over the entries (i, j) of
//
//	x / max(Σₖ aᵢₖ·bⱼₖ, 1e-16) · bⱼ,
//
// for [StackLanes] factorisations at once: rows of A, B and Y have rank·StackLanes
// numbers, the numbers of factor k side by side. Row lo is row 0 of A and of Y.
func (e *Entries) AddQuotients(lo, hi, rank int, a, b, y []float64) {
	ld := rank * StackLanes
	if hi <= lo || rank < 1 {
		return
	}
	_, _, _ = a[:(hi-lo)*ld], b[:e.cols*ld], y[:(hi-lo)*ld]
	if quotients := kernel.entryQuotients[e.kind()]; quotients != nil {
		col, val := e.pointers()
		quotients(hi-lo, noescape(&e.ptr[lo : hi+1][0]), col, val, noescape(&a[0]), noescape(&b[0]), noescape(&y[0]), 8*ld)
		return
	}
	for i := lo; i < hi; i++ {
		at := (i - lo) * ld
		for p := e.ptr[i]; p < e.ptr[i+1]; p++ {
			j, v := e.entry(p)
			addQuotient(v, a[at:at+ld], b[j*ld:j*ld+ld], y[at:at+ld])
		}
	}
}

// addQuotient adds the contribution of one entry.
func addQuotient(x float64, a, b, y []float64) {
	var model [StackLanes]float64
	for k := 0; k < len(a); k += StackLanes {
		for l := range model {
			model[l] = fma(a[k+l], b[k+l], model[l])
		}
	}
	for l, v := range model {
		model[l] = x / max(v, quotientFloor)
	}
	for k := 0; k < len(a); k += StackLanes {
		for l, v := range model {
			y[k+l] = fma(v, b[k+l], y[k+l])
		}
	}
}
