package engine

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// Collection says of which matrices the samples of a factorisation are put together. Labels may be any numbers; blocks and
// datasets are ordered by them, ascending.
//
// Blocks are matrices of the same samples and other columns, next to each other: X_b ≈ WH_b with one W,
//
//	min Σ_b w_b D(X_b|WH_b),
//
// for nmf, nmf-kl, nmf-beta with a β above 0, and l21-nmf. With missing=weight samples may lack a block: all its entries are NaN.
//
// Datasets are matrices of the same columns and other samples, below each other: X_d ≈ W_d(H + V_d), with components H that all
// share and V_d of each dataset,
//
//	min Σ_d w_d (‖X_d − W_d(H + V_d)‖² + λ‖W_dV_d‖²),
//
// for nmf with solver=hals (Yang and Michailidis 2016). Both may be given together.
type Collection struct {
	Blocks   []int64 // the block of each column; nil: there is one
	Datasets []int64 // the dataset of each sample; nil: there is one, and no V
	// BlockWeights and DatasetWeights are "auto", so that all count equally: w is 1/‖X_b‖², times the number for which
	// the sum over all is ‖X‖² (of another β the powers β of entries take the place of squares); "equal": 1 each; or numbers above 0,
	// separated by commas. "": auto of blocks, equal of datasets.
	BlockWeights, DatasetWeights string
	OwnPenalty                   float64 // λ; 0: 5. Above 0
}

// present reports whether there are blocks or datasets.
func (c Collection) present() bool { return c.Blocks != nil || c.Datasets != nil }

// refuse returns an error where work takes no collection, for the given reason.
func (c Collection) refuse(method, why string) error {
	if !c.present() {
		return nil
	}
	return wording.Errorf("%s: ‹blocks› and ‹datasets› %s", method, why)
}

// heldIterations are those before own parts are learned, see [nmf.Collection].
const heldIterations = 20

// defaultOwnPenalty is λ of Welch et al. (2019).
const defaultOwnPenalty = 5

// FactorBlock is a block of the columns in a result.
type FactorBlock struct {
	Label   int64   `json:"label"`
	Columns int     `json:"columns"`
	Weight  float64 `json:"weight"`
	Lacking int     `json:"lacking"` // number of samples that lack it
	// RelativeError is ‖X_b − WH_b‖_F/‖X_b‖_F over the samples that have the block, under the weights of the entries.
	RelativeError float64 `json:"relative_error"`
}

// FactorDataset is a dataset in a result.
type FactorDataset struct {
	Label         int64   `json:"label"`
	Samples       int     `json:"samples"`
	Weight        float64 `json:"weight"`
	RelativeError float64 `json:"relative_error"`
	OwnShare      float64 `json:"own_share"` // ‖W_dV_d‖²/‖W_d(H + V_d)‖²
}

// collected is a collection with its labels as numbers from 0.
type collected struct {
	nmf.Collection
	blocks, datasets         []int64 // labels, ascending
	blockSizes, datasetSizes []int
	lacking                  []int     // of each block
	weights                  []float64 // of each block
	scale                    []float64 // of each column; nil: 1
}

// numbered returns the labels, ascending, the number of each place's label from 0, and how often each is there.
func numbered(labels []int64) (distinct []int64, of []int32, sizes []int) {
	distinct = slices.Compact(slices.Sorted(slices.Values(labels)))
	of, sizes = make([]int32, len(labels)), make([]int, len(distinct))
	for i, l := range labels {
		at, _ := slices.BinarySearch(distinct, l)
		of[i] = int32(at)
		sizes[at]++
	}
	return distinct, of, sizes
}

// collect checks a collection, and finds the blocks that samples lack.
type collect struct {
	Collection
	entryWeights mat.Matrix
}

