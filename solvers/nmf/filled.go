package nmf

import (
	"context"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// fills reports whether held-out entries are filled in by the model, because the loss knows no weights.
func (o Options) fills() bool { return o.Loss.algorithms[o.Solver].weighted == nil }

// filled reports whether data have the held-out entries filled in.
func (m *mask) filled(d Data) bool { return !d.Weights.Present() }

// fillSteps are the iterations between two fillings.
const fillSteps = 5

// improvedFilled takes some iterations from a model, and every few of them fills the entries that are held
// out with WH. The loss of these entries is then 0, its minimum, so that iterations that lower the loss of all
// entries lower that of the others, too: a step of majorization–minimization.
func (m *mask) improvedFilled(ctx context.Context, filled Data, o Options, from model, steps int) (model, error) {
	normalize := o.Normalize
	o.Normalize = Never
	for done := 0; done < steps; done += fillSteps {
		if done+fillSteps >= steps {
			o.Normalize = normalize
		}
		m.held.fill(filled, from)
		var err error
		if from, err = from.improved(ctx, filled, o, min(fillSteps, steps-done)); err != nil {
			return from, err
		}
	}
	return from, nil
}

// hidden is a copy of the data in which the held-out entries are places to fill in; sparse data store them all.
func (h *HeldOut) hidden(d Data) Data {
	d.transpose = nil
	if d.Sparse == nil {
		d.Dense = slices.Clone(d.Dense)
		return d
	}
	a, b := d.Sparse, h.Values
	u := &sparse.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: make([]int, 1, a.Rows+1), Col: make([]int32, 0, a.NNZ()+b.NNZ()), Val: make([]float64, 0, a.NNZ()+b.NNZ())}
	for i := range a.Rows {
		cols, vals := a.Row(i)
		held, _ := b.Row(i)
		for len(cols)+len(held) > 0 {
			switch {
			case len(held) == 0 || len(cols) > 0 && cols[0] < held[0]:
				u.Col, u.Val, cols, vals = append(u.Col, cols[0]), append(u.Val, vals[0]), cols[1:], vals[1:]
			default:
				if len(cols) > 0 && cols[0] == held[0] {
					cols, vals = cols[1:], vals[1:]
				}
				u.Col, u.Val, held = append(u.Col, held[0]), append(u.Val, 0), held[1:]
			}
		}
		u.Ptr = append(u.Ptr, len(u.Col))
	}
	d.Sparse = u
	return d
}

// fill writes the model into the places of the held-out entries; before there is one, the mean of the others.
func (h *HeldOut) fill(d Data, by model) {
	cols := d.Cols
	var mean float64
	ht := make([]float64, len(by.h))
	if by.w == nil {
		mean = h.meanOfOthers(d)
	} else {
		transpose(by.rank, cols, by.h, ht)
	}
	for i := range d.Rows {
		held, _ := h.Values.Row(i)
		place := d.places(i)
		for _, j := range held {
			v := mean
			if by.w != nil {
				r := by.rank
				v = blas.Dot(by.w[i*r:(i+1)*r], ht[int(j)*r:int(j)*r+r])
			}
			*place(int(j)) = max(v, denominator)
		}
	}
}

// places finds the places of the entries of a row, in ascending columns.
func (d *Data) places(i int) func(j int) *float64 {
	if d.Sparse == nil {
		row := d.Dense[i*d.Cols : (i+1)*d.Cols]
		return func(j int) *float64 { return &row[j] }
	}
	cols, vals := d.Sparse.Row(i)
	p := 0
	return func(j int) *float64 {
		for int(cols[p]) != j {
			p++
		}
		return &vals[p]
	}
}

// meanOfOthers is the mean of the entries that are not held out.
func (h *HeldOut) meanOfOthers(d Data) float64 {
	var sum float64
	if d.Sparse != nil {
		sum = total(d.Sparse.Val)
	} else {
		sum = total(d.Dense)
		sum -= total(h.Values.Val)
	}
	return max(0, sum) / float64(d.Rows*d.Cols-h.Values.NNZ())
}
