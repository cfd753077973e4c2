package neighborhood

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// representRows is the number of samples that a worker represents at a time.
const representRows = 128

// represent makes the graph of weighted lists that a rule picks, sample by sample,
// from the candidates. worker is called once for each worker; about is the report.
func represent(job *run.Run, candidates *neighbors.Graph, worker func() func(i int, out *Lists)) (g *neighbors.Graph, about Lists, err error) {
	// The candidates, lists that may grow to as many, and those in one piece.
	bytes := 2*candidates.Bytes() + 100*int64(candidates.Len())
	if err := job.Fit(bytes, fmt.Sprintf("the choice among %d neighbours of %d samples needs", candidates.MaxDegree(), candidates.Len()), "take fewer neighbours, fewer samples, or raise the limit"); err != nil {
		return nil, about, err
	}
	return gathering{phase: "neighbors", rows: representRows}.run(job, candidates.Len(), worker)
}

// Profile is what a representation says of the data.
type Profile struct {
	Rho           []float64 // mean of the sorted weights, with one 0 behind the last
	Gap, Support  int       // the dimension by either rule
	ClosedClasses int       // of the lists, see [ClosedClasses]
	Examined      int       // candidates that were looked at for it, where a rule counts them
}

// profileOf reads the dimensions from the lists of a representation.
func profileOf(g *neighbors.Graph) Profile {
	lists := weightLists(g)
	rho := measures.WeightProfile(lists)
	return Profile{Rho: rho, Gap: measures.GapDimension(rho), Support: measures.SupportDimension(lists)}
}

// weightLists views the weights of a graph as a list for each sample.
func weightLists(g *neighbors.Graph) [][]float64 {
	lists := make([][]float64, g.Len())
	for i := range lists {
		lists[i] = g.Weights(i)
	}
	return lists
}

// represented is what was found by a representation, whose profile goes to the notes
// of the run. The closed classes are those of g, the dimensions those of the lists that
// g was made of.
func represented(job *run.Run, g *neighbors.Graph, about Profile) Found {
	about.ClosedClasses = ClosedClasses(g)
	job.Note("rho", about.Rho)
	job.Note("gap_dimension", about.Gap)
	job.Note("support_dimension", about.Support)
	job.Note("closed_classes", about.ClosedClasses)
	return Found{Graph: g, Profile: &about}
}
