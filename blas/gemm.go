package blas

import "sync"

// Block sizes of the products. sumBlock decides bits, because sums are formed
// over this many terms at a time and then added up in order; it is therefore one
// constant, for all machines. The other two decide speed only.
const (
	sumBlock = 256  // terms: a panel of B stays in the first-level cache
	rowBlock = 144  // rows of A, less what does not fill a tile: 288 KiB, for the second-level cache
	colBlock = 3072 // columns of B
	// flatRows is the number of rows of C up to which tiles read B in place or, where that is slow, in blocks of
	// flatCols columns, which stay in the second-level cache until the last row has used them.
	flatRows, flatCols = 48, 256
	// aliased is a distance of rows, in numbers, whose multiples fall on one line of the first-level cache.
	aliased = 512
	// directB is the extent of B, in numbers, up to which tiles read it in place.
	directB = 1 << 14
)

// strided is a matrix with entry (i, j) at at[i·rs + j·cs].
type strided[T float] struct {
	at     []T
	rs, cs int
}

func (s strided[T]) from(i, j int) strided[T] {
	s.at = s.at[i*s.rs+j*s.cs:]
	return s
}

// oriented is op(A) for a row-major A.
func oriented[T float](transposed bool, a []T, lda int) strided[T] {
	if transposed {
		return strided[T]{a, 1, lda}
	}
	return strided[T]{a, lda, 1}
}

// part is a part of a matrix.
type part int8

const (
	wholeMatrix part = iota
	upperPart        // the upper triangle
	lowerPart        // the lower triangle
)

// product is C = alpha·A·B + beta·C with C m×n and k terms a sum, k ≥ 1.
type product[T float] struct {
	*family[T]
	m, n, k     int
	alpha, beta T
	a, b        strided[T]
	c           []T
	ldc         int
	part        part // what of C is computed and touched
	packA       bool
	packB       bool
	ahead       bool // tiles ask for what comes next of B
	cols        int  // columns of a block of B
}

// scratch is the memory of one product under way.
type scratch[T float] struct {
	a, b []T // packed
	c    []T // a partial result
	tile [maxRows * 48]T
}

var (
	scratch64 = sync.Pool{New: func() any { return new(scratch[float64]) }}
	scratch32 = sync.Pool{New: func() any { return new(scratch[float32]) }}
)

func grown[T float](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n+n/4)
	}
	return s[:n]
}

// run computes the product.
func (p *product[T]) run() { p.columns(0, p.n) }

// columns computes the columns of C from lo to hi in the loops of BLIS (Van Zee and van de Geijn
// 2015): blocks of columns, of terms, of rows, then panels and tiles. Each
// entry of C receives the sums of its blocks of terms in order, whatever the
// tiles are.
func (p *product[T]) columns(lo, hi int) {
	s := p.scratch.Get().(*scratch[T])
	defer p.scratch.Put(s)
	p.plan()
	across, down := (hi-lo+p.cols-1)/p.cols, (p.k+sumBlock-1)/sumBlock
	for block := range across * down {
		j, q := lo+block/down*p.cols, block%down*sumBlock
		if p.m <= flatRows { // in the order in which B lies in memory
			j, q = lo+block%across*p.cols, block/across*sumBlock
		}
		p.block(s, j, q, min(p.cols, hi-j), min(sumBlock, p.k-q))
	}
}

// block adds to cols columns of C from j on the sums over k terms from q on.
func (p *product[T]) block(s *scratch[T], j, q, cols, k int) {
	rowBlock := rowBlock / p.family.rows[p.base] * p.family.rows[p.base]
	rows, first, beta := p.rowsTo(j+cols), 0, p.beta
	if p.part == lowerPart {
		first = j / rowBlock * rowBlock
	}
	if q > 0 {
		beta = 1
	}
	b := p.b.from(q, j)
	var packed []T
	if p.packB {
		s.b = grown(s.b, p.packedSize(cols, k))
		packed = s.b
		p.packPanels(packed, b, k, cols)
	}
	for i := first; i < rows; i += rowBlock {
		height := min(rowBlock, rows-i)
		a, step := p.a.from(i, q), 0
		if p.packA {
			a, step = p.packRowsOf(s, a, height, k)
		}
		p.panels(s, a, step, b, packed, i, j, height, cols, k, beta)
	}
}

// rowsTo is the number of rows of C that have anything to compute in the columns before end.
func (p *product[T]) rowsTo(end int) int {
	if p.part == upperPart {
		return min(p.m, end)
	}
	return p.m
}

