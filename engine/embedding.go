package engine

import (
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/diagnosis"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
)

// embedding holds the four steps of a method, for the samples of a state.
type embedding struct {
	state
	steps      pipeline.Steps
	components string     // the policy for several components
	model      bool       // a rule for new samples is required
	init       *mat.Dense // initial coordinates of an iterative method; nil: the method's own
	stability  bool       // embed every eighth sample once more
	reruns     bool       // make a map twice more
	trying     bool       // try remedies for doubts
}

// choose replaces steps of the method by what is given.
func (p embedding) choose(s pipeline.Steps) embedding {
	row := method.RowOf(p.method)
	if row.Given != nil {
		s = row.Given(p.given)
	}
	s.Neighbors, s.Patch = p.given.Search(s.Neighbors, p.x.N()), p.given.Edges(s.Patch)
	p.steps = s
	return p
}

// neighborhoods runs the first step.
func (p embedding) neighborhoods() (pipeline.Locality, error) {
	at := pipeline.Locality{X: p.x, Landmarks: p.landmarks}
	if p.steps.Neighbors == nil {
		return at, nil
	}
	defer p.Phase("neighbors")()
	var err error
	at.Found, err = p.steps.Neighbors.Find(p.Run, p.x)
	return at, err
}

// take runs the steps after the first, for samples with known neighbourhoods.
func take(s pipeline.Steps, job *run.Run, at pipeline.Locality, start *mat.Dense, trials diagnosis.Trials) (*outcome, error) {
	found, findings, err := s.Run(job, at, start, trials)
	if err != nil {
		return nil, err
	}
	return &outcome{Solved: found, quality: qualityOf(findings, found.Solution), trust: trustIn(findings.Map)}, nil
}

// input returns the input of an alignment, from neighbourhoods.
func (p embedding) input(at pipeline.Locality) align.Input {
	return align.Input{Local: patch.Local{Run: p.Holding(at.Found.Bytes()), X: at.X, Graph: at.Found.Graph}, Patch: p.steps.Patch, Diagonal: at.Found.Diagonal}
}

// notCertifiable returns the error of a method without a certificate.
func notCertifiable(of string) error {
	names := method.NamesWhere(func(m Method, r method.Row) bool { return r.Embed != nil && method.SolvesForSmallest(m, r.Embed()) })
	return wording.Errorf("%s: a certificate counts the eigenvalues of a sparse alignment matrix, and this method solves for none; leave ‹certified› out, or choose one of %s",
		of, strings.Join(names, ", "))
}

// checkMemory refuses work whose size alone shows that it exceeds the limit: the neighbour search,
// the graph with its patches, and the memory that the method states. Every step checks its own part
// once it knows it.
func (s state) checkMemory(rule patch.Rule, landmarks int) error {
	n, m, row := s.x.N(), s.x.M(), method.RowOf(s.method)
	remedy := "take fewer neighbours, fewer samples, or raise the limit"
	var graph, most int64
	if k := row.Neighbors; k != nil && s.given.Graph == nil {
		graph = neighbors.GraphBytes(n, min(*k, n))
		if most = graph; rule.Begin != nil || rule.Edges != nil {
			chosen := *k
			if row.Degree != nil {
				chosen = min(chosen, row.Degree(m))
			}
			most += rule.MinBytes(n, chosen)
		}
	}
	if row.Memory != nil {
		if row.OwnLandmarks {
			landmarks = len(s.landmarks)
		}
		if row.OwnLandmarks || row.Places {
			remedy = "embed landmarks and place the others by them (‹landmarks=M›), take fewer samples, or raise the limit"
		}
		most = max(most, graph+row.Memory(int64(n), int64(m), s.Threads(), landmarks))
	}
	return s.FitBeforeSolve(n, m, most, remedy)
}