func (g collect) apply(s state) (state, undo, error) {
	if !g.present() {
		if g.BlockWeights != "" || g.DatasetWeights != "" || g.OwnPenalty != 0 {
			return s, nil, wording.Errorf("%s: ‹block_weights›, ‹dataset_weights› and ‹own_penalty› are of ‹blocks› and ‹datasets›; give these, or leave them out", s.Method())
		}
		return s, nil, nil
	}
	by, is := method.RowOf(s.method).Factorize().Solve.(factor.ByNMF)
	if err := g.check(s, by, is); err != nil {
		return s, nil, err
	}
	c := &collected{}
	if g.Blocks != nil {
		c.blocks, c.Blocks, c.blockSizes = numbered(g.Blocks)
		c.lacking = make([]int, len(c.blocks))
	}
	if g.Datasets != nil {
		c.datasets, c.Datasets, c.datasetSizes = numbered(g.Datasets)
		const most = 1 << 53 // models hold labels as float64
		if first, last := c.datasets[0], c.datasets[len(c.datasets)-1]; first < -most || last > most {
			return s, nil, wording.Errorf("%s: ‹datasets› has labels from %d to %d; give numbers within ±2⁵³", s.Method(), first, last)
		}
		if len(c.datasets) < 2 {
			return s, nil, wording.Errorf("%s: ‹datasets› has one label for all samples; give two or more, or leave it out", s.Method())
		}
		if c.OwnPenalty = g.OwnPenalty; c.OwnPenalty == 0 {
			c.OwnPenalty = defaultOwnPenalty
		}
		c.Hold = heldIterations
	}
	s.collection = c
	s.Run = s.Holding(4 * int64(len(c.Blocks)+len(c.Datasets)))
	if by.Missing && g.Blocks != nil && by.Descends() && !by.Unstored && g.entryWeights == nil {
		s = c.findLacking(s)
	}
	return s, nil, nil
}

// check refuses what the collection does not go with.
func (g collect) check(s state, by factor.ByNMF, is bool) error {
	switch {
	case g.Blocks != nil && len(g.Blocks) != s.x.M():
		return wording.Errorf("%s: ‹blocks› has %d labels for %d columns; give one for each", s.Method(), len(g.Blocks), s.x.M())
	case g.Datasets != nil && len(g.Datasets) != s.x.N():
		return wording.Errorf("%s: ‹datasets› has %d labels for %d samples; give one for each", s.Method(), len(g.Datasets), s.x.N())
	case g.Blocks == nil && g.BlockWeights != "":
		return wording.Errorf("%s: ‹block_weights› are of ‹blocks›; give these, or leave them out", s.Method())
	case g.Datasets == nil && (g.DatasetWeights != "" || g.OwnPenalty != 0):
		return wording.Errorf("%s: ‹dataset_weights› and ‹own_penalty› are of ‹datasets›; give these, or leave them out", s.Method())
	case g.Datasets != nil && !(g.OwnPenalty >= 0 && g.OwnPenalty <= 1e100):
		return wording.Errorf("%s: ‹own_penalty› is %v; give a number above 0, at most 1e100", s.Method(), g.OwnPenalty)
	}
	plain := is && method.RowOf(s.method).Factorize().Align == nil
	switch {
	case !plain || by.Degree() == 0:
		return wording.Errorf("%s: ‹blocks› and ‹datasets› are for nmf, nmf-kl, l21-nmf, and nmf-beta with ‹loss=beta› and a ‹beta› above 0 (blocks alone); leave them out, or take one of these", s.Method())
	case by.Shift != "" && by.Shift != "none":
		return wording.Errorf("%s: ‹shift=%s› goes with no ‹blocks› and ‹datasets›; shift the data before, or leave it out", s.Method(), by.Shift)
	case by.Solver == nmf.MiniBatch:
		return wording.Errorf("%s: ‹solver=minibatch› goes with no ‹blocks› and ‹datasets›; choose another solver", s.Method())
	case g.Blocks != nil && by.Fixed == nmf.HFixed:
		return wording.Errorf("%s: ‹fixed=h› keeps H to the bit, and the weights of ‹blocks› scale its columns; leave one of the two out", s.Method())
	case g.Datasets == nil:
		return nil
	case !by.Descends():
		return wording.Errorf("%s: ‹datasets› are for nmf with ‹solver=hals›; choose that, or leave them out", s.Method())
	case g.entryWeights != nil || by.Unstored:
		return wording.Errorf("%s: ‹datasets› go with no weights of the entries; leave one of the two out", s.Method())
	}
	return nil
}

