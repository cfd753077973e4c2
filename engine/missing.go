package engine

import (
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/factor"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// weighing returns the names of the methods that accept weights of the entries.
func weighing() []string {
	return method.NamesWhere(func(_ Method, r method.Row) bool { return r.Missing != nil })
}

// refuseMissing returns an error for a clustering with options for missing entries.
func refuseMissing(m Method) error {
	if g := method.RowOf(m).Missing; g != nil && (g.Missing == "weight" || g.Unstored == "missing") {
		return wording.Errorf("%s: ‹missing=weight› and ‹unstored=missing› are of a factorisation; leave them out, or factorise and cluster the coordinates", m.Name())
	}
	return nil
}

// incomplete reports whether samples of an embedding may lack entries.
func (s state) incomplete() bool { return method.RowOf(s.method).Takes(method.Gaps) }

// refuseIncomplete returns an error for an option that needs all entries of the samples.
func (s state) refuseIncomplete(option string) error {
	if !s.incomplete() || !s.x.Incomplete() {
		return nil
	}
	return wording.Errorf("%s: %s needs every entry of the samples, and some are missing; leave it out, or fill them in first", s.Method(), option)
}

// weigh finds the weights of the entries of a factorisation: the given ones, and 0 for
// missing entries. The samples get zeros in all entries of weight 0.
type weigh struct{ weights mat.Matrix }

func (g weigh) apply(s state) (state, undo, error) {
	x, of := s.x, method.RowOf(s.method).Missing
	d := factor.DataOf(x)
	switch {
	case of == nil && g.weights != nil:
		return s, nil, fmt.Errorf("%s: weights of the entries are for %s; leave them out", s.Method(), strings.Join(weighing(), ", "))
	case of == nil:
		return s, nil, nil
	case of.Unstored == "missing" && of.Missing != "weight":
		return s, nil, wording.Errorf("%s: ‹unstored=missing› goes with ‹missing=weight›; give both", s.Method())
	case of.Unstored == "missing" && x.Compressed() == nil:
		return s, nil, wording.Errorf("%s: ‹unstored=missing› is for sparse data, and these are dense; mark what is missing by NaN and leave it out", s.Method())
	}
	if err := g.give(s, &d); err != nil {
		return s, nil, err
	}
	if of.Unstored == "missing" {
		d.Weights = d.Weights.Stored(x.Compressed())
	}
	pattern, row, col := x.NotNumbers()
	if pattern.NNZ() > 0 {
		if of.Missing != "weight" {
			return s, nil, wording.Errorf("%s: row %d, column %d (counting from 1) is NaN; remove or fill it in, or say that it is missing, so that it has the weight 0 (‹missing=weight›)", s.Method(), row+1, col+1)
		}
		d = d.Without(pattern)
	}
	if s.weights = d.Weights; !s.weights.Present() {
		return s, nil, nil
	}
	share := d.Weights.MissingShare(x.N(), x.M())
	s.Note("missing_share", share)
	s.Explain("data: %.4g of the entries are missing, with the weight 0", share)
	s.Run = s.Holding(x.Bytes() + d.Weights.Bytes())
	s.x = x.Zeroed(func(i int) func(j int) bool {
		at := d.Weights.Row(i, x.M())
		return func(j int) bool { return at(j) == 0 }
	})
	return s, nil, nil
}

// give sets the given weights, dense or sparse.
func (g weigh) give(s state, d *nmf.Data) error {
	given := g.weights
	if param.Absent(given) {
		return nil
	}
	rows, cols := given.Dims()
	if rows != d.Rows || cols != d.Cols {
		return fmt.Errorf("%s: the weights of the entries are %d × %d for %d × %d data; give one for each entry", s.Method(), rows, cols, d.Rows, d.Cols)
	}
	stored, isSparse, err := sparse.Of(given)
	switch {
	case err != nil:
		return fmt.Errorf("%s: the weights of the entries: %w", s.Method(), err)
	case isSparse:
		d.Weights.Sparse = stored
	default:
		d.Weights.Dense = samples.Of(given).Data()
	}
	return s.WrapSolverError(d.Weights.Check(rows, cols))
}

// farOff is the multiple of the largest known entry beyond which an imputed entry causes a warning:
// the known entries hardly determine it.
const farOff = 3

// imputed returns the data with X̂ = offset + WH in place of entries of weight 0. If nothing is
// missing, that is a copy. It warns of entries far beyond all known ones.
func (s state) imputed(x mat.Matrix, r *Factorization) *mat.Dense {
	w, offset := r.W, r.Offset
	full := mat.DenseCopyOf(x)
	if !s.weights.Present() && (s.collection == nil || s.collection.Patterns == nil) {
		return full
	}
	var model mat.Dense
	var known, most float64
	var row, col int
	rows, cols := full.Dims()
	for i := range rows {
		entries, at := full.RawRowView(i), s.known(i, cols)
		missing := false
		for j, e := range entries {
			if at(j) == 0 {
				entries[j], missing = math.NaN(), true
			} else {
				known = max(known, math.Abs(e))
			}
		}
		if !missing {
			continue
		}
		model.Mul(w.RowView(i).T(), r.componentsOf(s.collection, i))
		for j, t := range model.RawRowView(0) {
			if !math.IsNaN(entries[j]) {
				continue
			}
			if offset != nil {
				t += offset[j]
			}
			if entries[j] = t; math.Abs(t) > most {
				most, row, col = math.Abs(t), i, j
			}
		}
	}
	if most > farOff*known {
		s.Warn("the missing entry in row %d, column %d (counting from 1) is imputed as %.4g, where the largest known one is %.4g: the known entries do not determine it; take a smaller rank, or a penalty (alpha_w, about a hundredth of the mean of the entries)",
			row+1, col+1, full.At(row, col), known)
	}
	return full
}
