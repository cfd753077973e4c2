package blas

import "unsafe"

const (
	// leastAhead is the number of terms from which tiles ask for lines of the next panel of B.
	leastAhead = 64
	// farB is the extent of a packed block of B, in numbers, from which it leaves the second-level cache before it is read again.
	farB = 1 << 17
)

// lookahead is what is yet to be asked for of the panel of B that comes next: lines of the cache, in rows as far apart
// as in B or one after the other where it is packed. Each tile asks for a share, so that the first
// tile of a panel does not wait for memory at every term. It changes no bit.
type lookahead[T float] struct {
	from         []T
	step         int // numbers from one line to the next
	lines, share int
}

// looksAhead reports whether panels of B come from beyond the second-level cache and serve several tiles each. B is
// large where its rows lie far apart.
func (p *product[T]) looksAhead(large bool) bool {
	if kernel.prefetch == nil || p.k < leastAhead {
		return false
	}
	if p.packB {
		return p.m > rowBlock && min(p.n, p.cols)*min(p.k, sumBlock) > farB
	}
	return large && p.m > 2*p.family.rows[p.base]
}

// next is the panel of the columns of b from at on, of which packed holds k terms.
func (p *product[T]) next(b strided[T], packed []T, at, cols, k, height int) lookahead[T] {
	if !p.ahead || at >= cols {
		return lookahead[T]{}
	}
	vectors := p.width(cols - at)
	tiles := (height + p.family.rows[vectors] - 1) / p.family.rows[vectors]
	l := lookahead[T]{from: packed, step: cacheLine / int(unsafe.Sizeof(T(0)))}
	l.lines = vectors * p.lanes * k / l.step
	if !p.packB { // a row's first line is often the last one of the panel before
		l = lookahead[T]{from: b.at[min(at+vectors*p.lanes, cols)-1:], step: b.rs, lines: k}
	}
	l.share = (l.lines + tiles - 1) / tiles
	return l
}

// ask asks for a share.
func (l *lookahead[T]) ask() {
	lines := min(l.share, l.lines)
	if lines == 0 {
		return
	}
	kernel.prefetch(noescape((*byte)(unsafe.Pointer(&l.from[0]))), lines, l.step*int(unsafe.Sizeof(T(0))))
	if l.lines -= lines; l.lines > 0 {
		l.from = l.from[lines*l.step:]
	}
}
