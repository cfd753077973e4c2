package align

import "math"

// Diffusion is the random walk of diffusion maps in symmetric form: Sum.Phi is
// I − D^−½ W D^−½ for the kernel W with its diagonal, normalised by the density. An
// eigenvalue μ of Phi corresponds to the eigenvalue λ = 1 − μ of the walk D⁻¹W.
type Diffusion struct {
	*Sum
	Density []float64 // qᵢ^α, by which the kernel was divided
}

// DiffusionOperator normalises a kernel by the density (Coifman and Lafon 2006, section
// 3.1). The patches are edges that sum to the Laplacian of the kernel K between
// distinct samples; K has 1 on its diagonal, or that of given affinities, and
//
//	q = K1,   W = Q^−α K Q^−α,   D = diag(W1).
//
// α = 0 leaves the influence of the samples' density in the result; α = 1 removes it, so
// that the walk approaches diffusion on the manifold itself; α = ½ is in between
// (Fokker–Planck). O(entries).
func DiffusionOperator(alpha float64) Rule[*Diffusion] {
	return func(in Input) (*Diffusion, error) {
		a, err := GraphTerm(in)
		if err != nil {
			return nil, err
		}
		defer in.Phase("alignment")()
		density := densities(in, a, alpha)
		phi, n := a.Phi, in.X.N()
		a.Laplacian, a.Factored = true, nil // the patches are those of K
		a.Scale = make([]float64, n)
		degree, own := make([]float64, n), make([]float64, n)
		var total float64
		for i := range n {
			own[i] = in.ownWeight(i) / (density[i] * density[i]) // weight of the sample's edge to itself
			degree[i] = own[i]
			cols, vals := phi.Row(i)
			for q, j := range cols {
				if int(j) != i {
					vals[q] /= density[i] * density[j]
					degree[i] -= vals[q]
				}
			}
			a.Scale[i] = 1 / math.Sqrt(degree[i])
			total += degree[i]
		}
		for i := range n {
			a.Null[i] = math.Sqrt(degree[i] / total)
			cols, vals := phi.Row(i)
			for q, j := range cols {
				if int(j) == i {
					vals[q] = 1 - own[i]/degree[i]
				} else {
					// The product of both factors first, so that (i, j) and (j, i) are rounded equally.
					vals[q] *= a.Scale[i] * a.Scale[j]
				}
			}
		}
		// A zero row is a sample that the walk hardly leaves, because of its kernel's diagonal.
		if err := attached(in, phi, atRounding); err != nil {
			return nil, err
		}
		return &Diffusion{Sum: a, Density: density}, nil
	}
}

// densities returns qᵢ^α, from the degrees on the diagonal of the Laplacian.
func densities(in Input, a *Sum, alpha float64) []float64 {
	density := make([]float64, a.Phi.Rows)
	for i := range density {
		density[i] = math.Pow(in.ownWeight(i)+a.Phi.At(i, i), alpha)
	}
	return density
}

// ownWeight is the entry of the kernel on its diagonal.
func (in Input) ownWeight(i int) float64 {
	if in.Diagonal == nil {
		return 1
	}
	return in.Diagonal[i]
}

// Bytes returns its memory.
func (a *Diffusion) Bytes() int64 { return a.Sum.Bytes() + numbers(a.Density) }
