package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/diagnosis"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// EmbedSource is [Embed] for dense samples that need not fit into memory, by pca. The source is read twice: for the products of its
// columns, and for the coordinates of its rows. The result is that of Embed up to rounding.
//
// Memory is about two blocks of rows, the products of the columns and their eigenvectors (24m² bytes), and the coordinates. Options that
// change or choose samples, weights and missing entries are refused, and copies are not counted. The verdict is not made.
func EmbedSource(ctx context.Context, src nmf.Source, m Method, o Options) (*Result, error) {
	clock := NewClock()
	switch {
	case ctx == nil:
		return nil, run.ErrNoContext
	case param.Absent(m):
		return nil, method.ErrNoMethod
	case param.Absent(src):
		return nil, errors.New("engine: no samples to read; give a source")
	}
	o, err := withDefaults(o)
	if err != nil {
		return nil, err
	}
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	rows := src.Rows()
	if rows < 0 { // known after they are read once
		rows = method.AnySize
	}
	f := fit{task: "embed", options: o, data: shape{rows, src.Cols()}, clock: clock}
	s := state{Run: method.NewRun(ctx, m.Name(), kernels, o, clock), method: m}
	if err := s.refuseBlocks(src, o); err != nil {
		return nil, err
	}
	if err := s.refuseShape(f.task, f.data); err != nil {
		return nil, err
	}
	if s, _, err = through(s, parameters{fit: f, early: true}); err != nil {
		return nil, err
	}
	row := method.RowOf(s.method)
	block, need := blockRows(src.Cols()), 24*int64(src.Cols())*int64(src.Cols())
	need += 16 * int64(block) * int64(src.Cols())
	fit := func(rows int) error {
		return s.Fit(need+8*int64(rows)*int64(row.Dim), fmt.Sprintf("the products of %d columns and the coordinates of %d samples need", src.Cols(), rows), "take fewer columns or samples, or raise the limit")
	}
	if err := fit(max(0, src.Rows())); err != nil {
		return nil, err
	}
	solved, err := row.Blocks(s.Run, s.blocks(src, block, fit))
	if err != nil {
		return nil, err
	}
	n, _ := solved.Y.Dims()
	found, err := diagnosis.Judge(patch.Local{Run: s.Run, X: samples.Unknown(n)}, patch.Rule{}, solved.Solution, row.Embed().Aim, s.untried("the samples are not in memory"))
	if err != nil {
		return nil, err
	}
	for i := range found.NotJudged {
		found.NotJudged[i].Why = "the samples are read block by block"
	}
	f.data = shape{n, src.Cols()}
	return f.result(s, &outcome{Solved: solved, quality: qualityOf(found, solved.Solution)}), s.Err()
}

// EmbedsSource reports whether [EmbedSource] accepts the method.
func EmbedsSource(m Method) bool {
	settled, err := param.Resolve(m.Name(), m, method.AnySize, func(string, ...any) {})
	return err == nil && method.RowOf(settled).Blocks != nil && method.RowOf(settled).Components == nil && !param.IsAuto(m, param.Dim)
}

// refuseBlocks returns an error for methods and options that need all samples at once.
func (s state) refuseBlocks(src nmf.Source, o Options) error {
	switch {
	case !EmbedsSource(s.method):
		return wording.Errorf("%s: samples are read block by block for pca with a number of coordinates and without missing entries; give all samples at once", s.Method())
	case src.Sparse():
		return fmt.Errorf("%s: samples that are read block by block are dense, and these are sparse; give them at once", s.Method())
	}
	for _, needs := range []struct {
		is   bool
		what string
	}{
		{o.Standardize != "none", "‹standardize=" + o.Standardize + "›"}, {o.Duplicates == "merge", "‹duplicates=merge›"}, {o.Denoise != "off", "‹denoise=" + o.Denoise + "›"},
		{landmarksOf(o).asked(), "‹landmarks›"}, {o.Reduce != "auto" && o.Reduce != "none", "‹reduce=" + o.Reduce + "›"}, {o.Radius != "none", "‹radius›"}, {o.Weights != nil, "weights of samples"},
		{len(structures(o)) > 0, "what is given of a graph"}, {o.Init != nil, "‹init›"}, {o.Certified, "‹certify›"}, {!s.euclidean(), "‹metric›"},
	} {
		if needs.is {
			return wording.Errorf("%s: %s needs all samples at once, and these are read block by block; leave it out", s.Method(), needs.what)
		}
	}
	return nil
}

// blockRows returns the number of rows in a block.
func blockRows(m int) int { return max(64, blockBytes/(8*m)) }

// blocks reads a source from its beginning, in blocks of a number of rows whatever the number that it gives at a time. fit is asked
// whether the rows read so far still fit into memory.
func (s state) blocks(src nmf.Source, rows int, fit func(rows int) error) samples.Blocks {
	m := src.Cols()
	block := make([]float64, rows*m)
	pass, read := 0, 0
	return samples.Blocks{M: m, Each: func(yield func([]float64) error) error {
		if err := src.Seek(0); err != nil {
			return err
		}
		progress := func(int) {}
		if pass++; src.Rows() > 0 {
			progress = s.Counted([]string{"alignment", "solve"}[min(pass, 2)-1], src.Rows())
		}
		for ended := false; !ended; {
			filled := 0
			for filled < rows && !ended {
				n, err := src.Next(block[filled*m:])
				if ended = errors.Is(err, io.EOF); err != nil && !ended {
					return err
				}
				filled += n
			}
			if filled == 0 {
				break
			}
			if err := s.refuseEntries(block[:filled*m]); err != nil {
				return err
			}
			if pass == 1 {
				read += filled
				if err := fit(read); err != nil {
					return err
				}
			}
			if err := yield(block[:filled*m]); err != nil {
				return err
			}
			progress(filled)
		}
		return s.Err()
	}}
}

// refuseEntries returns an error for entries that are not finite, which files refuse before.
func (s state) refuseEntries(rows []float64) error {
	for _, v := range rows {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return fmt.Errorf("%s: an entry of the samples is %v; give finite numbers", s.Method(), v)
		}
	}
	return nil
}