// plan decides which operands are worth copying, and in what blocks. It changes no bit.
func (p *product[T]) plan() {
	p.cols = colBlock
	large := min(p.k, sumBlock)*p.b.rs > directB
	p.packB = p.b.cs != 1 || large && p.m > flatRows
	tall, width := p.family.rows[p.base], p.base*p.lanes
	if !p.packB && large && p.m > 2*tall && p.n > flatCols && (p.k > sumBlock || p.b.rs%aliased == 0) {
		p.packB, p.cols = true, flatCols
	}
	p.ahead = p.looksAhead(large)
	if p.a.cs == 1 {
		p.packA = p.n > 256 && p.k > 64
	} else {
		p.packA = p.n > 64 || p.n > width && p.m > rowBlock
	}
}

// width is the number of vectors of the panel that begins with cols columns
// to go.
func (p *product[T]) width(cols int) int {
	if !p.packA && p.rows[3] > 0 && cols <= 3*p.lanes {
		return (cols + p.lanes - 1) / p.lanes
	}
	return min(p.base, (cols+p.lanes-1)/p.lanes)
}

// panels computes height × cols entries of C from row i and column j on. A is
// the block of rows; step is the distance between its tiles; 0 means the distance given by their
// rows. B is packed, or b if it is not packed.
func (p *product[T]) panels(s *scratch[T], a strided[T], step int, b strided[T], packed []T, i, j, height, cols, k int, beta T) {
	offset := 0
	for at := 0; at < cols; {
		vectors := p.width(cols - at)
		width := min(vectors*p.lanes, cols-at)
		panel, ldb := b.at[at*b.cs:], b.rs
		if p.packB {
			panel, ldb = packed[offset:], vectors*p.lanes
			offset += (k + 1) * ldb
		}
		next := p.next(b, packed[offset:], at+width, cols, k, height)
		switch first := j + at; {
		case p.part == wholeMatrix:
			p.column(vectors, width, height, a, step, panel, ldb, p.c[i*p.ldc+first:], p.ldc, k, beta, &next)
		case p.part == upperPart && i < first+width:
			p.columnOfTriangle(s, vectors, width, i, min(height, first+width-i), first, a, step, panel, ldb, k, beta, &next)
		case p.part == lowerPart && i+height > first:
			p.columnOfTriangle(s, vectors, width, i, height, first, a, step, panel, ldb, k, beta, &next)
		}
		at += width
	}
}

// column computes one panel of C, tile under tile.
func (p *product[T]) column(vectors, width, height int, a strided[T], step int, b []T, ldb int, c []T, ldc, k int, beta T, next *lookahead[T]) {
	tail := width - (vectors-1)*p.lanes
	masked := 0
	if tail < p.lanes {
		masked = 1
	}
	tall := p.family.rows[vectors]
	if step > 0 {
		tall = a.cs
	}
	tiles := &p.tiles[vectors]
	for at, i := 0, 0; i < height; {
		next.ask()
		rows := min(tall, height-i)
		if left := height - i; step == 0 && left > tall && left < 2*tall {
			rows = (left + 1) / 2 // two middling tiles beat a tall and a flat one
		}
		tiles[rows][masked](k, &a.at[at], a.rs, a.cs, &b[0], ldb, &c[i*ldc], ldc, tail, p.alpha, beta)
		i += rows
		if step > 0 {
			at += step
		} else {
			at += rows * a.rs
		}
	}
}

// columnOfTriangle is column for rows from i and columns from j on of which only a
// triangle counts: tiles that reach across the diagonal are computed in a copy of what they hold of it.
func (p *product[T]) columnOfTriangle(s *scratch[T], vectors, width, i, height, j int, a strided[T], step int, b []T, ldb, k int, beta T, ahead *lookahead[T]) {
	tall := p.family.rows[vectors]
	next := step
	if next == 0 {
		next = tall * a.rs
	}
	// The tiles across the diagonal are those of the rows from across to beyond: the rows before are
	// above it and the rows after are below it.
	across := max(0, min((j+1-i)/tall*tall, height))
	beyond := max(0, min((j+width-1-i+tall-1)/tall*tall, height))
	from, to := 0, across
	if p.part == lowerPart {
		across = max(0, min((j-i)/tall*tall, height))
		from, to = beyond, height
	} else {
		beyond = height
	}
	if from < to {
		p.column(vectors, width, to-from, strided[T]{a.at[from/tall*next:], a.rs, a.cs}, step, b, ldb, p.c[(i+from)*p.ldc+j:], p.ldc, k, beta, ahead)
	}
	for r := across; r < beyond; r += tall {
		rows := min(tall, height-r)
		ld := vectors * p.lanes
		tile := s.tile[:rows*ld]
		kept := func(x int) (from, to int) { // of row x of the tile
			diagonal := i + r + x - j
			if p.part == lowerPart {
				return 0, min(width, diagonal+1)
			}
			return max(0, diagonal), width
		}
		for x := range rows {
			for y, to := kept(x); y < to; y++ {
				tile[x*ld+y] = p.c[(i+r+x)*p.ldc+j+y]
			}
		}
		p.column(vectors, width, rows, strided[T]{a.at[r/tall*next:], a.rs, a.cs}, step, b, ldb, tile, ld, k, beta, ahead)
		for x := range rows {
			for y, to := kept(x); y < to; y++ {
				p.c[(i+r+x)*p.ldc+j+y] = tile[x*ld+y]
			}
		}
	}
}

