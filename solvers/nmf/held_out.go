package nmf

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

// HeldOut are entries that a fit does not see, to measure how well it predicts them (Wold 1978).
type HeldOut struct {
	Values  *sparse.CSR // the data at these entries; zeros are stored, too
	weights []float64   // of the entries, in their order; nil: all 1
}

// Bytes is the memory of the entries.
func (h *HeldOut) Bytes() int64 { return h.Values.Bytes() + 8*int64(cap(h.weights)) }

// HoldOut chooses a share of the entries of d that have a weight, zeros of sparse data as
// well: of each row the share of its own, at random by the seed. No row and no column is left
// without an entry. [Data.Without] takes them out of the data. O(nm).
func HoldOut(d Data, share float64, seed uint64) (*HeldOut, error) {
	if !(share > 0 && share < 1) {
		return nil, fmt.Errorf("nmf: a share of %v of the entries is held out; give a number between 0 and 1", share)
	}
	if err := d.checkShape(); err != nil {
		return nil, err
	}
	if d.Weights.Present() {
		if err := d.Weights.Check(d.Rows, d.Cols); err != nil {
			return nil, err
		}
	}
	n, m := d.Rows, d.Cols
	random := blas.NewStream(seed)
	most := int(share*float64(n)*float64(m)) + n // where all are known, and seldom more
	h := &HeldOut{Values: &sparse.CSR{Rows: n, Cols: m, Ptr: make([]int, 1, n+1), Col: make([]int32, 0, most), Val: make([]float64, 0, most)}, weights: make([]float64, 0, most)}
	left := make([]int, m) // known entries of each column that stay
	var list []int32
	var weights []float64
	for i := range n {
		list, weights = d.knownOf(i, list[:0], weights[:0])
		wanted := share * float64(len(list))
		choose := int(wanted)
		if random.Uniform() < wanted-float64(choose) {
			choose++
		}
		choose = min(choose, len(list)-1)
		at := d.reader(i)
		for p, j := range list {
			// Each entry in turn, with the probability (still wanted) / (remaining).
			if random.Uniform()*float64(len(list)-p) < float64(choose) {
				choose--
				x := at(int(j))
				if !(x >= 0) || x-x != 0 {
					return nil, &NegativeError{i, int(j), x}
				}
				h.Values.Col, h.Values.Val = append(h.Values.Col, j), append(h.Values.Val, x)
				h.weights = append(h.weights, weights[p])
			} else {
				left[j]++
			}
		}
		h.Values.Ptr = append(h.Values.Ptr, len(h.Values.Col))
	}
	h.keepColumns(left)
	if h.Values.NNZ() == 0 {
		return nil, fmt.Errorf("nmf: a share of %v of the known entries of %d × %d data is less than one entry; hold out more", share, n, m)
	}
	return h, nil
}

// knownOf are the columns of a row that have a weight, and these.
func (d *Data) knownOf(i int, list []int32, weights []float64) ([]int32, []float64) {
	v := d.Weights
	if v.Sparse != nil {
		cols, vals := v.Sparse.Row(i)
		for p, w := range vals {
			if w > 0 {
				list, weights = append(list, cols[p]), append(weights, w)
			}
		}
		return list, weights
	}
	at := v.Row(i, d.Cols)
	for j := range d.Cols {
		if w := at(j); w > 0 {
			list, weights = append(list, int32(j)), append(weights, w)
		}
	}
	return list, weights
}

// keepColumns gives a column of which nothing is left its first entry back.
func (h *HeldOut) keepColumns(left []int) {
	a := h.Values
	kept, from := 0, 0
	for i := range a.Rows {
		to := a.Ptr[i+1]
		for p := from; p < to; p++ {
			j := a.Col[p]
			if left[j] == 0 {
				left[j] = 1
				continue
			}
			a.Col[kept], a.Val[kept], h.weights[kept] = j, a.Val[p], h.weights[p]
			kept++
		}
		from, a.Ptr[i+1] = to, kept
	}
	a.Col, a.Val, h.weights = a.Col[:kept], a.Val[:kept], h.weights[:kept]
}

// background is the share of the mean of the entries that a model of KL is mixed with: an entry
// that is positive where the model is zero would count without bound, and decide alone.
const background = 0.01

// Error says how far the model WH of a loss is from the entries: the mean loss of an entry,
// under the weights (of KL the divergence from 0.99 x̂ + 0.01 of the mean of the entries, of all
// others the squared error), and
// (Σ v(x − x̂)²/Σ vx²)^½, 0 where these are zeros alone.
func (h *HeldOut) Error(loss *Loss, r int, w, components []float64) (mean, relative float64) {
	if loss.orDefault() == Beta {
		loss = Frobenius
	}
	return h.errorBy(Options{Loss: loss}, r, w, components)
}

// errorBy is Error for the loss of some options, also of Beta: its divergence from the model that is mixed as for KL.
func (h *HeldOut) errorBy(o Options, r int, w, components []float64) (mean, relative float64) {
	loss := o.Loss.orDefault()
	m := h.Values.Cols
	ht := make([]float64, len(components))
	transpose(r, m, components, ht)
	var beta betaRule
	if loss == Beta {
		beta = newBetaRule(o.Beta, false)
	}
	var sum, squares, size, weights, average float64
	for p, x := range h.Values.Val {
		average += h.weights[p] * x
		weights += h.weights[p]
	}
	average /= weights
	for i := range h.Values.Rows {
		lo := h.Values.Ptr[i]
		cols, vals := h.Values.Row(i)
		for p, j := range cols {
			x, v := vals[p], h.weights[lo+p]
			model := blas.Dot(w[i*r:(i+1)*r], ht[int(j)*r:int(j)*r+r])
			e := x - model
			squares += v * e * e
			size += v * x * x
			if loss == Beta {
				sum += v * beta.of(int(j), x, model+background*(average-model))
			}
			if loss != KL {
				continue
			}
			model += background * (average - model)
			sum += v * (model - x)
			if x > 0 {
				sum += v * x * math.Log(x/max(model, denominator))
			}
		}
	}
	if loss != KL && loss != Beta {
		sum = squares
	}
	if size > 0 {
		relative = math.Sqrt(squares / size)
	}
	return sum / weights, relative
}
