package neighbors

import (
	"context"
	"math"
	"slices"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
)

// coding is samples rounded to bytes: x = o + h·c + e, with one origin o and one step h
// for all samples and an error e of known length for each. Where the entries are whole
// numbers in a range of 256, as grey values are, the errors are zero.
type coding struct {
	x      Points
	codes  *blas.Codes
	step   float64   // h
	square []int32   // ‖c‖²
	err    []float64 // bounds on ‖e‖/h
	worst  float64   // the largest of them
	exact  bool      // whole numbers, one step apart: distances between codes are those of samples
}

// codeSlack is the factor by which rounding of distances and bounds is covered: the sums of
// [blas.MostCodeColumns] terms are within 2⁻³⁸.
const codeSlack = 1 + 0x1p-30

// encode rounds the samples.
func encode(ctx context.Context, x Points, threads int) (*coding, error) {
	low, step, exact, err := rangeOf(ctx, x, threads)
	if err != nil {
		return nil, err
	}
	c := &coding{x: x, codes: blas.NewCodes(x.N, x.M), step: step, exact: exact, square: make([]int32, x.N), err: make([]float64, x.N)}
	rounding := 8 * 0x1p-53 * 256 * math.Sqrt(float64(x.M)) // of entries in steps, which are within 256
	var worst atomic.Uint64
	err = blas.For(ctx, threads, x.N, 64, func(_, lo, hi int) {
		codes := make([]int8, x.M)
		for i := lo; i < hi; i++ {
			var rest float64
			c.square[i], rest = round(x.Row(i), low, 1/step, codes)
			c.codes.Set(i, codes)
			c.err[i] = math.Sqrt(rest)*codeSlack + rounding
			raise(&worst, c.err[i])
		}
	})
	c.worst = math.Float64frombits(worst.Load())
	return c, err
}

// round writes the code of a sample, whose lowest entries have the code −128, and returns
// its squared length and that of what it leaves, in steps.
func round(row, low []float64, perStep float64, codes []int8) (square int32, rest float64) {
	const whole = 3 << 51 // numbers of this size have no places behind the point
	codes, low = codes[:len(row)], low[:len(row)]
	for j, v := range row {
		t := float64((v-low[j])*perStep) - 128
		c := float64(t+whole) - whole
		e := t - c
		rest += e * e
		code := int32(c)
		codes[j] = int8(code)
		square += code * code
	}
	return square, rest
}

// raise makes a number of at least v of one that is not negative.
func raise(to *atomic.Uint64, v float64) {
	for {
		old := to.Load()
		if math.Float64frombits(old) >= v || to.CompareAndSwap(old, math.Float64bits(v)) {
			return
		}
	}
}

// span is what one worker has seen of the samples.
type span struct {
	low, high []float64 // of every column; nil before the first sample
	broken    bool      // some entry is not whole
}

func (s *span) widen(x Points, from, to int) {
	if s.low == nil {
		s.low, s.high = slices.Clone(x.Row(from)), slices.Clone(x.Row(from))
	}
	for i := from; i < to; i++ {
		low, high := s.low[:x.M], s.high[:x.M]
		for j, v := range x.Row(i) {
			if v < low[j] {
				low[j] = v
			}
			if v > high[j] {
				high[j] = v
			}
			if v != float64(int64(v)) {
				s.broken = true
			}
		}
	}
}

// rangeOf returns the least entry of every column and the step of the codes, which is 1
// where whole numbers allow it.
func rangeOf(ctx context.Context, x Points, threads int) (low []float64, step float64, exact bool, err error) {
	workers := make([]span, blas.Threads(threads))
	if err := blas.For(ctx, threads, x.N, 64, func(w, lo, hi int) { workers[w].widen(x, lo, hi) }); err != nil {
		return nil, 0, false, err
	}
	var all span
	for _, s := range workers {
		if s.low != nil {
			all.widen(Points{N: 2, M: x.M, Data: slices.Concat(s.low, s.high)}, 0, 2)
			all.broken = all.broken || s.broken
		}
	}
	for j, v := range all.low {
		step = max(step, all.high[j]-v)
	}
	if exact = !all.broken && step <= 255; exact || step == 0 {
		return all.low, 1, exact, nil
	}
	return all.low, step / 255, false, nil
}

// reach is the largest squared distance between codes at which a sample may be nearer to
// sample i than one at the squared distance given.
func (c *coding) reach(i int, square int32) int32 {
	return below(math.Sqrt(float64(square)) + 2*(c.err[i]+c.worst))
}

// within is the largest squared distance between codes of samples within a distance of
// sample i.
func (c *coding) within(i int, distance float64) int32 {
	return below(distance/c.step + c.err[i] + c.worst)
}

// below is the square of a distance between codes, with what rounding may have taken.
func below(distance float64) int32 {
	return int32(min(distance*distance*codeSlack, farthest))
}
