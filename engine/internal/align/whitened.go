package align

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// whitenedCut is the share of the largest eigenvalue of L^b up to which eigenvalues count as zero, or,
	// with a ridge, that is added to all.
	whitenedCut = 1e-6
	// WhitenedSquares is the number of n × n matrices held at a time: L^b with
	// a workspace of 2.5 for the eigensolver, part of which may not be collected yet when the
	// root and a product are formed.
	WhitenedSquares = 4.5
)

// whitened returns B^(−½)AB^(−½), dense and row by row, for positive semidefinite
// A and a Laplacian B, which has a null vector for each component of its graph. The
// default, pinv, leaves out eigenvalues of B up to 1e-6 of the largest; ridge adds that
// amount to all. It takes one eigendecomposition, of at most 14n³/3 operations, two products
// of n × n matrices, 3n³, and 36n² bytes.
func whitened(in Input, a, b *sparse.CSR, singular string) ([]float64, error) {
	defer in.Phase("whitening")()
	n := in.X.N()
	in.CollectGarbage(int64(WhitenedSquares * float64(numbersOf(n, n))))
	vectors := b.Dense().RawMatrix().Data
	values := make([]float64, n)
	if err := in.Kernels().SymEig(n, vectors, n, values, &blas.Work{}); err != nil {
		return nil, fmt.Errorf("%s: the alignment between classes: %w", in.Method(), err)
	}
	if err := in.Err(); err != nil {
		return nil, err
	}
	in.CollectGarbage(4 * numbersOf(n, n)) // after releasing the memory of the eigensolver
	largest := values[n-1]
	if !(largest > 0) {
		return nil, fmt.Errorf("%s: the alignment between classes is zero; nothing separates the classes", in.Method())
	}
	kept := 0
	for j, v := range values {
		switch {
		case singular == "ridge":
			v = max(v, 0) + whitenedCut*largest
		case v <= whitenedCut*largest:
			continue
		}
		// B^(−½) is RᵀR for the matrix R of these rows.
		row := vectors[kept*n : (kept+1)*n]
		copy(row, vectors[j*n:(j+1)*n])
		blas.Scale(math.Pow(v, -0.25), row)
		kept++
	}
	in.Note("rank_between", kept)
	root := make([]float64, n*n)
	in.Kernels().SyrkParallel(in.Threads(), true, n, kept, 1, vectors, n, 0, root, n)
	vector.Mirror(root, n)
	if err := in.Err(); err != nil {
		return nil, err
	}
	half := make([]float64, n*n)
	a.MulBlock(in.Threads(), n, root, half)
	phi := vectors
	in.Kernels().GemmParallel(in.Threads(), false, false, n, n, n, 1, root, n, half, n, 0, phi, n)
	for i := range n {
		for j := range i {
			v := (phi[i*n+j] + phi[j*n+i]) / 2
			phi[i*n+j], phi[j*n+i] = v, v
		}
	}
	in.Explain("alignment: dense %d × %d, of rank %d between classes", n, n, kept)
	return phi, in.Err()
}
