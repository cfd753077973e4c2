package blas

import "sync"

// Block sizes of the products. sumBlock decides bits, because sums are formed
// over so many terms at a time and then added up in order; it is therefore one
// constant, for all machines. The other two decide speed only.
const (
	sumBlock = 256  // terms: a panel of B stays in the first-level cache
	rowBlock = 144  // rows of A, less what does not fill a tile: 288 KiB, for the second-level cache
	colBlock = 3072 // columns of B
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

// product is C = alpha·A·B + beta·C with C m×n and k terms a sum, k ≥ 1.
type product[T float] struct {
	*family[T]
	m, n, k     int
	alpha, beta T
	a, b        strided[T]
	c           []T
	ldc         int
	upper       bool // compute and touch the upper triangle of C only
	packA       bool
	packB       bool
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

// run computes the product in the loops of BLIS (Van Zee and van de Geijn
// 2015): blocks of columns, of terms, of rows, then panels and tiles. Each
// entry of C receives the sums of its blocks of terms in order, whatever the
// tiles are.
func (p *product[T]) run() {
	s := p.scratch.Get().(*scratch[T])
	defer p.scratch.Put(s)
	p.plan()
	rowBlock := rowBlock / p.family.rows[p.base] * p.family.rows[p.base]
	for j := 0; j < p.n; j += colBlock {
		cols := min(colBlock, p.n-j)
		rows := p.m
		if p.upper {
			rows = min(rows, j+cols)
		}
		for q := 0; q < p.k; q += sumBlock {
			k, beta := min(sumBlock, p.k-q), p.beta
			if q > 0 {
				beta = 1
			}
			b := p.b.from(q, j)
			if p.packB {
				p.packPanels(s, b, k, cols)
			}
			for i := 0; i < rows; i += rowBlock {
				height := min(rowBlock, rows-i)
				a, step := p.a.from(i, q), 0
				if p.packA {
					a, step = p.packRowsOf(s, a, height, k)
				}
				p.panels(s, a, step, b, i, j, height, cols, k, beta)
			}
		}
	}
}

// plan decides what is worth copying. It changes no bit.
func (p *product[T]) plan() {
	p.packB = p.b.cs != 1 || p.m > 48 && min(p.k, sumBlock)*p.b.rs > directB
	if p.a.cs == 1 {
		p.packA = p.n > 256 && p.k > 64
	} else {
		p.packA = p.n > 64
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
// the block of rows; step is the distance of its tiles, 0 for that of their
// rows.
func (p *product[T]) panels(s *scratch[T], a strided[T], step int, b strided[T], i, j, height, cols, k int, beta T) {
	offset := 0
	for at := 0; at < cols; {
		vectors := p.width(cols - at)
		width := min(vectors*p.lanes, cols-at)
		panel, ldb := b.at[at*b.cs:], b.rs
		if p.packB {
			panel, ldb = s.b[offset:], vectors*p.lanes
			offset += k * ldb
		}
		if !p.upper {
			p.column(vectors, width, height, a, step, panel, ldb, p.c[i*p.ldc+j+at:], p.ldc, k, beta)
		} else if first := j + at; i < first+width {
			p.columnUpper(s, vectors, width, i, min(height, first+width-i), first, a, step, panel, ldb, k, beta)
		}
		at += width
	}
}

// column computes one panel of C, tile under tile.
func (p *product[T]) column(vectors, width, height int, a strided[T], step int, b []T, ldb int, c []T, ldc, k int, beta T) {
	tail := width - (vectors-1)*p.lanes
	masked := 0
	if tail < p.lanes {
		masked = 1
	}
	tall := p.family.rows[vectors]
	tiles := &p.tiles[vectors]
	for at, i := 0, 0; i < height; {
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

// columnUpper is column for rows from i and columns from j on of which only
// the upper triangle counts: tiles that reach below the diagonal are computed
// beside C.
func (p *product[T]) columnUpper(s *scratch[T], vectors, width, i, height, j int, a strided[T], step int, b []T, ldb, k int, beta T) {
	tall := p.family.rows[vectors]
	next := step
	if next == 0 {
		next = tall * a.rs
	}
	// Whole tiles on or above the diagonal: rows up to j.
	clear := max(0, min((j+1-i)/tall*tall, height))
	if clear > 0 {
		p.column(vectors, width, clear, a, step, b, ldb, p.c[i*p.ldc+j:], p.ldc, k, beta)
	}
	for r := clear; r < height; r += tall {
		rows := min(tall, height-r)
		ld := vectors * p.lanes
		tile := s.tile[:rows*ld]
		for x := range rows {
			for y := max(0, i+r+x-j); y < width; y++ {
				tile[x*ld+y] = p.c[(i+r+x)*p.ldc+j+y]
			}
		}
		p.column(vectors, width, rows, strided[T]{a.at[r/tall*next:], a.rs, a.cs}, step, b, ldb, tile, ld, k, beta)
		for x := range rows {
			for y := max(0, i+r+x-j); y < width; y++ {
				p.c[(i+r+x)*p.ldc+j+y] = tile[x*ld+y]
			}
		}
	}
}
