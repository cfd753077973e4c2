package library

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/sparse"
)

// componentsGiven is an orthant_components: the components that the runs of one rank found.
type componentsGiven struct {
	components, labelsOfRuns, levelsInFull *view // nil: none
	levelsCSR                              *csrView
}

// agreeing is a prepared consensus.
type agreeing struct {
	given
	componentsGiven
	engine.ConsensusOptions
	rank   int
	memory int64
	levels *sparse.CSR // in compressed rows
}

// consensus prepares the combination of the runs of one rank; count is the rank.
func (g given) consensus(of componentsGiven) (work, error) {
	switch {
	case !g.near.absent():
		return nil, fmt.Errorf("consensus: it takes no graph, affinities or distances; leave them out of the options")
	case g.labels != nil || g.start != nil || g.startH != nil:
		return nil, fmt.Errorf("consensus: the options have labels or starts, which it does not take; the labels of the runs are a part of orthant_components")
	case g.x == view{} && g.compressed == nil:
		return nil, fmt.Errorf("x is NULL; give the samples that the runs factorised")
	}
	if err := g.check("neighbors"); err != nil { // neighbors: this task takes sparse samples too
		return nil, err
	}
	q := &agreeing{given: g, componentsGiven: of}
	if err := q.read(); err != nil {
		return nil, err
	}
	return q.find, nil
}

// read reads the parameters and checks the components.
func (q *agreeing) read() (err error) {
	p, err := readParameters("consensus", q.parameters)
	if err != nil {
		return err
	}
	var o engine.Options
	if err := p.running(&o); err != nil {
		return err
	}
	method, err := p.word("method", "nmf", "nmf-kl", "nmf-beta", "l21-nmf", "cim-nmf")
	if err != nil {
		return err
	}
	q.Backend, q.Threads, q.ConsensusOptions.Seed, q.Divergence = o.Backend, o.Threads, o.Seed, method == "nmf-kl"
	var given bool
	if q.Threshold, given, err = p.atLeastZero("local_density_threshold"); err == nil && given && q.Threshold == 0 {
		err = fmt.Errorf("consensus: local_density_threshold is 0; give a number > 0, or 2 to leave out none")
	}
	if err != nil {
		return err
	}
	if q.Share, given, err = p.atLeastZero("local_neighborhood_size"); err == nil && given && !(q.Share > 0 && q.Share <= 1) {
		err = fmt.Errorf("consensus: local_neighborhood_size is %v; give a share of the runs, above 0 and up to 1", q.Share)
	}
	if err != nil {
		return err
	}
	if err := p.rest(); err != nil {
		return err
	}
	if !given {
		q.Share = 0.3
	}
	if q.Threshold == 0 {
		q.Threshold = 0.5
	}
	if q.rank, err = small(q.count, "consensus: rank"); err != nil {
		return err
	}
	if err := q.checkShapes(); err != nil {
		return err
	}
	q.limited(&o)
	q.memory = o.Memory
	if err := q.room(); err != nil {
		return err
	}
	if err := q.given.read(q.memory); err != nil {
		return fmt.Errorf("consensus: %w", err)
	}
	if q.levelsCSR != nil {
		q.levels, err = q.levelsCSR.within("levels", q.memory)
	}
	return err
}

// checkShapes refuses components, labels and levels whose shapes do not match the samples.
func (q *agreeing) checkShapes() error {
	if q.components == nil {
		return fmt.Errorf("consensus: the components are NULL; give the components of all runs of the rank")
	}
	if err := q.components.check("components", typeFloat64, typeFloat32); err != nil {
		return err
	}
	rank := int64(q.rank)
	if q.components.rows%rank != 0 {
		return fmt.Errorf("consensus: %d components are not runs of rank %d", q.components.rows, rank)
	}
	rows, cols := q.dims()
	if q.components.cols != cols {
		return fmt.Errorf("consensus: components of %d columns for data of %d", q.components.cols, cols)
	}
	if q.labelsOfRuns != nil {
		if err := q.labelsOfRuns.check("labels", typeInt64); err != nil {
			return err
		}
		if runs := q.components.rows / rank; q.labelsOfRuns.rows != runs {
			return fmt.Errorf("consensus: the labels of %d runs where there are components of %d; give a row for each", q.labelsOfRuns.rows, runs)
		}
	}
	if q.levelsInFull != nil && q.levelsCSR != nil {
		return fmt.Errorf("consensus: levels and levels_csr are both given; give the levels once")
	}
	if v := q.levelsInFull; v != nil {
		if err := v.check("levels", typeFloat64, typeFloat32, typeUint8); err != nil {
			return err
		}
		if v.rows != rows {
			return fmt.Errorf("consensus: the levels have %d rows for %d samples; give one for each", v.rows, rows)
		}
	}
	if v := q.levelsCSR; v != nil {
		if err := v.check("levels"); err != nil {
			return err
		}
		if v.rows != rows {
			return fmt.Errorf("consensus: the levels have %d rows for %d samples; give one for each", v.rows, rows)
		}
	}
	return nil
}

