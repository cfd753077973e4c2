package neighborhood

import (
	"math"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// codeRows is the number of samples that a worker codes at a time: each takes
// long enough, and unequally long.
const codeRows = 16

// Codes runs a coder over all n samples, in parallel, and gathers what it keeps as a
// graph with weights and without distances. worker is called once for each worker.
func Codes(job *run.Run, n int, worker func() func(i int, out *Lists)) (*neighbors.Graph, error) {
	defer job.Phase("codes")()
	g, about, err := gathering{phase: "codes", rows: codeRows}.run(job, n, worker)
	if err != nil {
		return nil, err
	}
	job.Note("unconverged_codes", about.failed)
	switch {
	case about.failed > 0 && math.IsInf(about.worst, 1):
		job.Warn("the sparse codes of %d samples are not exact: rounding is beyond all measure of the ℓ1 weight; choose a larger one, or lower the other weights", about.failed)
	case about.failed > 0:
		job.Warn("the sparse codes of %d samples are not exact: optimality is missed by up to %.1e of the ℓ1 weight", about.failed, about.worst)
	}
	job.Explain("codes: %d samples with %.1f neighbours on average", n, float64(len(g.Index))/float64(n))
	return g, nil
}
