package blas

// packPanels copies k rows of cols columns of B into panels as wide as the
// tiles, one after the other, the last filled up with zeros.
func (p *product[T]) packPanels(s *scratch[T], b strided[T], k, cols int) {
	total := 0
	for at := 0; at < cols; {
		v := p.width(cols - at)
		total += v * p.lanes * k
		at += v * p.lanes
	}
	s.b = grown(s.b, total)
	dst := s.b
	for at := 0; at < cols; {
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
		dst = dst[k*width:]
		at += count
	}
}

// packRowsOf copies height rows of k terms of A into panels as high as the
// tiles, and returns them with the distance between panels.
func (p *product[T]) packRowsOf(s *scratch[T], a strided[T], height, k int) (strided[T], int) {
	tall := p.family.rows[p.base]
	s.a = grown(s.a, (height+tall-1)/tall*tall*k)
	dst := s.a
	for i := 0; i < height; i += tall {
		rows := min(tall, height-i)
		if a.cs == 1 {
			p.pack(rows, k, a.at[i*a.rs:], a.rs, dst, tall)
		} else {
			copyRows(rows, k, a.at[i:], a.cs, dst, tall)
		}
		dst = dst[tall*k:]
	}
	return strided[T]{s.a, 1, tall}, tall * k
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
