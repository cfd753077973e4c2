package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/assign"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/picture"
)

// selecting is one "orthant select".
type selecting struct {
	*invocation
	choice
	in, out   string
	embedding string // what --plot draws the samples in
	drawing
	options engine.SelectOptions
	working

	limited bool // the user set the limits of the iteration
	table   tableFlags
}

func newSelect(inv *invocation) *cobra.Command {
	s := &selecting{invocation: inv}
	cmd := &cobra.Command{
		Use:   "select --method NAME --in X --count T --out INDICES [flags]",
		Short: "Choose exemplars among the samples",
		Long: `Select chooses T samples, the exemplars, that stand for all others. It writes their
row numbers, counted from 0, in the order of choice (ds3: by weight):

` + late(linesOf, "select") + `
dpp and ds3 compare all pairs of samples. They first scale each feature to [0, 1]
(--set scale=shift|none for another scale). ipm and esc-ffs use the directions of the
samples from the origin, without scaling. There are always T exemplars: if a method
finds fewer, the samples farthest from them are added, and a warning says how many.`,
		Example: `  orthant generate two-moons --samples 500 --out x.npy
  orthant select --method dpp --in x.npy --count 50 --out exemplars.npy
  orthant select --method dpp --in x.npy --count 50 --set sample=exact --seed 7 --out drawn.npy
  orthant select --method dpp --in x.npy --count 30 --plot exemplars.html
  orthant select --method ds3 --in x.npy --count 10 --set p=2 --out exemplars.csv`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context(), cmd.Flags()) },
	}
	addGroup(cmd, "What to do", func(f *pflag.FlagSet) {
		f.StringVarP(&s.method, "method", "m", "", "`NAME` of the method: "+late(namesOf, "select"))
		f.IntVarP(&s.options.Count, "count", "t", 0, "exemplars `T` to choose")
		f.IntVarP(&s.neighbors, "neighbors", "k", 0, "the `K`-th nearest sample sets the width of the kernel of dpp, and of ds3 with dissimilarities=kernel (default ⌊√n⌋)")
		f.IntVar(&s.iterations, "iterations", 0, "at most `N` iterations of ds3 (default 3000)")
		f.Float64Var(&s.tolerance, "tolerance", 0, "end ds3 once its mean change is at most `T` (default 1e-7)")
		s.scaleFlag(f)
		f.Var(&s.set, "set", "another parameter of the method; may be repeated")
		f.BoolVar(&s.explain, "explain", false, "say on standard error what will be done, and what it will cost")
	})
	addGroup(cmd, "Input and output", func(f *pflag.FlagSet) {
		f.StringVarP(&s.in, "in", "i", "", inputHelp)
		s.table.addFlags(inv, f)
		s.table.addMissing(f)
		f.StringVarP(&s.out, "out", "o", "", "`FILE` for the indices, an integer an exemplar")
		inv.safeFlag(f)
		s.drawing.define(f, "the samples by their first two principal components, the exemplars ringed, with --image also as images")
		f.StringVar(&s.embedding, "embedding", "", "`FILE` with coordinates of the samples for the plot, in place of principal components")
	})
	reads(cmd, "in", "embedding")
	writes(cmd, "out", "plot")
	inv.completeMethod(cmd, "select")
	return cmd
}

func (s *selecting) run(ctx context.Context, flags *pflag.FlagSet) error {
	method, err := s.chooseMethod(flags)
	if err != nil {
		return err
	}
	if err := s.checkFlags(flags); err != nil {
		return err
	}
	out, err := s.create(s.out)
	if err != nil {
		return err
	}
	plot, err := s.createRaw(s.plot)
	if err != nil {
		return err
	}
	x, err := s.read()
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.collectSooner(x)
	result, err := s.choose(ctx, x, method)
	if err != nil {
		return fromWork(err)
	}
	if err := s.writeOutput(ctx, x, result, out, plot); err != nil {
		return err
	}
	if err := s.report(result); err != nil {
		return err
	}
	if !result.Converged && !s.limited {
		return &notConverged{Text: fmt.Sprintf("%s: no convergence in %d iterations; the best exemplars found are written", result.Method, result.Iterations)}
	}
	return nil
}

// checkFlags refuses what cannot work, before anything is read.
func (s *selecting) checkFlags(flags *pflag.FlagSet) error {
	switch {
	case s.in == "":
		return wrong("--in is missing: the file with the samples, or - for standard input")
	case !flags.Changed("count"):
		return wrong("--count is missing: how many exemplars there are to be")
	case s.options.Count < 1:
		return wrong("--count is %d; give a whole number ≥ 1", s.options.Count)
	case s.out == "" && s.plot == "":
		return wrong("--out is missing: the file for the indices, or - for standard output")
	case s.embedding != "" && s.plot == "":
		s.warn("--embedding does nothing without --plot")
	}
	if err := s.table.checkMissing(s.method); err != nil {
		return err
	}
	if err := s.checkDrawing(&s.drawing, flags); err != nil {
		return err
	}
	return oneStandardInput("--in", s.in, "--embedding", s.embedding)
}

