package measures

import "slices"

// Noise is the label of samples that a clustering leaves in no cluster.
const Noise = -1

// IsNoise reports whether the label −1 means noise: it occurs, and the labels are not just −1 and 1, which are
// two classes as they are often written.
func IsNoise(labels []int64) bool {
	return slices.Contains(labels, Noise) && slices.ContainsFunc(labels, func(l int64) bool { return l != Noise && l != 1 })
}
