// Package alm factorises samples by an augmented Lagrangian: X ≈ GFᵀ with
// orthonormal, nonnegative columns of G, which tell clusters apart, under a loss that
// forgives samples that fit badly and a graph that keeps neighbours together,
//
//	min Σᵢ ‖(X − GFᵀ)ᵢ‖₂ + λ tr(GᵀLG)   under GᵀG = I, G ≥ 0,   L = diag(S1) − S.
//
// F is free in sign. The affinities S stay as they are ([Fixed]; Huang, Nie, Huang and
// Ding 2014) or are learned from pass to pass ([Graph]; Zhang et al. 2017, Mani,
// Domeniconi and Griva 2020), and even the data may move ([Projector]).
//
// # Orientation
//
// Samples are rows: X is n × m, G n × c, F m × c. The papers have samples in columns;
// their X, E and Λ₁ are the transposes of ours.
//
// # A pass
//
// With E = X − GFᵀ and H = G split off under multipliers Λ₁, Λ₂ and one penalty μ,
// a pass minimises the augmented Lagrangian over one block after the other:
//
//	bᵢ = (X − GFᵀ + Λ₁/μ)ᵢ,  eᵢ = max(0, 1 − 1/(μ‖bᵢ‖)) bᵢ        sample by sample
//	F = AᵀG(GᵀG)⁻¹                       with A = X − E + Λ₁/μ
//	H = max(0, G + Λ₂/μ − (λ/μ)LG)
//	G = the orthonormal factor of N = H − Λ₂/μ − (λ/μ)LH + AF
//	Λ₁ += μ(X − GFᵀ − E),  Λ₂ += μ(G − H),  μ ← min(ρμ, cap)
//
// and the graph learns before the multipliers. Only A and E are kept beside X: as
// Λ₁/μ becomes A − GFᵀ, one sweep over the samples, a block of them at a time in the
// cache, ends a pass and begins the next, up to the sums AᵀG. A second sweep forms
// AF. A pass takes 6nmc + O(nc² + nnz(S)c) flops and allocates nothing but for a
// singular N.
//
// Sums run over chunks of samples that depend on the sizes alone, and are added in
// order: nothing depends on the number of threads.
//
// The problem is not convex and its outcome is not a stable function of the data:
// changes in the sixth digit can move samples between clusters. Compare passes, not
// labels.
package alm