// room refuses a consensus that does not fit into memory together with the data.
func (q *agreeing) room() error {
	if q.memory == 0 {
		return nil
	}
	rows, cols := q.dims()
	var labels, levels int64
	if q.labelsOfRuns != nil {
		labels = q.labelsOfRuns.cols
	}
	if v := q.levelsInFull; v != nil {
		levels = v.cols
	}
	if v := q.levelsCSR; v != nil {
		levels = v.cols
	}
	live := engine.ConsensusBytes(q.components.rows, int64(q.rank), rows, cols, levels, labels)
	if need := float64(memory.Process(q.bytes())) + float64(live); need > float64(q.memory) {
		return &failure{statusNoMemory, fmt.Sprintf("consensus: %d components of rank %d need about %s where the limit is %s; take a smaller rank, fewer runs or fewer labels",
			q.components.rows, q.rank, limits.FormatBytes(int64(min(need, math.MaxInt64/2))), limits.FormatBytes(q.memory))}
	}
	return nil
}

// find combines the runs.
func (q *agreeing) find(ctx context.Context, progress func(engine.Progress)) (*made, error) {
	clock := engine.NewClock()
	defer bounded(q.memory)()
	progress(engine.Progress{Phase: "consensus"})
	x, _ := q.samples()
	components, _ := q.components.dense()
	switch v := q.levelsInFull; {
	case q.levels != nil:
		q.PerMillion = q.levels
	case v != nil:
		q.PerMillion, _ = v.dense()
	}
	c, err := engine.FindConsensus(ctx, x, components, q.rank, q.ConsensusOptions)
	if err != nil {
		return nil, err
	}
	cophenetic, sampled := math.NaN(), 0
	if v := q.labelsOfRuns; v != nil {
		sampled = int(v.cols)
		list, all := make([][]int64, v.rows), entries[int64](*v)
		for i := range list {
			list[i] = all[int64(i)*v.stride:][:v.cols]
		}
		if sampled >= 3 {
			if cophenetic, err = engine.CopheneticCorrelation(list); err != nil {
				return nil, err
			}
		}
	}
	seconds, cpu := clock.Seconds()
	return madeOfConsensus(c, q, cophenetic, sampled, seconds, cpu, x), nil
}

// madeOfConsensus reports the consensus with the command's names.
func madeOfConsensus(c *engine.Consensus, q *agreeing, cophenetic float64, sampled int, seconds, cpu engine.Seconds, x mat.Matrix) *made {
	n, m := x.Dims()
	numbers := map[string]float64{
		"stability": c.Stability, "prediction_error": c.Error, "relative_error": c.RelativeError, "stability_unfiltered": c.StabilityOfAll,
		"prediction_error_unfiltered": c.ErrorOfAll, "cophenetic_correlation": cophenetic, "components": float64(c.Components), "kept": float64(c.Kept),
		"runs": float64(c.Runs), "warnings": 0, "seconds": seconds["total"]}
	return &made{
		arrays:  map[string]array{"spectra": arrayOf(c.Spectra), "usages": arrayOf(c.Usages), "scores": arrayOf(c.Scores), "levels": arrayOf(c.Levels)},
		numbers: numbers,
		noModel: "a consensus leaves none",
		report: func() map[string]any {
			report := map[string]any{
				"samples": n, "features": m, "rank": c.Rank, "runs": c.Runs, "components": c.Components, "kept": c.Kept,
				"local_density_threshold": q.Threshold, "local_neighborhood_size": q.Share, "cophenetic_samples": sampled,
				"seconds": seconds, "cpu_seconds": cpu, "warnings": []string{}}
			for _, name := range []string{"stability", "prediction_error", "relative_error", "stability_unfiltered", "prediction_error_unfiltered", "cophenetic_correlation"} {
				report[name] = number(numbers[name])
			}
			parts := []map[string]any{}
			for _, p := range c.Parts {
				one := stabilityOfPart(p.PartStability)
				one["kept"], one["share"], one["sparseness"] = p.Kept, number(p.Share), number(p.Sparseness)
				parts = append(parts, one)
			}
			report["parts"] = parts
			return report
		},
	}
}

// stabilityOfPart reports how reliably runs find a component again, with the command's names.
func stabilityOfPart(p engine.PartStability) map[string]any {
	return map[string]any{"cosine": number(p.Cosine), "least_cosine": number(p.Least), "silhouette": number(p.Silhouette)}
}
