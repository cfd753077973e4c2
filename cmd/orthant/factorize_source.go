package main

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

// inBatches reports whether the samples are read batch by batch: not from standard input,
// which is read once, nor if the start covers all of them.
func (f *factorization) inBatches(method engine.Method) bool {
	return engine.InBatches(method) && f.in != "-" && f.initW == "" && !f.structured()
}

// runInBatches factorises samples that are never in memory as a whole.
func (f *factorization) runInBatches(ctx context.Context, method engine.Method) error {
	out, err := f.createOutputs()
	if err != nil {
		return err
	}
	if err := f.checkBlocks(); err != nil {
		return err
	}
	o := f.table.options(f.invocation, f.in, "")
	if err := f.table.readAbout(f.invocation, f.in, o); err != nil {
		return err
	}
	samples, err := files.OpenBlocks(f.in, o)
	if err != nil {
		return f.table.remedy(f.in, o, err)
	}
	defer samples.Close()
	if why := samples.Whole(); why != "" {
		f.warn("%s is read as a whole: %s", f.in, why)
	}
	sink := &coordinateSink{}
	f.table.title(f.invocation, out.w, coordinateNames(method.Name(), f.options.Rank), f.table.ids)
	if out.w != nil {
		if sink.rows, err = out.w.Rows(samples.Rows(), f.options.Rank, f.writing()); err != nil {
			return err
		}
	}
	result, err := f.factorizeInBatches(ctx, samples, sink, method)
	if err != nil {
		return fromWork(err)
	}
	if err := sink.close(); err != nil {
		return err
	}
	out.w = nil // it is written
	return f.conclude(ctx, result, out)
}

// checkBlocks refuses what needs all samples at once.
func (f *factorization) checkBlocks() error {
	switch {
	case f.table.missing == "drop" || f.table.missing == "mean":
		return wrong("--missing %s needs all samples in memory, and solver=minibatch reads them batch by batch; fill them in first, or take another solver", f.table.missing)
	case files.IsImages(f.in):
		return wrong("solver=minibatch reads samples batch by batch from a file, and %s means images; take another solver", f.in)
	}
	return f.table.checkRows(f.in)
}

func (f *factorization) factorizeInBatches(ctx context.Context, samples *files.Blocks, sink *coordinateSink, method engine.Method) (*engine.Factorization, error) {
	progress := f.progressOf()
	defer progress.end()
	o := f.options
	o.Options, o.Model = f.running(o.Options, &f.working, progress), f.model != ""
	result, err := engine.FactorizeSource(ctx, samples, method, o, sink)
	if err != nil {
		return nil, err
	}
	f.worked(progress, result.Warnings)
	return result, nil
}

// coordinateSink is where W goes, block by block; the zero value is nowhere.
type coordinateSink struct{ rows *files.RowWriter }

func (s *coordinateSink) Write(w *mat.Dense) error {
	if s.rows == nil {
		return nil
	}
	return s.rows.Write(w)
}

func (s *coordinateSink) close() error {
	if s.rows == nil {
		return nil
	}
	return s.rows.Close()
}
