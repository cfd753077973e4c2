package engine

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/measures"
)

func TestSeparateErrors(t *testing.T) {
	set := generate(t, "gaussians", 240, 3, "clusters=3", "dims=5", "sd=2.5")
	trial := measures.Trial{Splits: 3, Seed: 5}
	method := LLE{Neighbors: 10, Dim: 2}
	rates := must(SeparateErrors(context.Background(), set.X, set.Labels, method, Options{}, trial, measures.NN, measures.NFL))(t)
	// The same step by step.
	splits := must(trial.Draw(set.Labels))(t)
	for s, split := range splits {
		r := embed(t, measures.Rows(set.X, split.Train), method, Options{})
		model := must(r.Model())(t)
		z := transformed(t, model, measures.Rows(set.X, split.Test), Options{})
		for c, name := range []measures.Classifier{measures.NN, measures.NFL} {
			predicted := must(name.Classify(context.Background(), r.Y, measures.Pick(set.Labels, split.Train), z, measures.Options{}))(t)
			want, err := measures.ErrorRate(measures.Pick(set.Labels, split.Test), predicted)
			if err != nil || rates[c][s] != want {
				t.Errorf("split %d, %s: %v, want %v (%v)", s, name, rates[c][s], want, err)
			}
		}
	}
	// A method that learns from labels gets those of the training samples.
	if rates, err := SeparateErrors(context.Background(), set.X, set.Labels, LDA{}, Options{}, trial, measures.NN); err != nil || len(rates[0]) != 3 || rates[0].Mean() > 0.4 {
		t.Errorf("lda: %v, %v", rates, err)
	}
	// Chance is 2/3; clusters this far apart are much easier, and not trivial.
	if m := rates[0].Mean(); m == 0 || m > 0.4 {
		t.Errorf("NN error %v", m)
	}
	again, err := SeparateErrors(context.Background(), set.X, set.Labels, method, Options{Threads: 1}, trial, measures.NN, measures.NFL)
	if err != nil || !slices.Equal(again[0], rates[0]) || !slices.Equal(again[1], rates[1]) {
		t.Errorf("one thread: %v (%v), want %v", again, err, rates)
	}
}

func TestSeparateErrorsRefuses(t *testing.T) {
	set := generate(t, "gaussians", 60, 3)
	bad := mat.DenseCopyOf(set.X)
	bad.Set(4, 2, math.NaN())
	one := make([]int64, 60)
	alone := slices.Clone(set.Labels)
	alone[7] = 99
	r := refusing(t)
	r.of("", failed(SeparateErrors(t.Context(), set.X, set.Labels[:59], PCA{Dim: 2}, Options{}, measures.Trial{}, measures.NN)))
	r.of("", failed(SeparateErrors(t.Context(), set.X, one, LLE{Neighbors: 5}, Options{}, measures.Trial{}, measures.NN)))
	r.of("", failed(SeparateErrors(t.Context(), set.X, alone, LLE{Neighbors: 5}, Options{}, measures.Trial{}, measures.NN)))
	r.of("", failed(SeparateErrors(t.Context(), set.X, set.Labels, LLE{Neighbors: 5}, Options{}, measures.Trial{Splits: -1}, measures.NN)))
	r.of("", failed(SeparateErrors(t.Context(), set.X, set.Labels, LLE{Neighbors: 5}, Options{}, measures.Trial{Train: 1}, measures.NN)))
	r.of("", failed(SeparateErrors(t.Context(), set.X, set.Labels, LLE{Neighbors: 40}, Options{}, measures.Trial{}, measures.NN)))
	r.of("", failed(SeparateErrors(t.Context(), bad, set.Labels, LLE{Neighbors: 12}, Options{}, measures.Trial{}, measures.NN)))
	stopped, stop := context.WithCancel(context.Background())
	stop()
	if _, err := SeparateErrors(stopped, set.X, set.Labels, LLE{Neighbors: 25}, Options{}, measures.Trial{}, measures.NN); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled context gives %v", err)
	}
}
