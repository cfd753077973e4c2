package nmf

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/sparse"
)

// known holds the parts of data under weights V that the updates need. The data themselves are then V∘X:
// the updates need no other X.
//
// The weights are divided by a power of two, so that the largest is from 1 to 2: denominators
// are as far from the ends of the range as without weights.
type known struct {
	unit    float64 // by which they were divided
	sums    dataSums
	squares []float64 // Σⱼ vx² of each sample

	v []float64 // dense, n × m; nil: the others hold

	// Sparse weights. With all = false they are what q stores, and V∘X is stored in the same
	// places. With all = true they are 1 less what q stores.
	q, qt *sparse.CSR
	all   bool
	scale float64 // Σ −y log(1−c) of all, the part of the divergence that c takes along
}

// sign is the sign of what q adds to a denominator.
func (k *known) sign() float64 {
	if k.all {
		return -1
	}
	return 1
}

// underWeights are the data V∘X with their known: d itself if it has no weights.
// Entries of weight 0 become zero whatever they were. columns says that every column must have
// an entry, too.
func (d Data) underWeights(columns bool, loss *Loss) (Data, error) {
	if !d.Weights.Present() {
		return d, nil
	}
	if d.Single != nil {
		return d, fmt.Errorf("nmf: weights of the entries are for data in float64; convert them")
	}
	if err := loss.checkSparse(d, ""); err != nil {
		return d, err
	}
	if err := d.checkShape(); err != nil {
		return d, err
	}
	if err := d.Weights.Check(d.Rows, d.Cols); err != nil {
		return d, err
	}
	if err := d.Weights.checkKnown(d.Rows, d.Cols, columns); err != nil {
		return d, err
	}
	d.known = &known{unit: 1, squares: make([]float64, d.Rows)}
	var err error
	switch v := d.Weights; {
	case loss.denseWeights:
		err = d.takeDense()
	case v.Sparse != nil:
		err = d.takeStored()
	case v.Less != nil && d.Sparse != nil:
		err = d.takeAll()
	default:
		err = d.takeDense()
	}
	d.Weights = Weights{}
	if err == nil {
		err = d.known.sums.check()
	}
	return d, err
}

// take counts an entry of weight v > 0.
func (k *known) take(i, j int, v, x float64) error {
	if !(x >= 0) || x-x != 0 {
		return &NegativeError{i, j, x}
	}
	k.sums.entries += v
	k.sums.sum += v * x
	k.squares[i] += v * x * x
	k.sums.squares += v * x * x
	return nil
}

// scaleBy sets the unit of weights of which most is the largest.
func (k *known) scaleBy(most float64) {
	if most > 0 {
		_, e := math.Frexp(most)
		k.unit = math.Ldexp(1, e-1)
	}
}

// takeStored takes sparse weights: the data at their places.
func (d *Data) takeStored() error {
	a, k := d.Weights.Sparse, d.known
	var most float64
	for _, v := range a.Val {
		most = max(most, v)
	}
	k.scaleBy(most)
	q := &sparse.CSR{Rows: d.Rows, Cols: d.Cols, Ptr: make([]int, 1, d.Rows+1), Col: make([]int32, 0, a.NNZ()), Val: make([]float64, 0, a.NNZ())}
	y := make([]float64, 0, a.NNZ())
	for i := range d.Rows {
		cols, vals := a.Row(i)
		at := d.reader(i)
		for p, j := range cols {
			v := vals[p] / k.unit
			if v == 0 {
				continue
			}
			x := at(int(j))
			if err := k.take(i, int(j), v, x); err != nil {
				return err
			}
			q.Col, q.Val, y = append(q.Col, j), append(q.Val, v), append(y, v*x)
		}
		q.Ptr = append(q.Ptr, len(q.Col))
	}
	k.q = q
	d.Dense, d.Sparse = nil, &sparse.CSR{Rows: d.Rows, Cols: d.Cols, Ptr: q.Ptr, Col: q.Col, Val: y}
	return nil
}

// reader reads the entries of a row, in ascending columns.
func (d *Data) reader(i int) func(j int) float64 {
	if d.Sparse == nil {
		row := d.Dense[i*d.Cols : (i+1)*d.Cols]
		return func(j int) float64 { return row[j] }
	}
	return rowReader(d.Sparse, i)
}

// takeAll takes sparse data of which all entries count but what Less takes off.
func (d *Data) takeAll() error {
	k, less, x := d.known, d.Weights.Less, d.Sparse
	k.q, k.all = less, true
	y := &sparse.CSR{Rows: d.Rows, Cols: d.Cols, Ptr: make([]int, 1, d.Rows+1), Col: make([]int32, 0, x.NNZ()), Val: make([]float64, 0, x.NNZ())}
	for i := range d.Rows {
		cols, vals := x.Row(i)
		at := rowReader(less, i)
		for p, j := range cols {
			c := at(int(j))
			if c == 1 {
				continue
			}
			if err := k.take(i, int(j), 1-c, vals[p]); err != nil {
				return err
			}
			v := (1 - c) * vals[p]
			if v > 0 && c > 0 {
				k.scale -= v * math.Log1p(-c)
			}
			y.Col, y.Val = append(y.Col, j), append(y.Val, v)
		}
		y.Ptr = append(y.Ptr, len(y.Col))
	}
	k.sums.entries = float64(d.Rows) * float64(d.Cols)
	for _, c := range less.Val {
		k.sums.entries -= c
	}
	d.Sparse = y
	return nil
}

// takeDense takes dense weights. It copies neither them nor the data where that changes
// nothing.
func (d *Data) takeDense() error {
	k, n, m := d.known, d.Rows, d.Cols
	x := d.Dense
	if d.Sparse != nil {
		x = d.Sparse.Dense().RawMatrix().Data
	}
	v := d.Weights.Dense
	if a := d.Weights.stored(); a != nil {
		v = a.Dense().RawMatrix().Data
		if d.Weights.Less != nil {
			for at, c := range v {
				v[at] = 1 - c
			}
		}
	}
	var most float64
	for _, w := range v {
		most = max(most, w)
	}
	if k.scaleBy(most); k.unit != 1 {
		scaled := make([]float64, len(v))
		for at, w := range v {
			scaled[at] = w / k.unit
		}
		v = scaled
	}
	y := x
	for at, w := range v {
		value := 0.0
		if w > 0 {
			if err := k.take(at/m, at%m, w, x[at]); err != nil {
				return err
			}
			value = w * x[at]
		}
		if math.Float64bits(value) == math.Float64bits(x[at]) {
			continue
		}
		if &y[0] == &x[0] {
			y = append(make([]float64, 0, n*m), x...)
		}
		y[at] = value
	}
	k.v = v
	d.Dense, d.Sparse = y, nil
	return nil
}
