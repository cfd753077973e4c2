package blas

import "github.com/orthant-go/orthant/blas/pages"

// Codes are n samples of m signed bytes, kept as their products read them. Products of
// bytes are exact, and where the processor has instructions for them (VNNI) four times
// as fast as in single precision.
type Codes struct {
	n, m, quads int
	bytes       []int8     // in groups: four bytes of each of 16 samples, then the next four
	words       []int16    // the same widened, where the kernels read them so
	begin       []int32    // −128·(the sum of each sample's bytes), for products of unsigned bytes
	kernel      *kernelSet // the set for whose layout they were made
}

const (
	// CodeGroup is the number of samples that are kept together.
	CodeGroup = 16
	// MaxCodeColumns is the largest m: within it no product comes near 2³¹.
	MaxCodeColumns = 1 << 14
	// MostCodeColumns is [MaxCodeColumns].
	//
	// Deprecated: use [MaxCodeColumns].
	MostCodeColumns = MaxCodeColumns

	codeQuad  = 4 // bytes of a sample next to each other
	codeTall  = 8 // samples of a tile in 512 bits
	codeShort = 2 // samples of a tile in 256 bits
)

// NewCodes makes room for n samples of m ≤ [MaxCodeColumns] bytes: zeros.
func NewCodes(n, m int) *Codes {
	if n < 0 || m < 0 || m > MaxCodeColumns {
		panic("blas: NewCodes wants at most 16384 columns")
	}
	c := &Codes{n: n, m: m, quads: (m + codeQuad - 1) / codeQuad, kernel: kernel}
	groups := (n + CodeGroup - 1) / CodeGroup
	c.begin = make([]int32, groups*CodeGroup)
	if kernel.codes16 != nil {
		c.words = make([]int16, groups*c.group())
	} else {
		c.bytes = make([]int8, groups*c.group())
		pages.Advise(c.bytes)
	}
	return c
}

// group is the number of bytes of a group.
func (c *Codes) group() int { return c.quads * codeQuad * CodeGroup }

// CodesBytes is the memory of n samples of m codes.
func CodesBytes(n, m int) int64 {
	size := int64(1)
	if kernel.codes16 != nil {
		size = 2
	}
	rows := int64(n+CodeGroup-1) / CodeGroup * CodeGroup
	return rows * (size*int64((m+codeQuad-1)/codeQuad*codeQuad) + 4)
}

// Set gives sample i its m bytes. Different samples may be set at the same time.
func (c *Codes) Set(i int, row []int8) {
	row = row[:c.m]
	var sum int32
	at := c.at(i)
	for p := 0; p < c.m; p += codeQuad {
		var quad [codeQuad]int8
		copy(quad[:], row[p:])
		sum += int32(quad[0]) + int32(quad[1]) + int32(quad[2]) + int32(quad[3])
		if c.words != nil {
			*(*[codeQuad]int16)(c.words[at:]) = [codeQuad]int16{int16(quad[0]), int16(quad[1]), int16(quad[2]), int16(quad[3])}
		} else {
			*(*[codeQuad]int8)(c.bytes[at:]) = quad
		}
		at += codeQuad * CodeGroup
	}
	c.begin[i] = -128 * sum
}

// gatherAhead is the number of rows that are fetched while others are gathered.
const gatherAhead = 4

// Gather gives the samples from first on, a multiple of [CodeGroup], the rows of a matrix of m
// columns at the given places, whose sums are given too: what [Codes.Set] would do with each.
func (c *Codes) Gather(first int, rows []int8, sums, at []int32) {
	if c.words != nil || c.m%codeQuad != 0 {
		for p, i := range at {
			c.Set(first+p, rows[int(i)*c.m:(int(i)+1)*c.m])
		}
		return
	}
	for lo := 0; lo < len(at); lo += CodeGroup {
		group := at[lo:min(lo+CodeGroup, len(at))]
		into := c.bytes[c.at(first+lo):][:c.group()]
		for p, i := range group {
			if ahead := lo + p + gatherAhead; ahead < len(at) {
				next := int(at[ahead])
				Prefetch(rows[next*c.m : (next+1)*c.m])
			}
			row := rows[int(i)*c.m : (int(i)+1)*c.m]
			to := into[p*codeQuad:]
			for len(row) >= codeQuad && len(to) >= codeQuad {
				*(*[codeQuad]int8)(to) = [codeQuad]int8(row)
				row = row[codeQuad:]
				to = to[min(len(to), codeQuad*CodeGroup):]
			}
			c.begin[first+lo+p] = -128 * sums[i]
		}
	}
}

