package engine

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
)

// The metric is a setting of the neighbour search, which only [neighborhood.Nearest] reads.
// Steps that use the graph use its distances; steps that use the samples (patches, projections,
// the choice of distant landmarks, noise) are Euclidean.

// euclidean reports whether the neighbour search is Euclidean.
func (s state) euclidean() bool { return s.Metric() == neighbors.Euclidean }

// settleMetric returns an error if the method does not search by the metric, or the metric is incompatible
// with other options.
func (s state) settleMetric(task string, o Options) error {
	if s.euclidean() {
		return nil
	}
	metric := "‹metric=" + string(s.Metric()) + "›"
	settled, err := param.Resolve(s.method.Name(), s.method, method.AnySize, func(string, ...any) {})
	if err != nil {
		return err
	}
	row := method.RowOf(settled)
	auto := ""
	for _, key := range []string{param.Neighbors, param.Dim} {
		if param.IsAuto(s.method, key) {
			auto = key
		}
	}
	switch given := structures(o); {
	case row.Searches(task) == nil && row.OfDistances != nil:
		return wording.Errorf("%s: %s does not apply: it searches for no nearest samples; give the distances by that metric (‹given_distances›)", s.Method(), metric)
	case row.Searches(task) == nil:
		why, instead := "it searches for no nearest samples", "leave ‹metric› out"
		if row.Neighbors != nil {
			why = "it chooses neighbours in its own way, by Euclidean distances"
		}
		if s.Metric() == neighbors.Cosine {
			instead = "leave ‹metric› out, or scale the samples to length 1 (‹standardize=unit›), so that Euclidean distances rank as cosines do"
		}
		return wording.Errorf("%s: %s does not apply: %s; %s", s.Method(), metric, why, instead)
	case len(given) > 0:
		return wording.Errorf("%s: %s is given beside %s, by which the neighbours are known; leave one of them out", s.Method(), metric, given[0])
	case auto != "":
		return wording.Errorf("%s: ‹%s=auto› is found by Euclidean distances, and not by %s; give a number", s.Method(), auto, metric)
	}
	if err := s.Metric().CheckDistances(); err != nil {
		return fmt.Errorf("%s: %w", s.Method(), err)
	}
	if o.Neighbors == "approximate" {
		if err := s.Metric().CheckApproximate(); err != nil {
			return wording.Errorf("%s: ‹neighbors_method=approximate›: %w", s.Method(), err)
		}
	}
	return nil
}
