// Package selective learns, pass by pass of a factorisation, which samples' affinities
// are to regularise it (Mani, Domeniconi and Griva 2020): an encoding Z of all samples
// by exemplars, from dissimilarities of the data and of the current factors,
//
//	min β⟨D, Z⟩ + λ Σᵢⱼ zᵢⱼ d(wᵢ, w₊ⱼ)   under Z ≥ 0, 1ᵀZ = 1ᵀ, Σᵢ ‖zᵢ‖_p ≤ τ
//
// and of that the k largest entries of each of the τ largest rows. [Graph] is both
// forms of it: that with the bound on the rows' norms, split as Z = C, and the fast one
// with δ/2 ‖Z‖² in its place. Papers put samples in columns; here they are rows. W are the
// indicators of [alm] and W₊ their nonnegative copy, G and H in the papers.
package selective
