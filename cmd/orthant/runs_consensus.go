package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/sparse"
)

// consensusReport is what --json prints of the runs of one rank, and consensus.json keeps.
type consensusReport struct {
	Rank       int      `json:"rank"`
	Runs       int      `json:"runs"`
	Components int      `json:"components"` // of all runs
	Kept       int      `json:"kept"`       // by the density filter
	Threshold  float64  `json:"local_density_threshold"`
	Stability  number   `json:"stability"` // silhouette
	Error      number   `json:"prediction_error"`
	Relative   number   `json:"relative_error"`
	AllStable  number   `json:"stability_unfiltered"` // of all components: what ranks are compared by
	AllError   number   `json:"prediction_error_unfiltered"`
	Cophenetic number   `json:"cophenetic_correlation"`
	Sampled    int      `json:"cophenetic_samples"`
	Problem    string   `json:"problem"` // why there is no consensus; empty: there is one
	Written    []string `json:"written"`

	Parts []consensusPart `json:"parts,omitempty"` // the components of the tables, in their order
}

// stabilityOfPart is how reliably runs find a component again.
type stabilityOfPart struct {
	Cosine     number `json:"cosine"` // with the components matched with it, the mean over the runs
	Least      number `json:"least_cosine"`
	Silhouette number `json:"silhouette"` // null of rank 1
}

func stabilityOfParts(p engine.PartStability) stabilityOfPart {
	return stabilityOfPart{number(p.Cosine), number(p.Least), number(p.Silhouette)}
}

// consensusPart is one component of a consensus.
type consensusPart struct {
	stabilityOfPart
	Kept       int    `json:"kept"` // components in its cluster
	Share      number `json:"share"`
	Sparseness number `json:"sparseness"`
}

// partsReport is what --json prints of the components of the best run of a rank.
type partsReport struct {
	Rank  int               `json:"rank"`
	Run   int               `json:"run"`  // of the least objective, which the others are compared with
	Runs  int               `json:"runs"` // that are compared
	Parts []stabilityOfPart `json:"parts"`
}

// stabilities compares the runs of each rank with the best of them; nil: a rank has one run.
func (f *factorization) stabilities(ctx context.Context, x mat.Matrix, j *runsJournal) ([]partsReport, error) {
	if f.many.runs < 2 {
		return nil, nil
	}
	defer f.clock.Phase("stability")()
	var list []partsReport
	for _, rank := range f.rank.ranks {
		best := runKey{rank, 0}
		for run := range f.many.runs {
			if key := (runKey{rank, run}); j.kept[key].Objective < j.kept[best].Objective {
				best = key
			}
		}
		_, m := x.Dims()
		some := engine.ComparedRuns(f.many.runs, rank, m, best.run)
		spectra, err := j.spectra(rank, some)
		if err != nil {
			return nil, err
		}
		parts, err := engine.StabilityOfParts(ctx, spectra, rank, slices.Index(some, best.run), engine.StabilityOptions{Backend: f.backend, Threads: f.threads})
		switch {
		case ctx.Err() != nil:
			return nil, &interrupted{Hint: "the runs are made; the same command with --resume compares them"}
		case err != nil:
			return nil, err
		}
		r := partsReport{Rank: rank, Run: best.run, Runs: len(some)}
		for _, p := range parts {
			r.Parts = append(r.Parts, stabilityOfParts(p))
		}
		list = append(list, r)
	}
	return list, nil
}

// write prints the cosine of each component.
func (r partsReport) write(w io.Writer) {
	var cosines []float64
	for _, p := range r.Parts {
		cosines = append(cosines, float64(p.Cosine))
	}
	line(w, fmt.Sprintf("parts of %d", r.Rank), "%s: cosine of the components of run %d with those of the others", someNumbers(cosines, "%.3f"), r.Run)
}

// writeConsensusParts prints what is known of each component of a consensus.
func writeConsensusParts(w io.Writer, r consensusReport) {
	var cosines, shares []float64
	for _, p := range r.Parts {
		cosines, shares = append(cosines, float64(p.Cosine)), append(shares, 100*float64(p.Share))
	}
	line(w, fmt.Sprintf("parts of %d", r.Rank), "%s: cosine with the components of the runs; shares %s %%", someNumbers(cosines, "%.3f"), someNumbers(shares, "%.3g"))
}

