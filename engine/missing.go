package engine

import (
	"fmt"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// MissingEntries says which entries of the data are missing. A factorisation gives them the
// weight 0: see [nmf.Weights].
type MissingEntries struct {
	Missing  string `json:"missing" default:"error" allowed:"error|weight" doc:"in a factorisation: an entry NaN is an error, or is missing and has the weight 0"`
	Unstored string `json:"unstored" default:"zero" allowed:"zero|missing" doc:"in a factorisation of sparse data with missing=weight: an entry that is not stored is 0, or is missing"`
}

func (g MissingEntries) give(r *factor.ByNMF) {
	r.Missing, r.Unstored = g.Missing == "weight", g.Unstored == "missing"
}

// missingEntries gives the group of a method that has it.
func (g MissingEntries) missingEntries() MissingEntries { return g }

// missingOf are the missing entries of a method; false: it takes none, and no weights.
func missingOf(m Method) (MissingEntries, bool) {
	of, takes := m.(interface{ missingEntries() MissingEntries })
	if !takes {
		return MissingEntries{}, false
	}
	return of.missingEntries(), true
}

// weighing are the names of the methods that take weights of the entries.
func weighing() (names []string) {
	for _, e := range table {
		m := e.make()
		if _, takes := missingOf(m); takes {
			names = append(names, m.Name())
		}
	}
	return names
}

// refuseMissing refuses a clustering of data that are said to lack entries.
func refuseMissing(m Method) error {
	if g, _ := missingOf(m); g.Missing == "weight" || g.Unstored == "missing" {
		return wording.Errorf("%s: ‹missing=weight› and ‹unstored=missing› are of a factorisation; leave them out, or factorise and cluster the coordinates", m.Name())
	}
	return nil
}

// withoutMissing are parameters without those of missing entries, which clusterings do not
// read.
func withoutMissing(params map[string]any) {
	delete(params, "missing")
	delete(params, "unstored")
}

// weighted are the weights that were given and those of missing entries, and the samples with
// zeros in all entries of weight 0. Without weights the samples come back as they are.
func (b *begun) weighted(x samples.Samples, m Method, given mat.Matrix) (samples.Samples, nmf.Weights, error) {
	g, takes := missingOf(m)
	d := factor.DataOf(x)
	switch {
	case !takes && given != nil:
		return x, d.Weights, fmt.Errorf("%s: weights of the entries are for %s; leave them out", b.Method(), strings.Join(weighing(), ", "))
	case !takes:
		return x, d.Weights, nil
	case g.Unstored == "missing" && g.Missing != "weight":
		return x, d.Weights, wording.Errorf("%s: ‹unstored=missing› goes with ‹missing=weight›; give both", b.Method())
	case g.Unstored == "missing" && x.Compressed() == nil:
		return x, d.Weights, wording.Errorf("%s: ‹unstored=missing› is for sparse data, and these are dense; mark what is missing by NaN and leave it out", b.Method())
	}
	if err := b.giveWeights(&d, given); err != nil {
		return x, nmf.Weights{}, err
	}
	if g.Unstored == "missing" {
		d.Weights = d.Weights.Stored(x.Compressed())
	}
	pattern, row, col := x.NotNumbers()
	if pattern.NNZ() > 0 {
		if g.Missing != "weight" {
			return x, d.Weights, wording.Errorf("%s: row %d, column %d (counting from 1) is NaN; remove or fill it in, or say that it is missing, so that it has the weight 0 (‹missing=weight›)", b.Method(), row+1, col+1)
		}
		d = d.Without(pattern)
	}
	if !d.Weights.Present() {
		return x, d.Weights, nil
	}
	share := d.Weights.MissingShare(x.N(), x.M())
	b.Note("missing_share", share)
	b.Explain("data: %.4g of the entries are missing, with the weight 0", share)
	b.Run = b.Holding(x.Bytes() + d.Weights.Bytes())
	return x.Zeroed(func(i int) func(j int) bool {
		at := d.Weights.Row(i, x.M())
		return func(j int) bool { return at(j) == 0 }
	}), d.Weights, nil
}

// giveWeights takes the weights of the options, dense or sparse.
func (b *begun) giveWeights(d *nmf.Data, given mat.Matrix) error {
	if absent(given) {
		return nil
	}
	rows, cols := given.Dims()
	if rows != d.Rows || cols != d.Cols {
		return fmt.Errorf("%s: the weights of the entries are %d × %d for %d × %d data; give one for each entry", b.Method(), rows, cols, d.Rows, d.Cols)
	}
	stored, isSparse, err := sparse.Of(given)
	switch {
	case err != nil:
		return fmt.Errorf("%s: the weights of the entries: %w", b.Method(), err)
	case isSparse:
		d.Weights.Sparse = stored
	default:
		d.Weights.Dense = samples.Of(given).Data()
	}
	return b.Solver(d.Weights.Check(rows, cols))
}
