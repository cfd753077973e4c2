package extend

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/solvers/smacof"
	"github.com/orthant-go/orthant/sparse"
)

// StressMap places each new sample where its stress to the training samples is least. A new sample that equals a training
// sample gets its position.
type StressMap struct {
	Training
	Power float64      // a distance d counts by d^(−Power)
	Curve smacof.Curve // from distances to those that the coordinates approximate; without corners they are the same
}

// Kind returns "stress".
func (StressMap) Kind() string { return "stress" }

// Stress returns the rule of metric and non-metric scaling.
func Stress(power float64) Rule[*solve.Scaled] {
	return func(f Fit, s *solve.Scaled) (*Extension, string, error) {
		return &Extension{Map: StressMap{f.nearest(f.X.N()).in(s.Y), power, s.Curve}}, "", nil
	}
}

// stressEntries bounds the distances that are measured at a time.
const stressEntries = 1 << 19

func (m StressMap) prepare(r Resources) (*Mapping, error) {
	n := m.Samples.N()
	rows := max(stressEntries/n, 8)
	if err := r.fit(4 * float64(rows) * float64(n)); err != nil {
		return nil, err
	}
	own, err := m.Training.search(r)
	if err != nil {
		return nil, err
	}
	place, err := smacof.Among(m.Embedding, m.Power, r.Threads)
	if err != nil {
		return nil, err
	}
	_, dim := m.Embedding.Dims()
	mapping := mappingAmong(own.samples, dim, func(ctx context.Context, points samples.Samples, dst *mat.Dense) error {
		for lo := 0; lo < points.N(); lo += rows {
			hi := min(lo+rows, points.N())
			if err := m.block(ctx, own, place, points.Range(lo, hi), dst.Slice(lo, hi, 0, dim).(*mat.Dense)); err != nil {
				return err
			}
		}
		return nil
	})
	return mapping, nil
}

// block places some new samples.
func (m StressMap) block(ctx context.Context, own *training, place smacof.Placement, points samples.Samples, dst *mat.Dense) error {
	g, err := own.index.Search(ctx, points, own.samples.N())
	if err != nil {
		return err
	}
	delta := sparse.Edges{Ptr: []int{0}}
	var fresh []int
	for i := range points.N() {
		list, d := g.Of(i), g.Distances(i)
		if d[0] == 0 {
			dst.SetRow(i, own.y.RawRowView(int(list[0])))
			continue
		}
		fresh = append(fresh, i)
		delta.Index = append(delta.Index, list...)
		for _, v := range d {
			delta.Weight = append(delta.Weight, m.Curve.At(v))
		}
		delta.Ptr = append(delta.Ptr, len(delta.Index))
	}
	if len(fresh) == 0 {
		return nil
	}
	_, dim := dst.Dims()
	y := mat.NewDense(len(fresh), dim, nil)
	if err := place(ctx, delta, y); err != nil {
		return err
	}
	for at, i := range fresh {
		dst.SetRow(i, y.RawRowView(at))
	}
	return nil
}
