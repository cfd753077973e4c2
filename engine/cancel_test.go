package engine

import (
	"context"
	"errors"
	"slices"
	"testing"
)

// Every method stops when it is cancelled: before the work, and at the first word of each phase.
func TestEveryMethodStopsWhenCancelled(t *testing.T) {
	for _, c := range columns(t, everyMethod) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run := func(phase string) (phases []string, err error) {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				if phase == "before" {
					cancel()
				}
				p := c.problem(t)
				p.Progress = func(at Progress) {
					if phases = append(phases, at.Phase); at.Phase == phase {
						cancel()
					}
				}
				_, err = solvedBy(ctx, c.task, c.asked(t, p), p)
				return phases, err
			}
			phases, err := run("")
			if err != nil {
				t.Fatal(err)
			}
			slices.Sort(phases)
			for _, phase := range append(slices.Compact(phases), "before") {
				if phase == "clusters" {
					continue // k-means of so few samples is over by its first word
				}
				if _, err := run(phase); !errors.Is(err, context.Canceled) {
					t.Errorf("cancelled at %s: %v", phase, err)
				}
			}
		})
	}
}