// bringTogether finds what the runs of each rank have in common, and writes the tables.
func (f *factorization) bringTogether(ctx context.Context, x mat.Matrix, j *runsJournal, names tableNames, result *engine.FactorRuns) ([]consensusReport, error) {
	defer f.clock.Phase("consensus")()
	if err := f.roomForConsensus(x, j, result); err != nil {
		return nil, err
	}
	var list []consensusReport
	for _, rank := range f.rank.ranks {
		r := consensusReport{Rank: rank, Runs: f.many.runs, Threshold: f.many.threshold, Written: []string{}, Sampled: len(j.chosen)}
		spectra, labels, err := j.components(rank)
		if err != nil {
			return nil, err
		}
		cophenetic, err := engine.CopheneticCorrelation(labels)
		if err != nil {
			cophenetic = math.NaN() // of less than three samples
		}
		r.Cophenetic = number(cophenetic)
		o := engine.ConsensusOptions{Backend: f.backend, Threads: f.threads, Seed: f.seed, Threshold: f.many.threshold, Share: f.many.share,
			Divergence: f.method == "nmf-kl"}
		if f.tpm != nil {
			o.PerMillion = f.tpm
		}
		c, err := engine.FindConsensus(ctx, x, spectra, rank, o)
		switch {
		case ctx.Err() != nil:
			return nil, &interrupted{Hint: "the runs are made; the same command with --resume brings them together"}
		case err != nil:
			r.Problem = strings.TrimPrefix(err.Error(), "consensus: ")
			r.Components = rank * f.many.runs
			r.Stability, r.Error, r.Relative, r.AllStable, r.AllError = number(math.NaN()), number(math.NaN()), number(math.NaN()), number(math.NaN()), number(math.NaN())
			f.warn("rank %d has no consensus: %s", rank, r.Problem)
		default:
			r.Components, r.Kept = c.Components, c.Kept
			r.Stability, r.Error, r.Relative = number(c.Stability), number(c.Error), number(c.RelativeError)
			r.AllStable, r.AllError = number(c.StabilityOfAll), number(c.ErrorOfAll)
			for _, p := range c.Parts {
				r.Parts = append(r.Parts, consensusPart{stabilityOfParts(p.PartStability), p.Kept, number(p.Share), number(p.Sparseness)})
			}
			if r.Written, err = f.writeTables(c, names); err != nil {
				return nil, err
			}
		}
		list = append(list, r)
	}
	return list, f.writeStability(list)
}

// roomForConsensus refuses what would not fit together with the data. The estimate is the larger
// of the runs and this, and the runtime keeps to it.
func (f *factorization) roomForConsensus(x mat.Matrix, j *runsJournal, result *engine.FactorRuns) error {
	n, m := x.Dims()
	live := 8 * int64(n) * int64(m)
	if a, isSparse, err := sparse.Of(x); isSparse && err == nil {
		live = 12 * int64(a.NNZ())
	}
	levels := 0
	if f.tpm != nil {
		_, levels = f.tpm.Dims()
	}
	rank := f.rank.most()
	live += engine.ConsensusBytes(int64(f.many.runs)*int64(rank), int64(rank), int64(n), int64(m), int64(levels), int64(len(j.chosen)))
	result.EstimatedBytes = max(result.EstimatedBytes, memory.Process(live))
	if f.ownClock == nil {
		boundRuntime(result.EstimatedBytes)
	}
	return f.fits(fmt.Sprintf("the consensus of %d runs of rank %d needs", f.many.runs, rank), live, "take smaller ranks or fewer runs")
}

// components are the components of all runs of a rank, and the labels of the samples that were kept.
func (j *runsJournal) components(rank int) (*mat.Dense, [][]int64, error) {
	var all []int
	var labels [][]int64
	for run := range j.f.many.runs {
		of, err := files.ReadLabels(j.path("labels", runKey{rank, run}), j.f.reading())
		if err != nil {
			return nil, nil, err
		}
		all, labels = append(all, run), append(labels, of)
	}
	spectra, err := j.spectra(rank, all)
	return spectra, labels, err
}

