package engine

import (
	"cmp"
	"fmt"
	"slices"
)

// supervised is a method that learns from the labels of the samples.
type supervised interface{ needsLabels() }

// takeLabels checks the labels that were given, and keeps them for a method that
// learns from them.
func (p *problem) takeLabels(m Method) error {
	given := p.options.Labels
	if given != nil && len(given) != p.x.N {
		return fmt.Errorf("%s: %d labels of %d samples; give one for each", p.name, len(given), p.x.N)
	}
	if _, learns := m.(supervised); !learns {
		return nil
	}
	if given == nil {
		return fmt.Errorf("%s: this method learns from labels and there are none; give the class of each sample (--labels, Options.Labels)", p.name)
	}
	p.labels = given
	return nil
}

// mergeLabels leaves the labels of the distinct samples. Copies of different
// classes have none.
func (p *problem) mergeLabels(c copies) error {
	if p.labels == nil {
		return nil
	}
	distinct := make([]int64, len(c.first))
	for d, i := range c.first {
		distinct[d] = p.labels[i]
	}
	for i, d := range c.of {
		if p.labels[i] != distinct[d] {
			return fmt.Errorf("%s: samples %d and %d (counting from 1) are equal and have the labels %d and %d; correct one, or choose duplicates=keep",
				p.name, c.first[d]+1, i+1, distinct[d], p.labels[i])
		}
	}
	p.labels = distinct
	return nil
}

// classes numbers the labels from 0 in ascending order, and counts each.
func classes(labels []int64) (of, sizes []int) {
	values := slices.Clone(labels)
	slices.Sort(values)
	values = slices.Compact(values)
	of, sizes = make([]int, len(labels)), make([]int, len(values))
	for i, l := range labels {
		of[i], _ = slices.BinarySearchFunc(values, l, cmp.Compare[int64])
		sizes[of[i]]++
	}
	return of, sizes
}