// findLacking finds the blocks that samples lack, all of whose entries are NaN, and makes zeros of these. If other entries are
// missing, too, nothing changes: then each entry has a weight.
func (c *collected) findLacking(s state) state {
	x, blocks := s.x, len(c.blocks)
	numbers := map[string]int32{}
	var patterns [][]bool
	pattern := make([]int32, x.N())
	missing := make([]int, blocks)
	lacking := make([]int, blocks)
	has, key := make([]bool, blocks), make([]byte, blocks)
	any := false
	for i := range x.N() {
		clear(missing)
		eachEntry(x, i, func(j int, v float64) {
			if math.IsNaN(v) {
				missing[c.Blocks[j]]++
			}
		})
		for b, k := range missing {
			if k > 0 && k < c.blockSizes[b] {
				return s
			}
			if has[b], key[b] = k == 0, 1; k > 0 {
				key[b], any = 0, true
				lacking[b]++
			}
		}
		number, there := numbers[string(key)]
		if !there {
			number = int32(len(patterns))
			numbers[string(key)], patterns = number, append(patterns, slices.Clone(has))
		}
		pattern[i] = number
	}
	if !any {
		return s
	}
	c.Patterns, c.Pattern, c.lacking = patterns, pattern, lacking
	share := 0.0
	for b, k := range lacking {
		share += float64(k) * float64(c.blockSizes[b]) / (float64(x.N()) * float64(x.M()))
	}
	s.Note("missing_share", share)
	s.Explain("data: samples lack blocks, in %d patterns: %.4g of the entries", len(patterns), share)
	s.Run = s.Holding(x.Bytes() + 4*int64(x.N()))
	s.x, s.own = x.Zeroed(func(i int) func(j int) bool {
		return func(j int) bool { return !c.Has(i, int(c.Blocks[j])) }
	}), true
	return s
}

// eachEntry calls f with the stored entries of a sample.
func eachEntry(x samples.Samples, i int, f func(j int, v float64)) {
	if a := x.Compressed(); a != nil {
		cols, vals := a.Row(i)
		for p, v := range vals {
			f(int(cols[p]), v)
		}
		return
	}
	for j, v := range x.Row(i) {
		f(j, v)
	}
}

// weighMatrices finds the weights of blocks and datasets, and scales the columns of blocks: with the loss D(cx|cy) = c^p D(x|y), a
// weight w is the scale w^(1/p).
type weighMatrices struct{ Collection }

func (g weighMatrices) apply(s state) (state, undo, error) {
	c := s.collection
	if c == nil {
		return s, nil, nil
	}
	degree := method.RowOf(s.method).Factorize().Solve.(factor.ByNMF).Degree()
	if c.Datasets != nil {
		weights, err := g.weightsOf(s, "dataset", g.DatasetWeights, "equal", len(c.datasets), degree, func(i, _ int) int32 { return c.Datasets[i] })
		if err != nil {
			return s, nil, err
		}
		c.Weights = weights
	}
	if c.Blocks == nil {
		return s, nil, nil
	}
	var err error
	if c.weights, err = g.weightsOf(s, "block", g.BlockWeights, "auto", len(c.blocks), degree, func(_, j int) int32 { return c.Blocks[j] }); err != nil {
		return s, nil, err
	}
	if !slices.ContainsFunc(c.weights, func(w float64) bool { return w != 1 }) {
		return s, nil, nil
	}
	if err := s.Fit(s.x.Bytes(), "the weighted blocks need", fewerEntries); err != nil {
		return s, nil, err
	}
	s.Run = s.Holding(s.x.Bytes())
	c.scale = make([]float64, s.x.M())
	for j, b := range c.Blocks {
		c.scale[j] = math.Pow(c.weights[b], 1/degree)
	}
	s.x = scaledColumns(s.x, c.scale)
	return s, unweighed{c.scale}, s.Err()
}

// weightsOf reads or finds the weights of blocks or of datasets.
func (g weighMatrices) weightsOf(s state, what, text, usual string, count int, degree float64, of func(i, j int) int32) ([]float64, error) {
	if text == "" {
		text = usual
	}
	weights := make([]float64, count)
	switch text {
	case "equal":
		for b := range weights {
			weights[b] = 1
		}
		return weights, nil
	case "auto":
		return balancedWeights(s, weights, degree, of)
	}
	given := strings.Split(text, ",")
	if len(given) != count {
		return nil, wording.Errorf("%s: ‹%s_weights› has %d numbers for %d %ss; give one for each in the order of the labels, auto or equal", s.Method(), what, len(given), count, what)
	}
	for b, t := range given {
		w, err := strconv.ParseFloat(strings.TrimSpace(t), 64)
		if err != nil || !(w >= leastWeight && w <= mostWeight) {
			return nil, wording.Errorf("%s: ‹%s_weights› has %q; give numbers from %g to %g, separated by commas, auto or equal", s.Method(), what, t, leastWeight, mostWeight)
		}
		weights[b] = w
	}
	return weights, nil
}

