package scale

import (
	"context"
	"fmt"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/engine/neighbors"
)

const (
	// permutations is the number of data sets with independent columns.
	permutations = 20
	// chanceQuantile of their variances is what a component must exceed.
	chanceQuantile = 0.95
	// maxCompared is the most components that are compared.
	maxCompared = 200
	// maxAnalysed is the largest smaller number of samples and columns.
	maxAnalysed = 4096
)

// Components is the number of principal components found by parallel analysis.
type Components struct {
	Dim        int       // at least 1
	Variances  []float64 // along the components compared, descending
	Thresholds []float64 // the variances that they must exceed
	Reason     string
}

// ParallelAnalysis compares the variances along the principal components of samples with those of samples
// whose columns are permuted independently of each other (Horn 1965, Buja and Eyuboglu 1992), and counts the leading ones
// above the 95 % quantile of these (Glorfeld 1995). The permutations are determined by the seed. It takes 21 times the
// work of all components, and three times the memory of the samples.
func ParallelAnalysis(ctx context.Context, x neighbors.Points, s Settings) (Components, error) {
	if min(x.N, x.M) > maxAnalysed {
		return Components{}, fmt.Errorf("parallel analysis takes at most %d samples or columns, and these are %d × %d; give a number", maxAnalysed, x.N, x.M)
	}
	count := min(x.N-1, x.M, maxCompared)
	centred := make([]float64, x.N*x.M)
	for j := range x.M {
		var mean, rest float64
		for i := range x.N {
			mean += x.Data[i*x.M+j] / float64(x.N)
		}
		for i := range x.N {
			rest += (x.Data[i*x.M+j] - mean) / float64(x.N)
		}
		for i := range x.N {
			centred[i*x.M+j] = x.Data[i*x.M+j] - mean - rest
		}
	}
	var found Components
	var err error
	if found.Variances, err = leadingVariances(ctx, centred, x.N, x.M, count, s); err != nil {
		return found, err
	}
	random := blas.NewStream(s.Seed)
	chance := make([][]float64, count)
	for range permutations {
		if err := permuteColumns(ctx, centred, x.N, x.M, random, s.Threads); err != nil {
			return found, err
		}
		variances, err := leadingVariances(ctx, centred, x.N, x.M, count, s)
		if err != nil {
			return found, err
		}
		for k, v := range variances {
			chance[k] = append(chance[k], v)
		}
	}
	for k, list := range chance {
		slices.Sort(list)
		place := chanceQuantile * float64(len(list)-1)
		at := int(place)
		limit := list[at] + (place-float64(at))*(list[at+1]-list[at])
		found.Thresholds = append(found.Thresholds, limit)
		if found.Dim == k && found.Variances[k] > limit*(1+0x1p-40) {
			found.Dim++
		}
	}
	found.Reason = fmt.Sprintf("the leading components with a larger variance than in %d data sets with permuted columns (parallel analysis)", permutations)
	if found.Dim == count && count == maxCompared {
		found.Reason = fmt.Sprintf("all %d components that are compared have a larger variance than those of data with permuted columns (parallel analysis)", count)
	}
	if found.Dim == 0 {
		found.Dim, found.Reason = 1, "no component has a larger variance than those of data with permuted columns (parallel analysis)"
	}
	return found, nil
}

// permuteColumns shuffles the entries of each column.
func permuteColumns(ctx context.Context, x []float64, n, m int, random *blas.Stream, threads int) error {
	seeds := make([]uint64, m)
	for j := range seeds {
		seeds[j] = random.Uint64()
	}
	return blas.For(ctx, threads, m, 8, func(_, lo, hi int) {
		for j := lo; j < hi; j++ {
			own := blas.NewStream(seeds[j])
			for i := n - 1; i > 0; i-- {
				k := own.Below(i + 1)
				x[i*m+j], x[k*m+j] = x[k*m+j], x[i*m+j]
			}
		}
	})
}

// leadingVariances returns the largest variances of centred samples along their principal components, descending.
func leadingVariances(ctx context.Context, x []float64, n, m, count int, s Settings) ([]float64, error) {
	order := min(n, m)
	gram := make([]float64, order*order)
	if m <= n {
		s.Kernels.SyrkParallel(s.Threads, true, m, n, 1, x, m, 0, gram, m)
	} else {
		s.Kernels.SyrkParallel(s.Threads, false, n, m, 1, x, m, 0, gram, n)
	}
	vector.Mirror(gram, order)
	values, vectors := make([]float64, count), make([]float64, count*order)
	if err := s.Kernels.SymEigRange(order, order-count, order, gram, order, values, vectors, order, new(blas.Work)); err != nil {
		return nil, err
	}
	slices.Reverse(values)
	blas.Scale(1/float64(n-1), values)
	return values, ctx.Err()
}
