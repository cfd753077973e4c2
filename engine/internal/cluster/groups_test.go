package cluster

import (
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
)

// TestGroupsAreNumberedByTheirFirstSamples: samples in no cluster keep −1.
func TestGroupsAreNumberedByTheirFirstSamples(t *testing.T) {
	job := run.New(t.Context(), "found", run.Settings{})
	x := samples.Of(mat.NewDense(5, 1, []float64{0, 1, 2, 3, 4}))
	r, err := Plan{Groups: func(*run.Run, Input) (*Groups, error) {
		return &Groups{Labels: []int64{-1, 2, 0, -1, 2}, Count: 3, Converged: true}, nil
	}}.Run(job, x, 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := []int64{-1, 0, 1, -1, 0}; !slices.Equal(r.Labels, want) || r.Clusters != 3 {
		t.Errorf("%d clusters %v, want %v", r.Clusters, r.Labels, want)
	}
}
