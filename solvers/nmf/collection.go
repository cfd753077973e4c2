package nmf

import (
	"fmt"
	"math"
)

// Collection says of which matrices data are put together: the samples of several datasets below each other, and the
// columns of several blocks next to each other. It is for the squared error by [HALS], which then minimises
//
//	Σ_d w_d (‖M∘(X_d − W_d(H + V_d))‖² + λ‖M∘(W_dV_d)‖²)
//
// over nonnegative factors (Yang and Michailidis 2016, Bioinformatics 32:1, eq. 3; Welch et al. 2019, Cell 177:1873): W_d are the
// rows of W that belong to dataset d, H has the components that the datasets share, and V_d those by which they differ in
// dataset d. M is 1 where a sample has a block, and 0 where it lacks it.
//
// Without Datasets there is no V. Blocks that have weights are not in here: multiply their columns by the root of the weight
// (KL: by the weight) before, and divide these columns of H by it.
type Collection struct {
	Datasets   []int32   // of each sample, from 0; each has one sample or more. nil: all are of one, without V
	Weights    []float64 // w of each dataset, > 0; nil: 1
	OwnPenalty float64   // λ ≥ 0
	// Hold is the number of iterations in which V stays zero, so that the datasets first agree on H: with a small λ, the components of one may
	// otherwise pair with other ones of the next, and V take the difference. The objective falls in these iterations, too.
	Hold int

	Blocks []int32 // of each column, from 0; nil: there is one
	// Patterns are the blocks that samples have, and Pattern is the number of that of each sample. Entries of blocks
	// that a sample lacks are zeros in the data. nil: all samples have all blocks.
	Patterns [][]bool
	Pattern  []int32
}

// Counts are the numbers of datasets and of blocks.
func (c *Collection) Counts() (datasets, blocks int) { return counted(c.Datasets), counted(c.Blocks) }

// counted is the number of labels from 0; 1 without any.
func counted(labels []int32) int {
	most := int32(0)
	for _, l := range labels {
		most = max(most, l)
	}
	return int(most) + 1
}

// own reports whether datasets have components of their own.
func (c *Collection) own() bool { return c.Datasets != nil }

// dataset is that of a sample.
func (c *Collection) dataset(i int) int {
	if c.Datasets == nil {
		return 0
	}
	return int(c.Datasets[i])
}

// pattern is that of a sample.
func (c *Collection) pattern(i int) int {
	if c.Patterns == nil {
		return 0
	}
	return int(c.Pattern[i])
}

// Has reports whether a sample has a block.
func (c *Collection) Has(i, block int) bool {
	return c.Patterns == nil || c.Patterns[c.Pattern[i]][block]
}

// has reports whether the samples of a pattern have a block.
func (c *Collection) has(pattern, block int) bool {
	return c.Patterns == nil || c.Patterns[pattern][block]
}

// weight is w of a dataset.
func (c *Collection) weight(d int) float64 {
	if c.Weights == nil {
		return 1
	}
	return c.Weights[d]
}

// check refuses a collection that does not describe n × m data.
func (c *Collection) check(n, m int) error {
	datasets, blocks := c.Counts()
	for _, l := range []struct {
		labels []int32
		want   int
		what   string
	}{{c.Datasets, n, "datasets of %d samples, and the data have %d; give one for each"}, {c.Blocks, m, "blocks of %d columns, and the data have %d; give one for each"}, {c.Pattern, n, "patterns of %d samples, and the data have %d; give one for each"}} {
		if l.labels != nil && len(l.labels) != l.want {
			return fmt.Errorf("nmf: "+l.what, len(l.labels), l.want)
		}
		for at, v := range l.labels {
			if v < 0 || int(v) >= l.want {
				return fmt.Errorf("nmf: label %d at place %d (counting from 1); give labels from 0 on, without gaps", v, at+1)
			}
		}
	}
	switch {
	case c.Weights != nil && len(c.Weights) != datasets:
		return fmt.Errorf("nmf: %d weights of %d datasets; give one for each", len(c.Weights), datasets)
	case !(c.OwnPenalty >= 0) || math.IsInf(c.OwnPenalty, 1):
		return fmt.Errorf("nmf: the penalty of the own parts is %v; give a finite number ≥ 0", c.OwnPenalty)
	case c.Hold < 0:
		return fmt.Errorf("nmf: own parts are held for %d iterations; give a number ≥ 0", c.Hold)
	case c.Patterns != nil && c.Pattern == nil:
		return fmt.Errorf("nmf: there are patterns and none of a sample; give the number of its pattern for each")
	}
	for d, w := range c.Weights {
		if !(w > 0) || math.IsInf(w, 1) {
			return fmt.Errorf("nmf: the weight of dataset %d is %v; give a finite number > 0", d, w)
		}
	}
	for q, p := range c.Patterns {
		if len(p) != blocks {
			return fmt.Errorf("nmf: pattern %d has %d blocks, and there are %d; give one value for each", q, len(p), blocks)
		}
	}
	return c.checkSamples(n, datasets, blocks)
}

