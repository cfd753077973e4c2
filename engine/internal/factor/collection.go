package factor

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// CollectionErrors say how well each block and each dataset of a [Work.Collection] is fitted.
type CollectionErrors struct {
	BlockErrors   []float64 // ‖X_b − WH_b‖/‖X_b‖, under the weights of the entries
	DatasetErrors []float64 // likewise of datasets
	OwnShares     []float64 // ‖WV‖²/‖W(H + V)‖² of each dataset
}

// Descends reports whether the squared error is minimised by coordinate descent, which takes a [nmf.Collection].
func (r ByNMF) Descends() bool {
	return (r.Loss == nil || r.Loss == nmf.Frobenius) && r.Solver == nmf.HALS
}

// checkDatasets returns an error for options that are incompatible with datasets.
func (r ByNMF) checkDatasets(w Work) error {
	refuse := func(what, remedy string) error {
		return wording.Errorf("%s: "+what+" goes with no ‹datasets›, nor with blocks that samples lack; "+remedy, w.Method())
	}
	switch {
	case r.SumToOne:
		return refuse("‹sum_to_one›", "leave it out")
	case r.Smooth > 0:
		return refuse("‹smooth_h›", "leave it out")
	case r.Extrapolate:
		return refuse("‹extrapolate›", "leave it out")
	case r.Fixed != "" && r.Fixed != nmf.NoneFixed:
		return refuse("‹fixed="+r.Fixed+"›", "choose ‹fixed=none›")
	case r.Order != "" && r.Order != nmf.BasisFirst:
		return refuse("‹order="+r.Order+"›", "choose ‹order=basis-first›")
	case r.Normalize == nmf.EachIteration:
		return refuse("‹normalise=each›", "choose ‹normalise=end› or none")
	case r.Stop == nmf.Violation && r.Tolerance > 0:
		return refuse("‹stop=violation›", "choose ‹stop=change› or relative-decrease")
	case w.Collection.Datasets != nil && w.Weights.Present():
		return wording.Errorf("%s: ‹datasets› take entries that are missing only where a sample lacks a whole block; fill in the others, or leave out ‹datasets›", w.Method())
	}
	return nil
}

// errorRows is the number of samples that a worker measures at a time.
const errorRows = 16

// collectionBytes is the memory of [Work.collectionErrors].
func (w Work) collectionBytes() int64 {
	datasets, blocks := w.Collection.Counts()
	return 8 * (int64(blas.Threads(w.Threads()))*(errorRows+1)*int64(w.X.M()) + 4*int64(datasets*blocks)*int64((w.X.N()+errorRows-1)/errorRows))
}

// collectionErrors measures each block and each dataset.
func (w Work) collectionErrors(d nmf.Data, found *nmf.Result) (CollectionErrors, error) {
	c, m, r := w.Collection, d.Cols, w.Rank
	datasets, blocks := c.Counts()
	sums := make([]float64, (d.Rows+errorRows-1)/errorRows*datasets*blocks*4) // of each piece: the squares of residuals, of data, of WV, of W(H + V)
	tiles := make([][]float64, blas.Threads(w.Threads()))
	err := blas.For(w.Context(), w.Threads(), d.Rows, errorRows, func(worker, lo, hi int) {
		if tiles[worker] == nil {
			tiles[worker] = make([]float64, (errorRows+1)*m)
		}
		model, own := tiles[worker][:(hi-lo)*m], tiles[worker][errorRows*m:]
		w.Kernels().Gemm(false, false, hi-lo, m, r, 1, found.W[lo*r:], r, found.H, m, 0, model, m)
		to := sums[lo/errorRows*datasets*blocks*4:]
		for i := lo; i < hi; i++ {
			row, set := model[(i-lo)*m:(i-lo+1)*m], 0
			if clear(own); c.Datasets != nil {
				set = int(c.Datasets[i])
			}
			if found.Own != nil {
				for k, v := range found.W[i*r : (i+1)*r] {
					blas.Axpy(v, found.Own[(set*r+k)*m:(set*r+k+1)*m], own)
				}
			}
			x, weight := reader(d, i), d.Weights.Row(i, m)
			for j := range m {
				block := 0
				if c.Blocks != nil {
					block = int(c.Blocks[j])
				}
				v := weight(j)
				if v == 0 || !c.Has(i, block) {
					continue
				}
				value, y := x(j), row[j]+own[j]
				at := to[(set*blocks+block)*4:]
				at[0] += float64(v * (value - y) * (value - y))
				at[1] += float64(v * value * value)
				at[2] += float64(v * own[j] * own[j])
				at[3] += float64(v * y * y)
			}
		}
	})
	all := make([]float64, datasets*blocks*4)
	for at := 0; at < len(sums); at += len(all) {
		blas.Axpy(1, sums[at:at+len(all)], all)
	}
	ofBlock, ofDataset := make([]float64, blocks*4), make([]float64, datasets*4)
	for set := range datasets {
		for block := range blocks {
			part := all[(set*blocks+block)*4:][:4]
			blas.Axpy(1, part, ofBlock[block*4:block*4+4])
			blas.Axpy(1, part, ofDataset[set*4:set*4+4])
		}
	}
	e := CollectionErrors{}
	for b := range blocks {
		e.BlockErrors = append(e.BlockErrors, math.Sqrt(ratio(ofBlock[b*4], ofBlock[b*4+1])))
	}
	for s := range datasets {
		e.DatasetErrors = append(e.DatasetErrors, math.Sqrt(ratio(ofDataset[s*4], ofDataset[s*4+1])))
		e.OwnShares = append(e.OwnShares, ratio(ofDataset[s*4+2], ofDataset[s*4+3]))
	}
	return e, err
}

// ratio is a/b; 0 for b = 0.
func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// reader reads the entries of a sample, in ascending columns.
func reader(d nmf.Data, i int) func(j int) float64 {
	if d.Sparse == nil {
		row := d.Dense[i*d.Cols : (i+1)*d.Cols]
		return func(j int) float64 { return row[j] }
	}
	return nmf.Weights{Sparse: d.Sparse}.Row(i, d.Cols)
}

// withOwnParts gives the rule for new samples the own parts of the datasets.
func (f *Found) withOwnParts(w Work) {
	if f.Own == nil || f.Extension == nil {
		return
	}
	by := f.Extension.Map.(extend.FactorsMap)
	by.Own, by.Datasets, by.OwnPenalty = mat.NewDense(len(f.Own)/w.X.M(), w.X.M(), f.Own), w.DatasetLabels, w.Collection.OwnPenalty
	f.Extension.Map = by
}
