package alm

import (
	"context"

	"github.com/orthant-go/orthant/sparse"
)

// Graph is what a method knows of the affinities between samples, and how that
// changes from pass to pass.
type Graph interface {
	// Affinity returns S of the coming pass: symmetric, nonnegative, n × n; Φ =
	// diag(S1) − S. The diagonal does not matter. Valid until the next Update.
	Affinity() *sparse.CSR
	// Update learns from a pass whose new factors are w and wPlus (n × r, row after row,
	// one row a sample): step.Mu is the penalty of the pass, step.Next the one after
	// it (mu·rho, capped). It returns the residual of its own splitting,
	// ‖Z − C‖_F/√n (0 where there is none).
	Update(ctx context.Context, w, wPlus []float64, step Step) (residual float64, err error)
}

// Step says which pass a [Graph] learns from.
type Step struct {
	Pass, Rank int // the pass counts from 1; Rank is r
	Mu, Next   float64
}

// Projector is a Graph of a method that also chooses the data: those that are
// factorized are a projection of the samples, which changes from pass to pass.
type Projector interface {
	Graph
	// Project comes before Update of the same pass. target = WH + E − L1/μ (n × m) is
	// what the data should be for the factors' sake; x is overwritten with what they
	// are from now on.
	Project(ctx context.Context, target, x []float64, step Step) error
}

// Fixed is the graph of fixed affinities s.
func Fixed(s *sparse.CSR) Graph { return fixed{s} }

type fixed struct{ s *sparse.CSR }

func (f fixed) Affinity() *sparse.CSR { return f.s }

func (fixed) Update(context.Context, []float64, []float64, Step) (float64, error) { return 0, nil }

// symmetric is (S + Sᵀ)/2 for rows of k entries each, in storage that is reused.
type symmetric struct {
	csr   sparse.CSR
	ptr   []int // of Sᵀ
	next  []int
	index []int32
	value []float64
}

func newSymmetric(n, entries int) symmetric {
	return symmetric{
		csr: sparse.CSR{Rows: n, Cols: n, Ptr: make([]int, n+1), Col: make([]int32, 0, 2*entries), Val: make([]float64, 0, 2*entries)},
		ptr: make([]int, n+1), next: make([]int, n), index: make([]int32, entries), value: make([]float64, entries),
	}
}

// symmetrize reads the rows of S, columns ascending.
func (s *symmetric) symmetrize(k int, index []int32, value []float64) {
	s.transpose(k, index, value)
	n := s.csr.Rows
	s.csr.Col, s.csr.Val = s.csr.Col[:0], s.csr.Val[:0]
	add := func(j int32, v float64) { s.csr.Col, s.csr.Val = append(s.csr.Col, j), append(s.csr.Val, v/2) }
	for i := range n {
		p, q, own, other := i*k, s.ptr[i], (i+1)*k, s.ptr[i+1]
		for p < own || q < other {
			switch {
			case q == other || p < own && index[p] < s.index[q]:
				add(index[p], value[p])
				p++
			case p == own || s.index[q] < index[p]:
				add(s.index[q], s.value[q])
				q++
			default:
				add(index[p], value[p]+s.value[q])
				p, q = p+1, q+1
			}
		}
		s.csr.Ptr[i+1] = len(s.csr.Col)
	}
}

// transpose sorts the entries by columns, rows ascending within each.
func (s *symmetric) transpose(k int, index []int32, value []float64) {
	clear(s.ptr)
	for _, j := range index {
		s.ptr[j+1]++
	}
	for j := range s.next {
		s.ptr[j+1] += s.ptr[j]
		s.next[j] = s.ptr[j]
	}
	for at, j := range index {
		to := s.next[j]
		s.index[to], s.value[to] = int32(at/k), value[at]
		s.next[j]++
	}
}
