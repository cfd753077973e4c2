package measures

import "slices"

// Noise is the label of samples that a clustering leaves in no cluster.
const Noise = -1

// IsNoise reports whether the label −1 means noise: it occurs, and the labels are not just −1 and 1, which are
// two classes as they are often written.
func IsNoise(labels []int64) bool {
	return slices.Contains(labels, Noise) && slices.ContainsFunc(labels, func(l int64) bool { return l != Noise && l != 1 })
}

// WithoutNoise leaves out the samples that are noise in one of two labellings, and returns how many.
func WithoutNoise(a, b []int64) (keptA, keptB []int64, noise int) {
	inA, inB := IsNoise(a), IsNoise(b)
	if len(a) != len(b) {
		return a, b, 0 // an error of the measure
	}
	for i := range a {
		if inA && a[i] == Noise || inB && b[i] == Noise {
			noise++
			continue
		}
		keptA, keptB = append(keptA, a[i]), append(keptB, b[i])
	}
	return keptA, keptB, noise
}
