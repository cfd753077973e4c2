package neighbors

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
)

// byteRows are samples rounded to bytes, row by row: x = o + h·c + e with one origin o, one step
// h, and an error e of known length. The range of the bytes covers all samples except outliers:
// entries beyond it are clipped, which does not increase any distance.
type byteRows struct {
	n, m   int // m: number of columns, padded with zeros to a multiple of four
	rows   []int8
	sum    []int32 // sum of the bytes of each row
	square []int32 // ‖c‖²
	step   float64 // h
	err    float64 // bound on ‖e‖/h, without clipping
	exact  bool    // integers with step 1: distances between codes equal distances between samples
}

// rangeSample is the number of rows from which the usual range of the columns is estimated.
const rangeSample = 1024

// newByteRows rounds the samples and clips outliers. O(nm).
func newByteRows(ctx context.Context, x *Stored, threads int, seed uint64) (*byteRows, error) {
	low, step, exact, err := rangeOf(ctx, x, threads)
	if err != nil {
		return nil, err
	}
	if !exact {
		step = clippedStep(x, low, step, seed)
	}
	b := &byteRows{step: step, exact: exact}
	return b, b.round(ctx, x, low, threads)
}

// roundedToBytes returns the samples without clipping, and the minimum of every column.
func roundedToBytes(ctx context.Context, x *Stored, threads int) (b *byteRows, low []float64, err error) {
	b = new(byteRows)
	if low, b.step, b.exact, err = rangeOf(ctx, x, threads); err != nil {
		return nil, nil, err
	}
	return b, low, b.round(ctx, x, low, threads)
}

// codeRounding bounds the rounding error in the computed error of a row, in steps, for entries within 256.
func codeRounding(m int) float64 { return 8 * 0x1p-53 * 256 * math.Sqrt(float64(m)) }

func (b *byteRows) round(ctx context.Context, x *Stored, low []float64, threads int) error {
	b.n, b.m = x.n, (x.m+3)&^3
	b.sum, b.square, b.rows = make([]int32, b.n), make([]int32, b.n), pages.Make[int8](b.n*b.m)
	var worst atomic.Uint64
	err := blas.For(ctx, threads, x.n, 256, func(_, lo, hi int) {
		into := x.scratch()
		for i := lo; i < hi; i++ {
			var rest float64
			b.sum[i], b.square[i], rest = roundClipped(x.Row(i, into), low, 1/b.step, b.row(i)[:x.m])
			raise(&worst, math.Sqrt(rest)*codeSlack+codeRounding(x.m))
		}
	})
	b.err = math.Float64frombits(worst.Load())
	return err
}

// clippedStep returns a smaller step, with a higher origin in low, if few samples are outliers.
func clippedStep(x *Stored, low []float64, full float64, seed uint64) (step float64) {
	sample := sampleRows(x.n, min(x.n, rangeSample), seed)
	column, middle := make([]float64, len(sample)), make([]float64, x.m)
	rows := make([]float64, len(sample)*x.m)
	for p, i := range sample {
		copy(rows[p*x.m:], x.Row(int(i), rows[p*x.m:(p+1)*x.m]))
	}
	var usual float64
	for j := range x.m {
		for p := range sample {
			column[p] = rows[p*x.m+j]
		}
		slices.Sort(column)
		rest := len(column) / 200
		from, to := column[rest], column[len(column)-1-rest]
		middle[j] = from/2 + to/2
		usual = max(usual, to-from)
	}
	step = 1.5 * usual / 255 // 1.5 times the range of the central 99 %
	if step == 0 || step > full/1.25 {
		return full
	}
	for j := range low {
		low[j] = max(low[j], middle[j]-127.5*step)
	}
	return step
}

// roundClipped writes the code of a sample, and returns the sum of its bytes, their sum of squares, and
// the sum of the squared remainders, in steps, of the entries that are not clipped.
func roundClipped(row, low []float64, perStep float64, codes []int8) (sum, square int32, rest float64) {
	const whole = 3 << 51 // numbers of this size have no fractional part
	codes, low = codes[:len(row)], low[:len(row)]
	for j, v := range row {
		t := float64((v-low[j])*perStep) - 128
		c := float64(t+whole) - whole
		switch e := t - c; {
		case c < -128:
			c = -128
		case c > 127:
			c = 127
		default:
			rest += e * e
		}
		code := int32(c)
		codes[j] = int8(code)
		sum += code
		square += code * code
	}
	return sum, square, rest
}

func (b *byteRows) row(i int) []int8 { return b.rows[i*b.m : (i+1)*b.m] }

// arrange permutes the rows in place: row order[p] moves to place p.
func (b *byteRows) arrange(order []int32) {
	done, first := make([]bool, b.n), make([]int8, b.m)
	for start := range order {
		if done[start] {
			continue
		}
		copy(first, b.row(start))
		sum, square := b.sum[start], b.square[start]
		at := start
		for next := int(order[at]); next != start; at, next = next, int(order[next]) {
			copy(b.row(at), b.row(next))
			b.sum[at], b.square[at], done[at] = b.sum[next], b.square[next], true
		}
		copy(b.row(at), first)
		b.sum[at], b.square[at], done[at] = sum, square, true
	}
}

// gather prepares the codes of the rows at the given places for products, starting at sample first of
// c, which must be a multiple of [blas.CodeGroup].
func (b *byteRows) gather(c *blas.Codes, first int, places []int32) {
	c.Gather(first, b.rows, b.sum, places)
}
