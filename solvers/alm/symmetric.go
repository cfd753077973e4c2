package alm

import "github.com/orthant-go/orthant/sparse"

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
