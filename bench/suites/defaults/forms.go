package defaults

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/datasets"
)

// form is a corruption of a set; the zero value is the set as it is. Each seed draws it anew.
type form struct {
	side     int     // of a white square in a fifth of the images
	level    float64 // of salt and pepper in a fifth of the images
	outliers float64 // the share of samples that are added, their entries uniform from 0 to maximum
	maximum  float64
}

// outlier is the class of samples that are added; they do not count in any figure.
const outlier = -1

// String says what is done.
func (f form) String() string {
	switch {
	case f.side > 0:
		return fmt.Sprintf("a white square of %d × %d in a fifth of the images", f.side, f.side)
	case f.level > 0:
		return fmt.Sprintf("salt and pepper in %g %% of the pixels of a fifth of the images", 100*f.level)
	case f.outliers > 0:
		return fmt.Sprintf("%g %% of samples more, uniform noise", 100*f.outliers)
	}
	return "as it is"
}

// of gives the set this form.
func (f form) of(d *bench.Data, seed uint64) (*bench.Data, error) {
	switch {
	case f.side > 0 || f.level > 0:
		x, _, err := datasets.Corrupt(d.X, datasets.Corruption{Side: f.side, Level: f.level, Maximum: f.maximum, Seed: seed})
		return &bench.Data{X: x, Labels: d.Labels}, err
	case f.outliers > 0:
		n, m := d.X.Dims()
		more := int(f.outliers * float64(n))
		x := mat.NewDense(n+more, m, nil)
		x.Slice(0, n, 0, m).(*mat.Dense).Copy(d.X)
		labels := append(make([]int64, 0, n+more), d.Labels...)
		stream := blas.NewStream(seed)
		for i := n; i < n+more; i++ {
			row := x.RawRowView(i)
			stream.Uniforms(row)
			blas.Scale(f.maximum, row)
			labels = append(labels, outlier)
		}
		return &bench.Data{X: x, Labels: labels}, nil
	}
	return d, nil
}

// shown are some images of the set, corrupted ones first.
func (f form) shown(d *bench.Data, seed uint64, count int) *mat.Dense {
	n, m := d.X.Dims()
	var rows []int
	switch {
	case f.side > 0 || f.level > 0:
		rows = datasets.Corrupted(n, seed)
	case f.outliers > 0:
		for i := n - 1; i >= 0; i -= max(1, n/count) {
			rows = append(rows, i)
		}
	}
	rows = rows[:min(count, len(rows))]
	x := mat.NewDense(len(rows), m, nil)
	for at, i := range rows {
		x.SetRow(at, d.X.RawRowView(i))
	}
	return x
}
