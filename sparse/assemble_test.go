package sparse

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// randomSets draws count sets of up to size rows each.
func randomSets(n, count, size int, s *blas.Stream) (ptr []int, index []int32) {
	ptr = []int{0}
	for range count {
		var set []int32
		for range 1 + s.Below(size) {
			if r := int32(s.Below(n)); !slices.Contains(set, r) {
				set = append(set, r)
			}
		}
		index = append(index, set...)
		ptr = append(ptr, len(index))
	}
	return ptr, index
}

func randomPatches(n, count, size int, seed uint64) *Patches {
	s := blas.NewStream(seed)
	ptr, index := randomSets(n, count, size, s)
	return fill(ptr, index, s)
}

// fill stores random patches on the given sets.
func fill(ptr []int, index []int32, s *blas.Stream) *Patches {
	p := NewPatches(2, ptr, index)
	for i := range p.Len() {
		lower := make([]float64, p.Size(i))
		s.Normals(lower)
		p.Store(i, lower)
	}
	return p
}

// denseSum is the definition, Σ SᵢLᵢSᵢᵀ in a full array, from the sets as they
// were given and the same stream of values.
func denseSum(n int, ptr []int, index []int32, s *blas.Stream) []float64 {
	a := make([]float64, n*n)
	for i := range len(ptr) - 1 {
		set := index[ptr[i]:ptr[i+1]]
		lower := make([]float64, len(set)*(len(set)+1)/2)
		s.Normals(lower)
		at := 0
		for x, r := range set {
			for y, c := range set[:x+1] {
				a[int(r)*n+int(c)] += lower[at]
				if x != y {
					a[int(c)*n+int(r)] += lower[at]
				}
				at++
			}
		}
	}
	return a
}

func TestAssembleIsTheSumOfThePatches(t *testing.T) {
	for _, c := range []struct{ n, count, size int }{{1, 1, 1}, {5, 0, 1}, {40, 60, 7}, {700, 900, 13}, {fewColumns + 50, 2500, 9}} {
		ptr, index := randomSets(c.n, c.count, c.size, blas.NewStream(uint64(c.n)))
		p := fill(ptr, index, blas.NewStream(7))
		want := denseSum(c.n, ptr, index, blas.NewStream(7))
		var first *CSR
		for _, threads := range []int{1, 2, 3, 7} {
			a := must.Get(Assemble(context.Background(), threads, c.n, p))(t)
			got := a.Dense().RawMatrix().Data
			for i := range want { // same terms in the same order: same bits
				if got[i] != want[i] {
					t.Fatalf("n=%d, %d threads: entry %d is %g, want %g", c.n, threads, i, got[i], want[i])
				}
			}
			if first == nil {
				first = a
			}
			if !slices.Equal(a.Col, first.Col) || !slices.Equal(a.Val, first.Val) {
				t.Errorf("n=%d: %d threads change the matrix", c.n, threads)
			}
			for i := range c.n {
				if cols, _ := a.Row(i); !slices.IsSorted(cols) {
					t.Fatalf("row %d has unsorted columns", i)
				}
			}
		}
	}
}

func TestProductsAgreeWithDense(t *testing.T) {
	const n = 300
	a := must.Get(Assemble(context.Background(), 1, n, randomPatches(n, 500, 9, 5)))(t)
	dense := a.Dense().RawMatrix().Data
	for _, w := range []int{1, 3, 4, 8, 11} {
		x, want := make([]float64, n*w), make([]float64, n*w)
		blas.NewStream(2).Normals(x)
		for i := range n {
			for j := range n {
				blas.Axpy(dense[i*n+j], x[j*w:j*w+w], want[i*w:i*w+w])
			}
		}
		for _, threads := range []int{1, 3} {
			y := make([]float64, n*w)
			a.MulBlock(threads, w, x, y)
			if w == 1 {
				a.MulVec(threads, x, y)
			}
			for i := range y { // rows have under 100 terms of size about 1
				if math.Abs(y[i]-want[i]) > 1e-12 {
					t.Fatalf("w=%d: entry %d is %g, want %g", w, i, y[i], want[i])
				}
			}
		}
	}
}

