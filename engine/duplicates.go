package engine

import (
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/wording"
)

// merged counts the samples that equal an earlier one in a warning and, where
// Options.Duplicates says so, returns the distinct ones alone, with their labels.
func (b begun) merged(x samples.Samples, c samples.Copies) (samples.Samples, error) {
	switch {
	case c.Count == 0:
		return x, nil
	case b.options.Duplicates != "merge":
		b.Warn("%d samples equal an earlier one (‹duplicates=merge› would embed distinct ones only)", c.Count)
		return x, nil
	}
	if err := b.checkCopies(x.Labels(), c); err != nil {
		return x, err
	}
	first := make([]int, len(c.First))
	for d, i := range c.First {
		first[d] = int(i)
	}
	x = x.Subset(first)
	b.Warn("%d samples equal an earlier one: merged, %d distinct ones embedded", c.Count, x.N())
	return x, nil
}

// checkCopies refuses copies of different classes.
func (b begun) checkCopies(labels []int64, c samples.Copies) error {
	if labels == nil {
		return nil
	}
	for i, d := range c.Of {
		if first := c.First[d]; labels[i] != labels[first] {
			return wording.Errorf("%s: samples %d and %d (counting from 1) are equal and have the labels %d and %d; correct one, or choose ‹duplicates=keep›",
				b.Method(), first+1, i+1, labels[first], labels[i])
		}
	}
	return nil
}
