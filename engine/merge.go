package engine

import (
	"slices"

	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/wording"
)

// findCopies finds the samples that equal an earlier one, before samples are divided.
type findCopies struct {
	keep bool // keep the list of copies, for [merge]; otherwise only their number
	warn bool
}

func (g findCopies) apply(s state) (state, undo, error) {
	if s.copies = s.x.Copies(); !g.keep {
		s.copies = samples.Copies{Count: s.copies.Count}
	}
	if n := s.copies.Count; g.warn && n > 0 {
		s.Warn("%d samples equal an earlier one", n)
	}
	return s, nil, nil
}

// merge keeps only distinct samples, with their labels, if Options.Duplicates says so.
type merge struct{ duplicates string }

func (g merge) apply(s state) (state, undo, error) {
	copies := s.copies
	switch {
	case copies.Count == 0:
		return s, nil, nil
	case g.duplicates != "merge":
		s.Warn("%d samples equal an earlier one (‹duplicates=merge› would embed distinct ones only)", copies.Count)
		return s, nil, nil
	}
	if labels := s.x.Labels(); labels != nil {
		for i, d := range copies.Of {
			if first := copies.First[d]; labels[i] != labels[first] {
				return s, nil, wording.Errorf("%s: samples %d and %d (counting from 1) are equal and have the labels %d and %d; correct one, or choose ‹duplicates=keep›",
					s.Method(), first+1, i+1, labels[first], labels[i])
			}
		}
	}
	if targets := s.given.Targets; targets.N() > 0 {
		for i, d := range copies.Of {
			if first := copies.First[d]; !slices.Equal(targets.Row(i), targets.Row(int(first))) {
				return s, nil, wording.Errorf("%s: samples %d and %d (counting from 1) are equal and have different targets; correct one, or choose ‹duplicates=keep›", s.Method(), first+1, i+1)
			}
		}
	}
	distinct := make([]int, len(copies.First))
	for d, i := range copies.First {
		distinct[d] = int(i)
	}
	s.x = s.x.Subset(distinct)
	s.Warn("%d samples equal an earlier one: merged, %d distinct ones embedded", copies.Count, s.x.N())
	return s, merged(copies), nil
}

// merged gives equal samples the same coordinates.
type merged samples.Copies

func (copies merged) back(f *fitted) error {
	f.coordinates.Y = samples.Copies(copies).Restore(f.coordinates.Y)
	f.coordinates.trust.copied(copies.Of)
	return nil
}
