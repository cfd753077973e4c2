package sparse

import (
	"context"
	"fmt"
	"math"
)

// Ordering is a way to choose the order of elimination.
type Ordering int

const (
	// ByMinimumDegree is [MinimumDegree]: fast, and best in two dimensions.
	ByMinimumDegree Ordering = iota
	// ByDissection is [NestedDissection]: several times slower, with less fill in
	// three dimensions and more.
	ByDissection
	// ByPieces is minimum degree within the pieces that thin separators leave, several of
	// them at a time: on large patterns of surfaces faster than minimum degree, with less
	// fill. It is minimum degree where there are no such separators.
	ByPieces
	// Best is ByPieces on large patterns of ten entries a row and more, and minimum degree on
	// others. Where that leaves this many flops that the numeric phase will take much longer than the ordering, it tries
	// dissection as well, and keeps the order with fewer flops.
	Best
)

// String names the ordering in words, for reports.
func (o Ordering) String() string {
	switch o {
	case ByMinimumDegree:
		return "minimum degree"
	case ByDissection:
		return "nested dissection"
	case ByPieces:
		return "minimum degree in pieces"
	case Best:
		return "best"
	}
	return fmt.Sprintf("Ordering(%d)", int(o))
}

// [Best] tries dissection where the numeric phase has at least dissectionFlops to
// do, and dissectionRate for each entry of the matrix: measured, dissection takes
// the time of half as many flops an entry and saves up to half of them. On a
// surface, where it saves a fifth, that keeps it from taking longer than all the
// rest.
const (
	dissectionFlops = 2e10
	dissectionRate  = 3e4
)

// dissectionBound is the number of flops from which [Best] tries dissection.
func dissectionBound(a *CSR) float64 { return max(dissectionFlops, dissectionRate*float64(a.NNZ())) }

// AnalyzeOrdered is [Analyze] with a choice of the ordering. threads is the
// number of goroutines that the ordering may use, 0 for all cores; the result
// does not depend on it.
func AnalyzeOrdered(ctx context.Context, a *CSR, ordering Ordering, threads int) (*Analysis, error) {
	if ordering < ByMinimumDegree || ordering > Best {
		return nil, fmt.Errorf("sparse: there is no %v; take ByMinimumDegree, ByDissection, ByPieces or Best", ordering)
	}
	if err := checkSymmetric(a); err != nil {
		return nil, fmt.Errorf("sparse: symbolic factorisation: %w", err)
	}
	return analyzeOrdered(ctx, a, ordering, threads, dissectionBound(a))
}

// FillError says that a matrix fills: its factor by minimum degree takes more than this many operations.
type FillError struct{ Most float64 }

func (e *FillError) Error() string {
	return fmt.Sprintf("sparse: the factor takes more than %.2g operations; solve by an iterative method, or raise the number", e.Most)
}

// AnalyzeWithin is [AnalyzeOrdered] by [Best] for matrices that may fill, such as graphs of social networks: where minimum degree of
// the whole pattern leaves more than this many operations, it ends early with a [FillError], long before the structure of the factor is known.
func AnalyzeWithin(ctx context.Context, a *CSR, threads int, most float64) (*Analysis, error) {
	if err := checkSymmetric(a); err != nil {
		return nil, fmt.Errorf("sparse: symbolic factorisation: %w", err)
	}
	first, err := byMinimumDegree(ctx, a, Best, threads, most)
	if err != nil {
		return nil, err
	}
	return first.analyze(ctx, a, Best, threads, dissectionBound(a))
}

// analyzeOrdered is AnalyzeOrdered for a checked pattern, with the bound of
// Best.
func analyzeOrdered(ctx context.Context, a *CSR, ordering Ordering, threads int, bound float64) (*Analysis, error) {
	var first order
	var err error
	if ordering != ByDissection {
		if first, err = byMinimumDegree(ctx, a, ordering, threads, math.Inf(1)); err != nil {
			return nil, err
		}
	}
	return first.analyze(ctx, a, ordering, threads, bound)
}

// order is an order of elimination; without perm: none is known.
type order struct {
	perm []int32
	by   Ordering
}

// analyze finds the structure of the factor in this order, or in that of a dissection where [Best] takes it.
func (o order) analyze(ctx context.Context, a *CSR, ordering Ordering, threads int, bound float64) (*Analysis, error) {
	var found *elimination
	if o.perm != nil {
		found = eliminate(a, o.perm, o.by)
	}
	if found == nil || ordering == Best && found.flops > bound && dissectible(a) == nil {
		perm, err := nestedDissection(ctx, a, threads)
		if err != nil {
			return nil, err
		}
		if other := eliminate(a, perm, ByDissection); found == nil || other.flops < found.flops {
			found = other
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return found.analysis(a), nil
}

// byMinimumDegree orders by minimum degree, in pieces where that is requested or best, and of the whole pattern with at most this many operations
// of the factor.
func byMinimumDegree(ctx context.Context, a *CSR, ordering Ordering, threads int, most float64) (order, error) {
	if ordering == ByPieces || ordering == Best && a.Rows >= piecesFrom && len(a.Col) >= piecesDensity*a.Rows {
		if perm, err := minimumDegreeInPieces(ctx, a, threads, pieceRows); perm != nil || err != nil {
			return order{perm, ByPieces}, err
		}
	}
	perm, err := newQuotientGraph(a).run(ctx, most)
	return order{perm, ByMinimumDegree}, err
}