// spectra are the components of some runs of a rank, one run below another.
func (j *runsJournal) spectra(rank int, runs []int) (*mat.Dense, error) {
	var all *mat.Dense
	for at, run := range runs {
		path := j.path("spectra", runKey{rank, run})
		h, err := files.ReadMatrix(path, j.f.reading())
		if err != nil {
			return nil, err
		}
		r, m := h.Dims()
		if all == nil {
			all = mat.NewDense(rank*len(runs), m, nil)
		}
		if _, cols := all.Dims(); r != rank || cols != m {
			return nil, wrong("%s is %d × %d where %d × %d was written", path, r, m, rank, cols)
		}
		all.Slice(at*rank, (at+1)*rank, 0, m).(*mat.Dense).Copy(h)
	}
	return all, nil
}

// densityText is a threshold in the name of a table: 0_5 for 0.5.
func densityText(threshold float64) string {
	text := strconv.FormatFloat(threshold, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return strings.ReplaceAll(text, ".", "_")
}

// writeTables writes the tables of one rank in the layout of consensus NMF's own tool, and
// puts them in their places together.
func (f *factorization) writeTables(c *engine.Consensus, names tableNames) (paths []string, err error) {
	numbered := make([]string, c.Rank)
	for k := range numbered {
		numbered[k] = strconv.Itoa(k + 1)
	}
	own := names.features
	if f.tpm != nil { // those are the names of other features
		own, _ = linesOfNames("", c.Spectra.RawMatrix().Cols, "", files.Options{})
	}
	at := fmt.Sprintf(".k_%d.dt_%s", c.Rank, densityText(f.many.threshold))
	var out outputs
	defer func() {
		if err != nil {
			for _, o := range out {
				o.Discard()
			}
		}
	}()
	for _, t := range []struct {
		name       string
		rows, cols []string
		values     *mat.Dense
	}{
		{".spectra" + at + ".consensus.txt", numbered, own, c.Spectra},
		{".usages" + at + ".consensus.txt", names.samples, numbered, c.Usages},
		{".gene_spectra_score" + at + ".txt", numbered, names.features, c.Scores},
		{".gene_spectra_tpm" + at + ".txt", numbered, names.features, c.Levels},
	} {
		path := filepath.Join(f.many.out, f.many.prefix()+t.name)
		o, err := files.CreateRaw(path, nil)
		if err != nil {
			return nil, err
		}
		out, paths = append(out, o), append(paths, path)
		if err := writeTable(o, t.rows, t.cols, t.values); err != nil {
			return nil, err
		}
	}
	return paths, files.CommitAll(out...)
}

// writeTable writes a table with an index and a header, separated by tabs; a NaN is an
// empty field.
func writeTable(o *files.Output, rows, cols []string, values *mat.Dense) error {
	w := bufio.NewWriterSize(o, 1<<16)
	line := []byte{}
	for _, name := range cols {
		line = append(append(line, '\t'), name...)
	}
	for i := -1; i < len(rows); i++ {
		if i >= 0 {
			line = append(line[:0], rows[i]...)
			for _, v := range values.RawRowView(i) {
				if line = append(line, '\t'); v == v {
					line = strconv.AppendFloat(line, v, 'g', -1, 64)
				}
			}
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return w.Flush()
}

// writeStability writes consensus.json, and draws the stability and the error of each rank.
func (f *factorization) writeStability(list []consensusReport) error {
	return writeRunsReport(f.many, "consensus.json", list, func(out *outputs) error { return f.drawStability(list, out) })
}

// drawStability adds the picture to the outputs.
func (f *factorization) drawStability(list []consensusReport, out *outputs) error {
	var ranks, stability, misses []float64
	for _, r := range list {
		if r.Problem == "" {
			ranks = append(ranks, float64(r.Rank))
			stability, misses = append(stability, float64(r.AllStable)), append(misses, float64(r.AllError))
		}
	}
	if len(ranks) == 0 {
		return &inputError{Err: errors.New("plot: no rank has a consensus")}
	}
	return f.drawRuns(rankPanels(ranks, stability, misses), out)
}
