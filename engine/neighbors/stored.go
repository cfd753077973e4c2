package neighbors

import (
	"context"
	"fmt"
	"math"
	"slices"
	"unsafe"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
)

// Stored holds n samples of m columns, row by row, in their original type. A search
// converts rows to float64 as needed. The conversion is exact, so the result has the same bits as
// for a copy in float64. Stored is a [mat.Matrix].
type Stored struct {
	n, m     int
	wide     []float64 // entries in float64
	narrow   narrow    // entries of another type; nil: float64
	exponent int       // rows are divided by this power of two
}

// Number is a type of entries whose values are exact in float64.
type Number interface {
	float64 | float32 | Float16 | int8 | uint8 | int16 | uint16 | int32 | uint32
}

// StoredOf makes samples of n × m entries, sharing the storage.
func StoredOf[T Number](n, m int, data []T) *Stored {
	x := &Stored{n: n, m: m}
	switch data := any(data[:n*m]).(type) {
	case []float64:
		x.wide = data
	case []float32:
		x.narrow = numbers[float32](data)
	case []Float16:
		x.narrow = halves(data)
	case []int8:
		x.narrow = numbers[int8](data)
	case []uint8:
		x.narrow = numbers[uint8](data)
	case []int16:
		x.narrow = numbers[int16](data)
	case []uint16:
		x.narrow = numbers[uint16](data)
	case []int32:
		x.narrow = numbers[int32](data)
	case []uint32:
		x.narrow = numbers[uint32](data)
	}
	return x
}

// Stored returns the points in the same storage, for searches among samples of any type.
func (x Points) Stored() *Stored { return StoredOf(x.N, x.M, x.Data) }

// Dims returns the number of samples and columns.
func (x *Stored) Dims() (n, m int) { return x.n, x.m }

// At returns an entry.
func (x *Stored) At(i, j int) float64 {
	if i < 0 || i >= x.n || j < 0 || j >= x.m {
		panic("neighbors: index out of range")
	}
	if x.narrow == nil {
		return x.wide[i*x.m+j]
	}
	var one [1]float64
	x.narrow.widen(i*x.m+j, one[:])
	return one[0]
}

// T returns the transpose as a view.
func (x *Stored) T() mat.Matrix { return mat.Transpose{Matrix: x} }

// Type returns NumPy's name of the type of the entries.
func (x *Stored) Type() string {
	if x.narrow == nil {
		return "float64"
	}
	return x.narrow.name()
}

// Bytes returns the memory of the entries.
func (x *Stored) Bytes() int64 {
	size := int64(8)
	if x.narrow != nil {
		size = x.narrow.size()
	}
	return size * int64(x.n) * int64(x.m)
}

// Row returns sample i in float64: its storage if that is float64, otherwise into, which must have
// length m or more.
func (x *Stored) Row(i int, into []float64) []float64 {
	if x.narrow == nil {
		return x.wide[i*x.m : (i+1)*x.m]
	}
	into = into[:x.m]
	x.narrow.widen(i*x.m, into)
	magnitude.Scale(-x.exponent, into)
	return into
}

// prefetch asks for sample i, which [Stored.Row] is about to read.
func (x *Stored) prefetch(i int) {
	if x.narrow == nil {
		blas.Prefetch(x.wide[i*x.m : (i+1)*x.m])
	} else {
		x.narrow.prefetch(i*x.m, x.m)
	}
}

// scratch returns room for rows of [Stored.Row], nil where it is of no use.
func (x *Stored) scratch() []float64 {
	if x.narrow == nil {
		return nil
	}
	return make([]float64, x.m)
}

// distances measures pairs of samples, for one worker.
type distances struct {
	x          *Stored
	first      int // the sample in row, −1 at the beginning
	row        []float64
	into, with []float64
}

func (x *Stored) distances() distances {
	return distances{x: x, first: -1, into: x.scratch(), with: x.scratch()}
}

// square returns the squared distance of samples i and j.
func (d *distances) square(i, j int32) float64 {
	if d.first != int(i) {
		d.first, d.row = int(i), d.x.Row(int(i), d.into)
	}
	return blas.SquaredDistance(d.row, d.x.Row(int(j), d.with))
}

// Points returns the samples in float64, as a copy unless they are stored so.
func (x *Stored) Points() Points {
	var data []float64
	return x.block(0, x.n, &data)
}

// WidenedBytes returns the memory of the copy that [Stored.Points] makes: 0 for samples in float64.
func (x *Stored) WidenedBytes() int64 {
	if x.narrow == nil {
		return 0
	}
	return 8 * int64(x.n) * int64(x.m)
}

// block returns the samples from lo to hi in float64: their storage if that is float64, otherwise
// a copy in memory, which is grown if it is too small.
func (x *Stored) block(lo, hi int, memory *[]float64) Points {
	p := Points{N: hi - lo, M: x.m}
	if x.narrow == nil {
		p.Data = x.wide[lo*x.m : hi*x.m]
		return p
	}
	*memory = slices.Grow((*memory)[:0], p.N*p.M)[:p.N*p.M]
	p.Data = *memory
	for i := range p.N {
		x.Row(lo+i, p.Row(i))
	}
	return p
}

// over returns the samples divided by 2^e; float64 is copied.
func (x *Stored) over(e int) *Stored {
	if x.narrow == nil {
		return x.Points().over(e).Stored()
	}
	over := *x
	over.exponent = e
	return &over
}

// CheckFinite returns an error for the first entry that is NaN or infinite, with its row and
// column.
func (x *Stored) CheckFinite() error {
	if x.narrow == nil {
		return checkFinite(x.Points())
	}
	_, err := x.size()
	return err
}