// Products writes the products of the samples from a on with those from b on, a row of
// out, ld apart, for each of the former. a, b and ld are multiples of [CodeGroup]; rows
// and cols are rounded up to such, and the products with samples that do not exist are
// zeros.
func (c *Codes) Products(a, rows, b, cols int, out []int32, ld int) {
	c.ProductsWith(a, rows, c, b, cols, out, ld)
}

// ProductsWith is [Codes.Products] with samples of y, which have as many bytes. Of up to eight rows only eight are
// written.
func (c *Codes) ProductsWith(a, rows int, y *Codes, b, cols int, out []int32, ld int) {
	rows, cols = (rows+codeTall-1)&^(codeTall-1), (cols+CodeGroup-1)&^(CodeGroup-1)
	if rows > codeTall {
		rows = (rows + CodeGroup - 1) &^ (CodeGroup - 1)
	}
	if a%CodeGroup|b%CodeGroup|ld%CodeGroup != 0 || a+rows > len(c.begin) || b+cols > len(y.begin) || ld < cols || c.m != y.m || c.kernel != y.kernel {
		panic("blas: products of codes want whole groups of samples of as many bytes")
	}
	if rows == 0 || cols == 0 {
		return
	}
	out = out[:(rows-1)*ld+cols]
	switch {
	case c.quads == 0:
		clear(out)
	case c.words != nil:
		c.products16(a, rows, y, b, cols, out, ld)
	case c.kernel.codes8[0] != nil:
		c.products8(a, rows, y, b, cols, out, ld)
	default:
		c.productsGeneric(a, rows, y, b, cols, out, ld)
	}
}

// products8 takes two groups at a time.
func (c *Codes) products8(a, rows int, y *Codes, b, cols int, out []int32, ld int) {
	for q := 0; q < cols; q += 2 * CodeGroup {
		from := &y.bytes[y.at(b+q)]
		product := c.kernel.codes8[1]
		if q+CodeGroup == cols {
			product = c.kernel.codes8[0]
		}
		for i := 0; i < rows; i += codeTall {
			at := a + i
			product(c.quads, &c.bytes[c.at(at)], from, c.group(), &c.begin[at], noescape(&out[i*ld+q]), ld)
		}
	}
}

func (c *Codes) products16(a, rows int, y *Codes, b, cols int, out []int32, ld int) {
	for q := 0; q < cols; q += CodeGroup {
		from := &y.words[y.at(b+q)]
		for i := 0; i < rows; i += codeShort {
			at := a + i
			c.kernel.codes16(c.quads, &c.words[c.at(at)], from, noescape(&out[i*ld+q]), ld)
		}
	}
}

// productsGeneric is the definition.
func (c *Codes) productsGeneric(a, rows int, y *Codes, b, cols int, out []int32, ld int) {
	for i := range rows {
		for j := range cols {
			var sum int32
			p, q := c.at(a+i), y.at(b+j)
			for range c.quads {
				x, y := (*[codeQuad]int8)(c.bytes[p:]), (*[codeQuad]int8)(y.bytes[q:])
				for r := range codeQuad {
					sum += int32(x[r]) * int32(y[r])
				}
				p, q = p+codeQuad*CodeGroup, q+codeQuad*CodeGroup
			}
			out[i*ld+j] = sum
		}
	}
}

// at is where sample i begins.
func (c *Codes) at(i int) int { return i/CodeGroup*c.group() + i%CodeGroup*codeQuad }

// CandidateCodes sets bit q of mask where g[q] − h[q] > t or g[q] − c > r[q], for the
// length of g, clears the others, and reports whether any is set: [Candidates] for the
// products of codes. No difference may leave 32 bits. mask has at least ⌈len(g)/64⌉ words.
func CandidateCodes(mask []uint64, g, h, r []int32, c, t int32) bool {
	h, r = h[:len(g)], r[:len(g)]
	mask = mask[:(len(g)+63)/64]
	clear(mask)
	from, any := 0, false
	if sixteens := len(g) / 16; kernel.scanCodes != nil && sixteens > 0 {
		any = kernel.scanCodes(sixteens, noescape(&g[0]), noescape(&h[0]), noescape(&r[0]), c, t, noescape(&mask[0])) != 0
		from = sixteens * 16
	}
	for q := from; q < len(g); q++ {
		if v := g[q]; v-h[q] > t || v-c > r[q] {
			mask[q/64] |= 1 << (q % 64)
			any = true
		}
	}
	return any
}