// packedSize is the extent of cols columns and k rows of B, packed.
func (p *product[T]) packedSize(cols, k int) int { return (cols + p.lanes) * (k + 1) }

// packPanels copies k rows of cols columns of B into panels as wide as the
// tiles, the last filled up with zeros. Each takes the place of k + 1 rows: at
// distances of a power of two panels would be in each other's way in the caches.
func (p *product[T]) packPanels(dst []T, b strided[T], k, cols int) {
	at := 0
	if b.cs == 1 && p.family.packB != nil {
		width := p.base * p.lanes
		for at+width <= cols && p.width(cols-at) == p.base {
			at += width
		}
		packWhole(p.family.packB, at/width, width, k, b.at, b.rs, dst)
		dst = dst[at*(k+1):]
	}
	for at < cols {
		width := p.width(cols-at) * p.lanes
		count := min(width, cols-at)
		if b.rs == 1 && b.cs != 1 {
			p.pack(count, k, b.at[at*b.cs:], b.cs, dst, width)
		} else {
			copyRows(count, k, b.at[at:], b.rs, dst, width)
		}
		if count < width {
			for q := range k {
				clear(dst[q*width+count : (q+1)*width])
			}
		}
		dst = dst[(k+1)*width:]
		at += count
	}
}

// packRowsOf copies height rows of k terms of A into panels as high as the
// tiles, and returns them with the distance between panels. Tiles of even height beat tall
// ones and a flat one; those of a triangle are tall.
func (p *product[T]) packRowsOf(s *scratch[T], a strided[T], height, k int) (strided[T], int) {
	tall := p.family.rows[p.base]
	whole := tall
	if tiles := (height + tall - 1) / tall; p.part == wholeMatrix {
		tall = (height + tiles - 1) / tiles
	}
	s.a = grown(s.a, (height+tall-1)/tall*tall*(k+1))
	dst, i := s.a, 0
	if a.cs != 1 && p.family.packA != nil && tall == whole {
		i = height / tall * tall
		packWhole(p.family.packA, i/tall, tall, k, a.at, a.cs, dst)
		dst = dst[i*(k+1):]
	}
	for ; i < height; i += tall {
		rows := min(tall, height-i)
		if a.cs == 1 {
			p.pack(rows, k, a.at[i*a.rs:], a.rs, dst, tall)
		} else {
			copyRows(rows, k, a.at[i:], a.cs, dst, tall)
		}
		dst = dst[tall*(k+1):]
	}
	return strided[T]{s.a, 1, tall}, tall * (k + 1)
}

// strip is the number of rows that are packed at a time, each from its beginning to its end: as many as
// a processor foresees the next lines of.
const strip = 8

// packWhole copies k rows, ld apart, to panels of width columns, one after the other.
func packWhole[T float](pack panelFunc[T], panels, width, k int, src []T, ld int, dst []T) {
	if panels == 0 {
		return
	}
	for q := 0; q < k; q += strip {
		pack(panels, min(strip, k-q), &src[q*ld], ld, &dst[q*width], (k+1)*width)
	}
}

// copyRows copies k rows of width numbers, ld apart, to rows dstWidth apart.
func copyRows[T float](width, k int, src []T, ld int, dst []T, dstWidth int) {
	if width == 8 {
		for q := range k {
			*(*[8]T)(dst[q*dstWidth:]) = *(*[8]T)(src[q*ld:])
		}
		return
	}
	if width == 6 {
		for q := range k {
			*(*[6]T)(dst[q*dstWidth:]) = *(*[6]T)(src[q*ld:])
		}
		return
	}
	for q := range k {
		copy(dst[q*dstWidth:q*dstWidth+width], src[q*ld:q*ld+width])
	}
}

