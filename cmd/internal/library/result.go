package library

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/wording"
)

// made is the result of a task.
type made struct {
	arrays  map[string]array
	numbers map[string]float64
	report  func() map[string]any
	model   *engine.Model
	noModel string // why there is no model
	factor  factor // of cholesky and ldlt; nil: none
	missed  error  // for a result that is the best found but not what was asked for
}

// result is a task under way, or done.
type result struct {
	cancel context.CancelFunc
	done   chan struct{}

	mu       sync.Mutex
	progress engine.Progress

	// Set before done is closed.
	made *made
	err  error
}

// work is a task whose arguments are checked.
type work func(ctx context.Context, progress func(engine.Progress)) (*made, error)

// begin starts a task on a goroutine of its own.
func begin(w work) *result {
	ctx, cancel := context.WithCancel(context.Background())
	r := &result{cancel: cancel, done: make(chan struct{})}
	go r.run(ctx, w)
	return r
}

// carryOut runs a task to completion.
func carryOut(w work) *result {
	r := &result{cancel: func() {}, done: make(chan struct{})}
	r.run(context.Background(), w)
	return r
}

func (r *result) run(ctx context.Context, w work) {
	defer close(r.done)
	defer r.cancel()
	defer caught(&r.err)
	r.made, r.err = w(wording.In(ctx, wording.Arguments), func(p engine.Progress) {
		r.mu.Lock()
		r.progress = p
		r.mu.Unlock()
	})
	if r.err == nil {
		r.err = r.made.missed
	}
}

// standing returns the progress of the current phase.
func (r *result) standing() engine.Progress {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.progress
}

// wait waits at most for the given time, and reports whether the task has ended.
func (r *result) wait(limit time.Duration) bool {
	select {
	case <-r.done:
		return true
	default:
	}
	if limit <= 0 {
		return false
	}
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-r.done:
		return true
	case <-timer.C:
		return false
	}
}

// A call that waits reads the flag every pollEvery, and calls the progress function at most every
// reportEvery.
const (
	pollEvery   = 5 * time.Millisecond
	reportEvery = 100 * time.Millisecond
)

// follow waits for the end on the caller's thread. It cancels if stopped or report says so. Both may
// be nil.
func (r *result) follow(stopped func() bool, report func(engine.Progress) (goOn bool)) {
	reported := time.Now()
	for !r.wait(pollEvery) {
		if stopped != nil && stopped() {
			break
		}
		if now := time.Now(); report != nil && now.Sub(reported) >= reportEvery {
			reported = now
			if p := r.standing(); p.Phase != "" && !report(p) {
				break
			}
		}
	}
	r.cancel()
	<-r.done
}

// get returns the result, or the reason why there is none.
func (r *result) get() (*made, error) {
	select {
	case <-r.done:
	default:
		return nil, &failure{statusBusy, "the result is still at work; wait for it (orthant_wait)"}
	}
	if r.made == nil {
		return nil, r.err
	}
	return r.made, nil
}

func (r *result) array(name string) (array, error) {
	m, err := r.get()
	if err != nil {
		return array{}, err
	}
	a, there := m.arrays[name]
	if !there {
		return a, fmt.Errorf("the result has no array %q; it has %s", name, names(m.arrays))
	}
	return a, nil
}

func (r *result) number(name string) (float64, error) {
	m, err := r.get()
	if err != nil {
		return math.NaN(), err
	}
	v, there := m.numbers[name]
	if !there {
		if !slices.Contains(numberNames, name) {
			return v, fmt.Errorf("there is no number %q; there are %s", name, strings.Join(numberNames, ", "))
		}
		v = math.NaN()
	}
	return v, nil
}

// numberNames are the names of the numbers of results; some results do not have all of them.
var numberNames = []string{"iterations", "converged", "sound", "warnings", "components", "duplicates", "seconds", "relative_error", "next_eigenvalue", "next_singular_value", "inertia", "value"}

func names[T any](of map[string]T) string {
	return strings.Join(slices.Sorted(maps.Keys(of)), ", ")
}

// describe returns the report as JSON.
func (r *result) describe() (string, error) {
	m, err := r.get()
	if err != nil {
		return "", err
	}
	return toJSON(m.report())
}

// modelOf returns the model.
func (r *result) modelOf() (*model, error) {
	m, err := r.get()
	if err != nil {
		return nil, err
	}
	if m.model == nil {
		return nil, fmt.Errorf("the result has no model: %s", m.noModel)
	}
	return &model{model: m.model}, nil
}

// toJSON writes a value without the escapes that only HTML needs.
func toJSON(v any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "", err
	}
	return strings.TrimSuffix(b.String(), "\n"), nil
}