func (s *selecting) read() (*mat.Dense, error) {
	defer s.clock.Phase("read")()
	s.options.Overwrite = s.plot == "" // they are this run's alone, but for what is drawn
	x, err := s.table.read(s.invocation, s.in, "", func(o files.Options) (mat.Matrix, error) { return files.ReadMatrix(s.in, o) })
	if err != nil {
		return nil, err
	}
	return x.(*mat.Dense), nil
}

func (s *selecting) choose(ctx context.Context, x *mat.Dense, method engine.Method) (*engine.Selection, error) {
	progress := s.progressOf()
	defer progress.end()
	o := s.options
	o.Options = s.running(o.Options, &s.working, progress)
	s.hint(ctx, x, method, o.Options)
	result, err := engine.Select(ctx, x, method, o)
	if err != nil {
		return nil, err
	}
	s.worked(progress, result.Warnings)
	return result, nil
}

// chooseMethod makes the method with its parameters from the flags.
func (s *selecting) chooseMethod(flags *pflag.FlagSet) (engine.Method, error) {
	method, given, err := s.make("select", flags)
	if err != nil {
		return nil, err
	}
	s.limited = given.Limited()
	former := assign.DeprecatedKeys(method)
	for _, key := range slices.Sorted(maps.Keys(given)) {
		if slices.Contains(engine.ClusteringOnly(), cmp.Or(former[key], key)) {
			s.warn("%s is about clusterings: it does nothing to a selection", key)
		}
	}
	shared := engine.SelectParameters()
	s.dropIdle(given, shared, "selection")
	return method, setParameters(s.invocation, "select", method, given, &s.options.Options, shared)
}

func (s *selecting) writeOutput(ctx context.Context, x *mat.Dense, r *engine.Selection, out, plot *files.Output) error {
	defer s.clock.Phase("write")()
	indices := make([]int64, len(r.Indices))
	var ids []string
	for at, i := range r.Indices {
		indices[at] = int64(s.table.row(i))
		if s.table.ids != nil {
			ids = append(ids, s.table.ids[i])
		}
	}
	if out != nil {
		s.table.title(s.invocation, out, []string{"row"}, ids)
		if err := out.WriteLabels(indices); err != nil {
			return err
		}
	}
	if plot != nil {
		if err := s.draw(ctx, x, r, plot); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.commit()
}

// selectReport is what --json prints of a selection.
type selectReport struct {
	Method     string            `json:"method"`
	Params     map[string]any    `json:"params"`
	Samples    int               `json:"samples"`
	Features   int               `json:"features"`
	Count      int               `json:"count"`
	Objective  map[string]number `json:"objective"`
	Iterations int               `json:"iterations"`
	Converged  bool              `json:"converged"`
	Duplicates int               `json:"duplicates"`
	Seed       uint64            `json:"seed"`
	Out        string            `json:"out"`
	Plot       string            `json:"plot"`
	Details    map[string]any    `json:"details"`
	Explained  []string          `json:"explanation,omitempty"`
	cost
	machine
}

func (s *selecting) report(r *engine.Selection) error {
	spent := s.spentBy(r.Seconds, r.CPUSeconds, r.Backend, r.Threads, r.EstimatedBytes)
	if s.json {
		return s.printJSON(selectReport{
			Method: r.Method, Params: finite(r.Params), Samples: r.Samples, Features: r.Features, Count: len(r.Indices),
			Objective:  map[string]number{"first": number(r.FirstObjective), "last": number(r.Objective)},
			Iterations: r.Iterations, Converged: r.Converged, Duplicates: r.Duplicates, Seed: s.seed, Out: s.out, Plot: s.plot, Details: finite(r.Details),
			Explained: s.explanation(), cost: spent, machine: s.machine(),
		})
	}
	w := s.say()
	line(w, r.Method, "%s", pairs(r.Params))
	line(w, "data", "%s × %s", counted(r.Samples, "sample"), counted(r.Features, "feature"))
	const shown = 12
	text := fmt.Sprintf("%d: %v", len(r.Indices), r.Indices[:min(len(r.Indices), shown)])
	if len(r.Indices) > shown {
		text = strings.TrimSuffix(text, "]") + " …]"
	}
	line(w, "exemplars", "%s", text)
	if !math.IsNaN(r.Objective) {
		line(w, "objective", "%.6g after %s, %.6g at first", r.Objective, counted(r.Iterations, "step"), r.FirstObjective)
	}
	writeCost(w, spent)
	writeWritten(w, s.out, s.plot)
	return nil
}

// draw shows the exemplars ringed among the samples, and of images as images.
func (s *selecting) draw(ctx context.Context, x *mat.Dense, r *engine.Selection, to *files.Output) error {
	s.takeShape(s.images)
	points, err := s.samplesOnPlane(ctx, x, s.embedding, s.options.Standardize)
	if err != nil {
		return err
	}
	points.Marked, points.IDs = slices.Clone(r.Indices), s.table.ids
	page := &picture.Page{Title: fmt.Sprintf("%s  ·  %s of %s", r.Method, counted(len(r.Indices), "exemplar"), counted(r.Samples, "sample"))}
	if points.Images, err = s.imagesOf(x); err != nil {
		return err
	}
	if points.Images != nil {
		page.Panels = append(page.Panels, &picture.Montage{Images: points.Images, Rows: r.Indices, Captions: s.table.ids})
	}
	page.Panels = append(page.Panels, points)
	return s.drawPage(&s.drawing, page, to)
}
