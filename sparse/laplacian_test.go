package sparse

import (
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// listed are random lists of n samples, one of which nobody lists and which lists nobody.
func listed(n int) Edges {
	s := blas.NewStream(4)
	e := Edges{Ptr: []int{0}}
	lonely := n / 2
	for i := range n {
		for range s.Below(6) {
			j := int32(s.Below(n))
			if i == lonely || int(j) == lonely || slices.Contains(e.Index[e.Ptr[i]:], j) {
				continue
			}
			e.Index, e.Weight = append(e.Index, j), append(e.Weight, s.Uniform()-0.1)
		}
		e.Ptr = append(e.Ptr, len(e.Index))
	}
	return e
}

// The Laplacian has the bits of the sum of its edges as patches, on any number of threads.
func TestLaplacianIsTheSumOfItsEdges(t *testing.T) {
	const n = 700
	e := listed(n)
	var index []int32
	ptr, weights := []int{0}, []float64{}
	for i := range n {
		for q := e.Ptr[i]; q < e.Ptr[i+1]; q++ {
			if int(e.Index[q]) != i {
				index = append(index, int32(i), e.Index[q])
				ptr, weights = append(ptr, len(index)), append(weights, e.Weight[q])
			}
		}
	}
	patches := NewPatches(1, ptr, index)
	for i, w := range weights {
		patches.Store(i, []float64{w, -w, w})
	}
	want := must.Get(Assemble(t.Context(), 1, n, patches))(t)
	for _, threads := range []int{1, 3} {
		got := must.Get(Laplacian(t.Context(), threads, e))(t)
		must.Do(t, got.Validate())
		if !slices.Equal(got.Ptr, want.Ptr) || !slices.Equal(got.Col, want.Col) || !slices.Equal(got.Val, want.Val) {
			t.Errorf("%d threads: the Laplacian is not the sum of the patches", threads)
		}
		if cols, _ := got.Row(n / 2); len(cols) != 0 {
			t.Errorf("a sample without edges has %d entries", len(cols))
		}
		if need := got.Bytes(); need > LaplacianBytes(n, len(e.Index)) {
			t.Errorf("%d bytes, estimated %d", need, LaplacianBytes(n, len(e.Index)))
		}
	}
	whole := must.Get(Laplacian(t.Context(), 2, Edges{Ptr: []int{0, 1, 1, 2}, Index: []int32{0, 0}, Weight: []float64{5, 2}}))(t)
	if !slices.Equal(whole.Val, []float64{2, -2, -2, 2}) || !slices.Equal(whole.Ptr, []int{0, 2, 2, 4}) {
		t.Errorf("with a sample that lists itself: %v, %v", whole.Ptr, whole.Val)
	}
}
