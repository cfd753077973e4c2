package engine

import (
	"fmt"
	"strings"
)

// Options say how a method is run; they are common to all methods and, but for
// Components, Duplicates and Neighbors, change no result beyond rounding.
type Options struct {
	// Backend names the linear-algebra backend; empty: $ORTHANT_BLAS, else auto.
	Backend string
	// Threads is the number of workers; 0: all cores. It changes no bit.
	Threads int
	// Seed of the random start vectors and of the approximate neighbour search; 0
	// is taken as 1.
	Seed uint64
	// Neighbors says how the nearest samples are found: "exact" (the default) or
	// "approximate", see [neighbors.Approximate].
	Neighbors string
	// Recall is the least share of true neighbours that an approximate search may
	// be content with, in (0, 1]; 0: 0.99.
	Recall float64
	// Components says what to do with a disconnected neighbour graph: "error" (the
	// default), "largest", "each" or "joint".
	Components string
	// Duplicates says what to do with equal samples: "keep" (the default) or
	// "merge" them, solve for the distinct ones, and put the copies back.
	Duplicates string
	// Landmarks, if not 0, is the number of samples to embed; the others follow by
	// barycentric weights on their nearest landmarks. LandmarkChoice says how they
	// are picked: "farthest" (the default; each the farthest from those before it) or
	// "random".
	Landmarks      int
	LandmarkChoice string
	// Memory is a limit in bytes beyond which work is refused before it begins; 0:
	// none.
	Memory int64
	// Progress is called now and then, from any goroutine.
	Progress func(Progress)
	// Explain is told, line by line, what is going to be done and what it will cost.
	Explain func(line string)
}

// Progress is how far one phase has come.
type Progress struct {
	Phase string
	Done  float64 // 0 to 1
}

var (
	neighborSearches  = []string{"exact", "approximate"}
	componentPolicies = []string{"error", "largest", "each", "joint"}
	duplicatePolicies = []string{"keep", "merge"}
	landmarkChoices   = []string{"farthest", "random"}
)

// withDefaults fills in what was left empty and refuses what is unknown.
func (o Options) withDefaults() (Options, error) {
	choose := func(key, value string, known []string) (string, error) {
		if value == "" {
			return known[0], nil
		}
		for _, k := range known {
			if k == value {
				return value, nil
			}
		}
		return "", fmt.Errorf("%s is %q; give one of %s", key, value, strings.Join(known, ", "))
	}
	var err error
	if o.Neighbors, err = choose("neighbors-method", o.Neighbors, neighborSearches); err != nil {
		return o, err
	}
	if o.Recall == 0 {
		o.Recall = 0.99
	}
	if !(o.Recall > 0 && o.Recall <= 1) {
		return o, fmt.Errorf("recall is %v; give a number above 0 and at most 1", o.Recall)
	}
	if o.Components, err = choose("components", o.Components, componentPolicies); err != nil {
		return o, err
	}
	if o.Duplicates, err = choose("duplicates", o.Duplicates, duplicatePolicies); err != nil {
		return o, err
	}
	if o.LandmarkChoice, err = choose("landmark_choice", o.LandmarkChoice, landmarkChoices); err != nil {
		return o, err
	}
	if o.Landmarks < 0 {
		return o, fmt.Errorf("landmarks is %d; give the number of samples to embed, or 0 for all", o.Landmarks)
	}
	if o.Seed == 0 {
		o.Seed = 1
	}
	if o.Progress == nil {
		o.Progress = func(Progress) {}
	}
	if o.Explain == nil {
		o.Explain = func(string) {}
	}
	return o, nil
}