// checkSamples refuses datasets without samples, blocks that no sample has, and samples without any block.
func (c *Collection) checkSamples(n, datasets, blocks int) error {
	of, having := make([]int, datasets), make([]int, blocks)
	for i := range n {
		of[c.dataset(i)]++
		if c.pattern(i) >= max(1, len(c.Patterns)) {
			return fmt.Errorf("nmf: sample %d (counting from 1) has pattern %d of %d; give one that there is", i+1, c.pattern(i), len(c.Patterns))
		}
		some := false
		for b := range blocks {
			if c.Has(i, b) {
				having[b]++
				some = true
			}
		}
		if !some {
			return fmt.Errorf("nmf: row %d (counting from 1) lacks every block; leave the row out", i+1)
		}
	}
	for d, k := range of {
		if k == 0 {
			return fmt.Errorf("nmf: dataset %d has no sample; number the datasets from 0 on, without gaps", d)
		}
	}
	for b, k := range having {
		if k == 0 {
			return fmt.Errorf("nmf: no sample has block %d; leave its columns out", b)
		}
	}
	return nil
}

// checkCollection refuses options that do not go with a collection.
func (o Options) checkCollection(d Data) error {
	c := o.Collection
	if c == nil {
		return nil
	}
	switch {
	case o.Loss != Frobenius || o.Solver != HALS:
		return fmt.Errorf("nmf: datasets, and blocks that samples lack, are for loss %s and solver %s; take these", Frobenius, HALS)
	case o.Lambda > 0 && o.Graph.present():
		return fmt.Errorf("nmf: datasets, and blocks that samples lack, go with no graph term; leave out one of them")
	case d.Weights.Present() || d.known != nil:
		return fmt.Errorf("nmf: datasets, and blocks that samples lack, go with no weights of the entries; leave out one of them")
	case d.Single != nil:
		return fmt.Errorf("nmf: datasets, and blocks that samples lack, are for data in float64; convert them")
	case o.Extrapolate:
		return fmt.Errorf("nmf: datasets, and blocks that samples lack, go with no extrapolation; leave out one of them")
	case o.SumToOne:
		return fmt.Errorf("nmf: datasets, and blocks that samples lack, go with no rows of W that sum to one; leave out one of them")
	case o.Smooth > 0:
		return fmt.Errorf("nmf: datasets, and blocks that samples lack, go with no smooth components; leave out one of them")
	case o.Fixed != NoneFixed:
		return fmt.Errorf("nmf: datasets, and blocks that samples lack, go with no fixed factor; leave out one of them")
	case o.Order != BasisFirst:
		return fmt.Errorf("nmf: datasets, and blocks that samples lack, go with order %s; leave out the order", BasisFirst)
	case o.Stop == Violation && o.Tolerance > 0:
		return fmt.Errorf("nmf: datasets, and blocks that samples lack, go with stop %s or %s; take one of these", Change, RelativeDecrease)
	case o.Normalize == EachIteration:
		return fmt.Errorf("nmf: with datasets, and blocks that samples lack, components are normalised at the %s, or %s", AtEnd, Never)
	case c.Patterns != nil && o.Init != RandomStart && o.Init != Given:
		return fmt.Errorf("nmf: init %s needs every entry of the data; take init %s where samples lack blocks", o.Init, RandomStart)
	}
	return c.check(d.Rows, d.Cols)
}