// NonFinite returns the position of the first entry that is NaN or infinite, and the entry; row is −1
// if all are finite. Samples in float64 are not examined.
func (x *Stored) NonFinite() (row, col int, entry float64) {
	if x.narrow == nil {
		return -1, 0, 0
	}
	_, row, col, entry = x.largest()
	return row, col, entry
}

// largest returns the largest entry in absolute value of a type other than float64, or the position of
// the first that is NaN or infinite; row is −1 if all are finite. Integers are finite and
// of ordinary size: they are not examined, and have the size 1.
func (x *Stored) largest() (size float64, row, col int, entry float64) {
	if x.narrow.whole() {
		return 1, -1, 0, 0
	}
	const rows = 4096
	sizes := make([]float64, (x.n+rows-1)/rows) // of blocks; NaN and infinities stay
	_ = blas.For(context.Background(), 0, x.n, rows, func(_, lo, hi int) {
		sizes[lo/rows] = math.Ldexp(x.narrow.largest(lo*x.m, (hi-lo)*x.m), -x.exponent)
	})
	for block, v := range sizes {
		if !(v <= math.MaxFloat64) {
			for i := block * rows; i < x.n; i++ {
				entries := x.Row(i, x.scratch())
				if j := slices.IndexFunc(entries, func(v float64) bool { return v-v != 0 }); j >= 0 {
					return v, i, j, entries[j]
				}
			}
		}
		size = max(size, v)
	}
	return size, -1, 0, 0
}

// size is that of [Stored.largest]. NaN or an infinity is an error.
func (x *Stored) size() (float64, error) {
	size, row, col, entry := x.largest()
	if row >= 0 {
		return 0, notFinite(row, col, entry)
	}
	return size, nil
}

// ordinary returns the samples divided by a power of two if they are of unusual magnitude; samples in float64 are
// copied for that. NaN or an infinity is an error.
func (x *Stored) ordinary() (*Stored, divided, error) {
	if x.narrow == nil {
		p := x.Points()
		if err := checkFinite(p); err != nil {
			return nil, divided{}, err
		}
		p, by := ordinary(p)
		return p.Stored(), by, nil
	}
	size, err := x.size()
	e := magnitude.Exponent(size)
	if err != nil || e == 0 {
		return x, divided{}, err
	}
	by, into := divided{exponent: e}, x.scratch()
	for i := range x.n {
		row := x.Row(i, into)
		if j, v := magnitude.Largest(row); v == size {
			by.row, by.col, by.value = i, j, row[j]
			break
		}
	}
	return x.over(e), by, nil
}

// narrow holds entries of a type other than float64.
type narrow interface {
	widen(at int, into []float64) // the entries from a place on
	largest(at, n int) float64    // of the magnitudes of n entries from a place on; NaN if one is NaN
	prefetch(at, n int)           // n entries from a place on
	name() string
	size() int64 // bytes of an entry
	whole() bool // reports whether entries are integers
}

// numbers holds entries of a type that the processor converts.
type numbers[T float32 | int8 | uint8 | int16 | uint16 | int32 | uint32] []T

func (s numbers[T]) widen(at int, into []float64) {
	from := s[at : at+len(into)]
	for ; len(from) >= 4 && len(into) >= 4; from, into = from[4:], into[4:] {
		v, w := (*[4]T)(from), (*[4]float64)(into)
		w[0], w[1], w[2], w[3] = float64(v[0]), float64(v[1]), float64(v[2]), float64(v[3])
	}
	for j, v := range from {
		into[j] = float64(v)
	}
}

func (s numbers[T]) largest(at, n int) float64 {
	// Without their sign, the bits of floating-point numbers are in the order of the numbers: infinity
	// comes after the finite ones, and NaN is last.
	if s, is := any(s).(numbers[float32]); is {
		largest := uint32(0)
		for _, v := range s[at : at+n] {
			largest = max(largest, math.Float32bits(v)&^(1<<31))
		}
		return float64(math.Float32frombits(largest))
	}
	largest := 0.0
	for _, v := range s[at : at+n] {
		largest = max(largest, math.Abs(float64(v)))
	}
	return largest
}

func (s numbers[T]) prefetch(at, n int) { blas.Prefetch(s[at : at+n]) }

func (s numbers[T]) name() string { return fmt.Sprintf("%T", *new(T)) }
func (s numbers[T]) size() int64  { return int64(unsafe.Sizeof(*new(T))) }
func (s numbers[T]) whole() bool  { return T(3)/2 == 1 } // not 1.5 for integers

// Float16 is an IEEE 754 binary16 number: a sign, 5 bits of exponent and 10 of fraction.
type Float16 uint16

// Float64 returns the number exactly.
func (h Float16) Float64() float64 {
	// The exponent biases of the two types differ by 1008; subnormal numbers are shifted to
	// subnormal ones first.
	v := math.Float64frombits(uint64(h&0x7fff)<<42) * 0x1p1008
	if h&0x7c00 == 0x7c00 { // NaN and infinities
		v = math.Float64frombits(0x7ff<<52 | uint64(h&0x3ff)<<42)
	}
	return math.Float64frombits(math.Float64bits(v) | uint64(h&0x8000)<<48)
}

// halves holds entries in float16.
type halves []Float16

func (s halves) widen(at int, into []float64) {
	from := s[at : at+len(into)]
	for j, h := range from {
		into[j] = h.Float64()
	}
}

func (s halves) largest(at, n int) float64 {
	largest := Float16(0)
	for _, h := range s[at : at+n] {
		largest = max(largest, h&0x7fff)
	}
	return largest.Float64()
}

func (s halves) prefetch(at, n int) { blas.Prefetch(s[at : at+n]) }

func (s halves) name() string { return "float16" }
func (s halves) size() int64  { return 2 }
func (s halves) whole() bool  { return false }