func TestTriplets(t *testing.T) {
	a := must.Get(FromTriplets(3, 4, []Triplet{{2, 3, 1}, {0, 1, 2}, {2, 0, 3}, {0, 1, 4}}))(t)
	if !slices.Equal(a.Ptr, []int{0, 1, 1, 3}) || !slices.Equal(a.Col, []int32{1, 0, 3}) || !slices.Equal(a.Val, []float64{6, 3, 1}) {
		t.Errorf("got %+v", a)
	}
	if a.At(2, 3) != 1 || a.At(1, 1) != 0 {
		t.Error("At is wrong")
	}
	for _, e := range []Triplet{{3, 0, 1}, {0, 4, 1}, {-1, 0, 1}} {
		if _, err := FromTriplets(3, 4, []Triplet{e}); err == nil {
			t.Errorf("entry %v outside the matrix was accepted", e)
		}
	}
}

func BenchmarkAssemble(b *testing.B) {
	const n, k = 20000, 13
	ptr, index := []int{0}, []int32{}
	for i := range n { // cliques along a band: what neighbourhoods of a curve look like
		for j := range k {
			index = append(index, int32((i+j*j)%n))
		}
		ptr = append(ptr, len(index))
	}
	p := fill(ptr, index, blas.NewStream(1))
	for b.Loop() {
		if _, err := Assemble(context.Background(), 1, n, p); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkProducts(b *testing.B) {
	const n = 20000
	a, err := Assemble(context.Background(), 1, n, randomPatches(n, n, 13, 5))
	if err != nil {
		b.Fatal(err)
	}
	for _, w := range []int{1, 4, 8, 16} {
		x, y := make([]float64, n*w), make([]float64, n*w)
		blas.NewStream(2).Normals(x)
		b.Run("width="+string(rune('0'+w/10))+string(rune('0'+w%10)), func(b *testing.B) {
			b.SetBytes(int64(12 * a.NNZ()))
			for b.Loop() {
				if w == 1 {
					a.MulVec(1, x, y)
				} else {
					a.MulBlock(1, w, x, y)
				}
			}
		})
	}
}

// The order that is found before there are patches is that of their sum, and the factor by it has the same bits.
func TestOrderBeforeThePatches(t *testing.T) {
	const n = 3000
	ptr, index := []int{0}, []int32(nil)
	for i := range n {
		for _, step := range []int{0, 1, 2, 50, 51} {
			index = append(index, int32((i+step)%n))
		}
		ptr = append(ptr, len(index))
	}
	for _, threads := range []int{1, 2, 3, 7} {
		p := NewPatches(threads, ptr, index)
		a := must.Get(NewAssembly(t.Context(), threads, n, p))(t)
		if err := a.Order(t.Context(), threads); err != nil {
			t.Fatal(err)
		}
		s := blas.NewStream(1)
		for i := range p.Len() {
			lower := make([]float64, p.Size(i))
			s.Normals(lower)
			p.Store(i, lower)
		}
		phi := must.Get(a.Sum(t.Context()))(t)
		early := a.Analysis()
		late := must.Get(AnalyzeOrdered(t.Context(), phi, Best, 1))(t)
		if !slices.Equal(early.Permutation(), late.Permutation()) || early.Entries() != late.Entries() {
			t.Fatalf("%d threads: another order", threads)
		}
		shift := phi.RowSumNorm()
		f, g := must.Get(early.Factor(t.Context(), blas.MustSelect(""), threads, phi, shift))(t), must.Get(late.Factor(t.Context(), blas.MustSelect(""), 1, phi, shift))(t)
		for panel := range int32(len(late.rowLo)) {
			if !slices.Equal(f.panelValues(panel), g.panelValues(panel)) {
				t.Fatalf("%d threads: panel %d has other values", threads, panel)
			}
		}
	}
}