// packRows writes dst(p·width + i) = src(i·ld + p) for i < rows, p < k.
func packRows[T float](rows, k int, src []T, ld int, dst []T, width int) {
	for i := range rows {
		row := src[i*ld : i*ld+k]
		at := i
		for _, v := range row {
			dst[at] = v
			at += width
		}
	}
}

// packByFour is [packRows] by a kernel for four rows and four columns at a time. A remainder at the
// end is packed together with entries before it, which are written twice.
func packByFour[T float](four func(quads int, src *T, ld int, dst *T, width int)) func(rows, k int, src []T, ld int, dst []T, width int) {
	return func(rows, k int, src []T, ld int, dst []T, width int) {
		if rows < 4 || k < 4 {
			packRows(rows, k, src, ld, dst, width)
			return
		}
		for i := 0; i < rows; i += 4 {
			i := min(i, rows-4)
			four(k/4, &src[i*ld], ld, &dst[i], width)
			if k%4 > 0 {
				four(1, &src[i*ld+k-4], ld, &dst[(k-4)*width+i], width)
			}
		}
	}
}

// gemmNT computes C = alpha·A·Bᵀ + beta·C in two rows by four columns of
// accumulators, for products too small to pay for packing.
func gemmNT(m, n, k int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	store := func(i, j int, v float64) {
		if beta == 0 {
			c[i*ldc+j] = alpha * v
		} else {
			c[i*ldc+j] = float64(alpha*v) + float64(beta*c[i*ldc+j])
		}
	}
	i := 0
	for ; i+2 <= m; i += 2 {
		a0, a1 := a[i*lda:i*lda+k], a[(i+1)*lda:(i+1)*lda+k]
		j := 0
		for ; j+4 <= n; j += 4 {
			b0, b1 := b[j*ldb:j*ldb+k], b[(j+1)*ldb:(j+1)*ldb+k]
			b2, b3 := b[(j+2)*ldb:(j+2)*ldb+k], b[(j+3)*ldb:(j+3)*ldb+k]
			var c00, c01, c02, c03, c10, c11, c12, c13 float64
			for p, x := range a0 {
				y := a1[p]
				c00 += x * b0[p]
				c01 += x * b1[p]
				c02 += x * b2[p]
				c03 += x * b3[p]
				c10 += y * b0[p]
				c11 += y * b1[p]
				c12 += y * b2[p]
				c13 += y * b3[p]
			}
			store(i, j, c00)
			store(i, j+1, c01)
			store(i, j+2, c02)
			store(i, j+3, c03)
			store(i+1, j, c10)
			store(i+1, j+1, c11)
			store(i+1, j+2, c12)
			store(i+1, j+3, c13)
		}
		for ; j < n; j++ {
			bj := b[j*ldb : j*ldb+k]
			var c0, c1 float64
			for p, x := range bj {
				c0 += a0[p] * x
				c1 += a1[p] * x
			}
			store(i, j, c0)
			store(i+1, j, c1)
		}
	}
	if i < m {
		ai := a[i*lda : i*lda+k]
		for j := range n {
			bj := b[j*ldb : j*ldb+k]
			var s float64
			for p, x := range ai {
				s += x * bj[p]
			}
			store(i, j, s)
		}
	}
}

// MulTransposed32 computes C = A·Bᵀ in single precision: A is m×k, B is n×k and
// C is m×n, row-major with rows lda, ldb and ldc apart. It serves products that
// only preselect, at up to twice the speed of Gemm: |c − exact| ≤ (k+2)·2⁻²⁴·Σ|a||b|
// for k ≤ 256, and less than (256 + ⌈k/256⌉ + 2)·2⁻²⁴·Σ|a||b| beyond.
// Unlike Gemm's, its bits depend on the instruction level (Go has no fused
// multiply-add in single precision), though not on the number of threads.
func MulTransposed32(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int) {
	if m == 0 || n == 0 {
		return
	}
	checkMatrix(m, n, c, ldc)
	if k == 0 {
		for i := range m {
			clear(c[i*ldc : i*ldc+n])
		}
		return
	}
	checkMatrix(m, k, a, lda)
	checkMatrix(n, k, b, ldb)
	p := product[float32]{family: kernel.family32, m: m, n: n, k: k, alpha: 1,
		a: oriented(false, a, lda), b: oriented(true, b, ldb), c: c, ldc: ldc}
	p.run()
}
