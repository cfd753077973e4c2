package extend

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/lasso"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// codeTolerance is the tolerance of the optimality conditions, relative to 1/γ, for
	// coding a new sample. It is that of the fit.
	codeTolerance = 1e-10
)

// SameCodes is the rule of a clustering by the codes of samples over exemplars. A new
// sample is coded in the same way, and joined to the t training samples whose codes have
// the largest positive cosines with its code. It gets the label with the largest sum of these,
// the lower one on ties. A sample without a code gets the label of the exemplar whose
// line through the origin is closest.
func SameCodes(gamma float64, t int) Rule[*Clustered] {
	return func(f Fit, s *Clustered) (*Extension, string, error) {
		c := f.Found.Coding
		n, count := f.X.N(), len(c.Exemplars)
		exemplars, of := mat.NewDense(count, f.X.M(), nil), make([]int64, count)
		for q, i := range c.Exemplars {
			unit := append([]float64(nil), c.Coded.Row(i)...)
			vector.Normalize(unit)
			exemplars.SetRow(q, unit)
			of[q] = s.Labels[i]
		}
		codes := &sparse.CSR{Rows: n, Cols: count, Ptr: make([]int, 1, n+1)}
		for i := range n {
			for q, v := range c.Codes.Row(i) {
				if v != 0 {
					codes.Col, codes.Val = append(codes.Col, int32(q)), append(codes.Val, v)
				}
			}
			codes.Ptr = append(codes.Ptr, len(codes.Col))
		}
		return &Extension{Map: SameCodesMap{Exemplars: exemplars, ExemplarLabels: of, Codes: codes, Labels: Labels{s.Labels, s.Clusters},
			Gamma: gamma, Joined: min(t, n), Scaling: c.Scaling}}, "", nil
	}
}

// SameCodesMap gives a sample the label of the training samples with the most similar codes.
type SameCodesMap struct {
	Exemplars      *mat.Dense // scaled to unit length
	ExemplarLabels []int64
	Codes          *sparse.CSR // of the training samples over the exemplars, of unit length or zero
	Labels                     // of the training samples
	Gamma          float64
	Joined         int // number of training samples to join
	Scaling        samples.Scaling
}

// Kind returns "same-codes".
func (SameCodesMap) Kind() string { return "same-codes" }

// sameCodes labels points by codes.
type sameCodes struct {
	Resources
	exemplars         samples.Samples // of unit length
	codes             *sparse.CSR     // of the training samples, of unit length or zero
	of, ofExemplar    []float64       // labels
	scaling           samples.Scaling
	gamma             float64
	t, count, columns int
	gram              []float64 // of the exemplars
}

func (by SameCodesMap) prepare(r Resources) (*Mapping, error) {
	m := &sameCodes{Resources: r, exemplars: samples.Of(by.Exemplars), codes: by.Codes, of: by.floats(), ofExemplar: floats(by.ExemplarLabels),
		scaling: by.Scaling, gamma: by.Gamma, t: by.Joined}
	m.count, m.columns = m.exemplars.N(), m.exemplars.M()
	if err := r.fit(float64(m.count)*float64(m.count), r.workers()*(4*float64(m.count)+float64(m.columns)+5*float64(m.t))); err != nil {
		return nil, err
	}
	m.gram = make([]float64, m.count*m.count)
	r.Kernels.Gemm(false, true, m.count, m.count, m.columns, 1, m.exemplars.Data(), m.columns, m.exemplars.Data(), m.columns, 0, m.gram, m.count)
	return &Mapping{Features: m.columns, Dim: 1, Apply: m.apply}, nil
}

func (m *sameCodes) apply(ctx context.Context, points neighbors.Points, dst *mat.Dense) error {
	var outside firstRow
	each := float64(m.count)*float64(m.count+m.columns) + float64(len(m.codes.Val))
	err := blas.For(ctx, m.Threads, points.N, rowsOf(each), func(_, lo, hi int) {
		coder := lasso.NewDictionaryLasso(m.Kernels).Until(endOf(ctx))
		unit, inner, code := make([]float64, m.columns), make([]float64, m.count), make([]float64, m.count)
		near := closest{of: m.of, most: m.t}
		for i := lo; i < hi; i++ {
			copy(unit, points.Row(i))
			m.scaling.Scale(unit)
			if err := beyond(i, unit, points.Row(i), func(q int) int { return q }); err != nil {
				outside.found(err)
				continue
			}
			for q := range inner {
				inner[q], code[q] = 0, 0
			}
			if blas.Dot(unit, unit) > 0 {
				vector.Normalize(unit)
				m.Kernels.Gemv(false, m.count, m.columns, 1, m.exemplars.Data(), m.columns, unit, 0, inner)
				coder.Solve(m.gram, m.count, m.count, inner, 1/m.gamma, codeTolerance, code)
			}
			dst.Set(i, 0, m.label(inner, code, &near))
		}
	})
	return outside.or(err)
}

// label returns the label of a point with the given inner products with the exemplars, and the given code.
func (m *sameCodes) label(inner, code []float64, near *closest) float64 {
	near.clear()
	if blas.Dot(code, code) > 0 {
		for j := range m.codes.Rows {
			var cosine float64
			cols, vals := m.codes.Row(j)
			for q, c := range cols {
				cosine += vals[q] * code[c]
			}
			near.offer(j, cosine)
		}
	}
	if len(near.list) == 0 {
		best, at := -1.0, 0
		for q, v := range inner {
			if math.Abs(v) > best {
				best, at = math.Abs(v), q
			}
		}
		return m.ofExemplar[at]
	}
	return near.label()
}

// closest collects the training samples with the largest positive cosines, descending, the lower
// row on ties.
type closest struct {
	of   []float64
	most int
	list []cosineTo
	bar  float64 // smaller cosines are not in the list
}

type cosineTo struct {
	cosine float64
	j      int
}

func (c *closest) clear() { c.list, c.bar = c.list[:0], 0 }

// offer expects the rows in ascending order. The list is cut when it has twice the wanted
// length, so that a row costs at most the logarithm of that length.
func (c *closest) offer(j int, cosine float64) {
	if !(cosine > c.bar) {
		return
	}
	c.list = append(c.list, cosineTo{cosine, j})
	if len(c.list) >= 2*c.most {
		c.cut()
	}
}

func (c *closest) cut() {
	slices.SortFunc(c.list, func(a, b cosineTo) int { return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.j, b.j)) })
	if len(c.list) >= c.most {
		c.list = c.list[:c.most]
		c.bar = c.list[c.most-1].cosine
	}
}

// label returns the label with the largest sum of cosines.
func (c *closest) label() float64 {
	c.cut()
	sums := map[float64]float64{}
	for _, to := range c.list {
		sums[c.of[to.j]] += to.cosine
	}
	best, label := -1.0, 0.0
	for own, sum := range sums { // the result does not depend on the order
		if sum > best || sum == best && own < label {
			best, label = sum, own
		}
	}
	return label
}
