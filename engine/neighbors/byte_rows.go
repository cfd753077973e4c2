package neighbors

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
)

// byteRows are samples rounded to bytes, row after row: x = o + h·c + e with one origin o, one step
// h, and an error e of known length. The range of the bytes covers all samples but for what is far out:
// entries beyond it are clipped, by which no two samples move apart.
type byteRows struct {
	n, m   int // m: the columns, filled up with zeros to whole groups of four
	rows   []int8
	sum    []int32 // of the bytes of each row
	square []int32 // ‖c‖²
	step   float64 // h
	err    float64 // the most of ‖e‖/h, but for what is clipped
	exact  bool    // whole numbers, one step apart: distances between codes equal distances between samples
}

// rangeSample is the number of rows by which the usual range of the columns is judged.
const rangeSample = 1024

// newByteRows rounds the samples; those far out are clipped. O(nm).
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

// roundedToBytes are the samples without clipping, and the least entry of every column.
func roundedToBytes(ctx context.Context, x *Stored, threads int) (b *byteRows, low []float64, err error) {
	b = new(byteRows)
	if low, b.step, b.exact, err = rangeOf(ctx, x, threads); err != nil {
		return nil, nil, err
	}
	return b, low, b.round(ctx, x, low, threads)
}

// codeRounding is what rounding takes from the error of a row, in steps, whose entries are within 256.
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

// clippedStep lowers the step, and with it raises the origin, where few samples lie far out.
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
	step = 1.5 * usual / 255 // the 99 % in the middle, and half as much again
	if step == 0 || step > full/1.25 {
		return full
	}
	for j := range low {
		low[j] = max(low[j], middle[j]-127.5*step)
	}
	return step
}

// roundClipped writes the code of a sample, and returns the sum of its bytes, their sum of squares, and
// that of the remainders in steps, of entries within the range.
func roundClipped(row, low []float64, perStep float64, codes []int8) (sum, square int32, rest float64) {
	const whole = 3 << 51 // numbers of this size have no places behind the point
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

// arrange puts the rows into the given order, in place: row order[p] comes to place p.
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

// gather makes the codes of the rows at the given places ready for products, from the sample `first` of
// c on, a multiple of [blas.CodeGroup].
func (b *byteRows) gather(c *blas.Codes, first int, places []int32) {
	c.Gather(first, b.rows, b.sum, places)
}