// balancedWeights are those by which all parts have the same sum of powers, as large together as without weights. A part of zeros
// has the weight 1.
func balancedWeights(s state, sums []float64, degree float64, of func(i, j int) int32) ([]float64, error) {
	_, _, largest := s.x.Largest()
	largest = math.Abs(largest)
	var all, parts float64
	for i := range s.x.N() {
		if i%1024 == 0 && s.Err() != nil {
			return nil, s.Err()
		}
		eachEntry(s.x, i, func(j int, v float64) {
			if v != 0 && !math.IsNaN(v) {
				p := math.Pow(math.Abs(v)/largest, degree)
				all += p
				sums[of(i, j)] += p
			}
		})
	}
	for _, sum := range sums {
		if sum > 0 {
			parts++
		}
	}
	for b, sum := range sums {
		if sums[b] = 1; sum > 0 {
			sums[b] = min(max(all/(parts*sum), leastWeight), mostWeight)
		}
	}
	return sums, nil
}

// scaledColumns are the samples with their columns multiplied by numbers.
func scaledColumns(x samples.Samples, scale []float64) samples.Samples {
	if a := x.Compressed(); a != nil {
		scaled := *a
		scaled.Val = slices.Clone(a.Val)
		for p, j := range a.Col {
			scaled.Val[p] *= scale[j]
		}
		return samples.OfCompressed(&scaled)
	}
	data := slices.Clone(x.Data())
	m := x.M()
	for at := range data {
		data[at] *= scale[at%m]
	}
	return x.WithData(data)
}

// unweighed converts factors of weighted blocks to the unit of the data.
type unweighed struct{ scale []float64 }

func (u unweighed) back(f *fitted) error {
	found := f.result.(factors)
	found.H, found.Own = u.divided(found.H), u.divided(found.Own)
	if f.rule != nil {
		by := f.rule.Map.(extend.FactorsMap)
		by.Scale = u.scale
		f.rule.Map = by
	}
	return nil
}

// divided is a copy of rows with the scale taken off.
func (u unweighed) divided(h []float64) []float64 {
	if h == nil {
		return nil
	}
	h = slices.Clone(h)
	for at := range h {
		h[at] /= u.scale[at%len(u.scale)]
	}
	return h
}

// scaleStart brings a given start of H to the weighted blocks.
func (c *collected) scaleStart(h *mat.Dense) *mat.Dense {
	if c == nil || c.scale == nil || h == nil {
		return h
	}
	if _, m := h.Dims(); m != len(c.scale) {
		return h // which is refused later
	}
	h = mat.DenseCopyOf(h)
	h.Apply(func(_, j int, v float64) float64 { return v * c.scale[j] }, h)
	return h
}

// known reads whether the entries of a sample are there, as the weights of its entries.
func (s state) known(i, m int) func(j int) float64 {
	c := s.collection
	if c == nil || c.Patterns == nil {
		return s.weights.Row(i, m)
	}
	return func(j int) float64 {
		if c.Has(i, int(c.Blocks[j])) {
			return 1
		}
		return 0
	}
}

// takeCollection copies what was found of blocks and datasets into the result.
func (r *Factorization) takeCollection(c *collected, found *factor.Found) {
	if c == nil {
		return
	}
	for b, label := range c.blocks {
		r.Blocks = append(r.Blocks, FactorBlock{Label: label, Columns: c.blockSizes[b], Weight: c.weights[b], Lacking: c.lacking[b], RelativeError: found.BlockErrors[b]})
	}
	for d, label := range c.datasets {
		r.Datasets = append(r.Datasets, FactorDataset{Label: label, Samples: c.datasetSizes[d], Weight: c.Weights[d], RelativeError: found.DatasetErrors[d], OwnShare: found.OwnShares[d]})
	}
	if found.Own != nil {
		r.Own = mat.NewDense(len(found.Own)/r.Features, r.Features, found.Own)
	}
}

// componentsOf are the components of a sample: H, or with datasets H + V of its dataset.
func (r *Factorization) componentsOf(c *collected, i int) mat.Matrix {
	if c == nil || r.Own == nil {
		return r.H
	}
	d := int(c.Datasets[i])
	var whole mat.Dense
	whole.Add(r.H, r.Own.Slice(d*r.Rank, (d+1)*r.Rank, 0, r.Features))
	return &whole
}
