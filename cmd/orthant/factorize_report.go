package main

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

// factorOutputs are the files under construction; nil where none was asked for.
type factorOutputs struct{ w, h, offset, imputed, model, plot *files.Output }

func (f *factorization) createOutputs() (out factorOutputs, err error) {
	if out.w, err = f.create(f.outW); err != nil {
		return out, err
	}
	if out.h, err = f.create(f.outH); err != nil {
		return out, err
	}
	if out.offset, err = f.create(f.outOffset); err != nil {
		return out, err
	}
	if out.imputed, err = f.create(f.outImputed); err != nil {
		return out, err
	}
	if f.plot != "" {
		if out.plot, err = f.createRaw(f.plot); err != nil {
			return out, err
		}
	}
	if f.model != "" {
		out.model, err = f.createRaw(f.model)
	}
	return out, err
}

// writeOutputs writes everything before it commits anything.
func (f *factorization) writeOutputs(ctx context.Context, r *engine.Factorization, out factorOutputs) error {
	defer f.clock.Phase("write")()
	f.table.title(f.invocation, out.w, coordinateNames(r.Method, r.Rank), f.table.ids)
	f.table.title(f.invocation, out.imputed, f.table.names, f.table.ids)
	for _, o := range []*files.Output{out.h, out.offset} {
		f.table.title(f.invocation, o, f.table.names, nil)
	}
	for _, o := range []struct {
		to     *files.Output
		factor *mat.Dense
	}{{out.w, r.W}, {out.h, r.H}, {out.offset, offsetOf(r)}, {out.imputed, r.Imputed}} {
		if o.to != nil {
			if err := o.to.WriteMatrix(o.factor, f.writing()); err != nil {
				return err
			}
		}
	}
	if out.plot != nil {
		if err := f.draw(r, out.plot); err != nil {
			return err
		}
	}
	if out.model != nil {
		if err := saveModel(r, out.model); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return f.commit()
}

// offsetOf is the offset as a row.
func offsetOf(r *engine.Factorization) *mat.Dense {
	row := mat.NewDense(1, r.Features, nil)
	if r.Offset != nil {
		row.SetRow(0, r.Offset)
	}
	return row
}

// factorReport is what --json prints of a factorisation.
type factorReport struct {
	Method     string          `json:"method"`
	Params     map[string]any  `json:"params"`
	Samples    int             `json:"samples"`
	Features   int             `json:"features"`
	Rank       int             `json:"rank"`
	Sparse     bool            `json:"sparse"` // the data were and stayed sparse
	Objective  span            `json:"objective"`
	Trace      factorTrace     `json:"trace"`
	Iterations int             `json:"iterations"`
	Converged  bool            `json:"converged"`
	Error      number          `json:"relative_error"` // ‖X − offset − WH‖/‖X − offset‖
	Quality    *engine.Verdict `json:"quality"`
	Components int             `json:"components"`
	Sizes      []int           `json:"component_sizes"`
	Duplicates int             `json:"duplicates"`
	Seed       uint64          `json:"seed"`
	OutW       string          `json:"out_w"`
	OutH       string          `json:"out_h"`
	OutOffset  string          `json:"out_offset"`
	OutImputed string          `json:"out_imputed"`
	Model      string          `json:"model"`
	Plan       string          `json:"plan"`
	Details    map[string]any  `json:"details"`
	Explained  []string        `json:"explanation,omitempty"`
	cost
	machine
}

// factorTrace is how the iteration went, at the start, every so many iterations and
// at the end, before the components are normalised.
type factorTrace struct {
	Iteration   []int    `json:"iteration"`
	Objective   []number `json:"objective"`
	Surrogate   []number `json:"surrogate"` // differs from the objective for correntropy alone
	Error       []number `json:"relative_error"`
	Regularizer []number `json:"regulariser"`
	Sigma2      []number `json:"sigma2"` // 0 without correntropy
}

func traceOf(r *engine.Factorization) (t factorTrace) {
	for _, p := range r.Trace {
		t.Iteration = append(t.Iteration, p.Iteration)
		t.Objective = append(t.Objective, number(p.Objective))
		t.Surrogate = append(t.Surrogate, number(p.Surrogate))
		t.Error = append(t.Error, number(p.Residual))
		t.Regularizer = append(t.Regularizer, number(p.Regularizer))
		t.Sigma2 = append(t.Sigma2, number(p.Sigma2))
	}
	return t
}

func (f *factorization) report(r *engine.Factorization) error {
	c := f.spentBy(r.Seconds, r.CPUSeconds, r.Backend, r.Threads, r.EstimatedBytes)
	first, last := r.Trace[0], r.Trace[len(r.Trace)-1]
	if f.json {
		return f.printJSON(factorReport{
			Method: r.Method, Params: finite(r.Params), Samples: r.Samples, Features: r.Features, Rank: r.Rank, Sparse: r.Sparse,
			Objective: span{First: number(first.Objective), Last: number(last.Objective)}, Trace: traceOf(r),
			Iterations: r.Iterations, Converged: r.Converged, Error: number(r.RelativeError), Quality: r.Quality,
			Components: r.Components, Sizes: list(r.Sizes), Duplicates: r.Duplicates, Seed: f.seed,
			OutW: f.outW, OutH: f.outH, OutOffset: f.outOffset, OutImputed: f.outImputed, Model: f.model, Plan: r.Plan, Details: finite(r.Details),
			Explained: f.explanation(), cost: c, machine: f.machine(),
		})
	}
	w := f.say()
	line(w, r.Method, "%s", pairs(r.Params))
	kind := ""
	if r.Sparse {
		kind = ", sparse"
	}
	line(w, "data", "%s × %s%s → %s", counted(r.Samples, "sample"), counted(r.Features, "feature"), kind, counted(r.Rank, "component"))
	if share, lacks := r.Details["missing_share"].(float64); lacks {
		line(w, "missing", "%.4g %% of the entries have the weight 0", 100*share)
	}
	if r.Components > 0 {
		writeComponents(w, r.Components, r.Sizes)
	}
	how := ""
	if r.Converged {
		how = ", converged"
	}
	line(w, "iterations", "%d%s", r.Iterations, how)
	line(w, "objective", "%.6g, at the start %.6g", last.Objective, first.Objective)
	of := "‖X‖"
	if r.Offset != nil {
		of = "‖X − offset‖"
	}
	line(w, "error", "%.6g of %s", r.RelativeError, of)
	writeCost(w, c)
	writeWritten(w, f.outW, f.outH, f.outOffset, f.outImputed, f.model, f.plot)
	return nil
}
