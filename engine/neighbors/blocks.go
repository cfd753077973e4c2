package neighbors

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
)

// blockRows is the side of a tile of the Gram matrix: 512 KiB of products, which
// stays in the second-level cache between the product and its scan.
const blockRows = 256

// blockSearch finds neighbours from products of blocks of the centred data,
// ‖x‖² + ‖y‖² − 2x·y, over half of the Gram matrix. The products only preselect:
// whatever could be among the k nearest within the rounding bound of that
// formula is measured again by direct differences, so the result is exact.
type blockSearch struct {
	x       Points
	centred []float64
	half    []float64 // ‖x̃ⱼ‖²/2, shrunk by the rounding bound
	reach   []float64 // half − (worst squared distance held)/2: a product above reach[i] + half[j] enters i's list
	found   []nearest
	locks   []sync.Mutex // one a block of rows
	kernels *blas.Kernels
}

func searchBlocks(ctx context.Context, x Points, k int, o Options, g *Graph) error {
	s := &blockSearch{x: x, kernels: o.Kernels, centred: lessMeans(x, columnMeans(x))}
	blocks := (x.N + blockRows - 1) / blockRows
	s.locks = make([]sync.Mutex, blocks)
	s.half, s.reach, s.found = make([]float64, x.N), make([]float64, x.N), make([]nearest, x.N)
	margin := productMargin(x.M)
	for i := range x.N {
		row := s.centred[i*x.M : (i+1)*x.M]
		s.half[i] = blas.Dot(row, row) / 2 * (1 - 2*margin)
		s.reach[i] = math.Inf(-1)
		s.found[i] = g.list(i)
	}
	// Tiles by distance from the diagonal: neighbouring blocks of the input come
	// first, and the tiles under way at one time rarely share a block.
	type tile struct{ a, b int }
	var tiles []tile
	for off := 0; off < blocks; off++ {
		for a := 0; a+off < blocks; a++ {
			tiles = append(tiles, tile{a, a + off})
		}
	}
	var done atomic.Int64
	products := sync.Pool{New: func() any { p := make([]float64, blockRows*blockRows); return &p }}
	err := blas.For(ctx, o.Threads, len(tiles), 1, func(_, at, _ int) {
		buffer := products.Get().(*[]float64)
		s.tile(tiles[at].a, tiles[at].b, *buffer)
		products.Put(buffer)
		o.Progress(float64(done.Add(1)) / float64(len(tiles)))
	})
	if err != nil {
		return err
	}
	for i := range s.found {
		s.found[i].finish()
	}
	return nil
}

// productMargin is the multiple of ‖x‖² + ‖y‖² by which rounding of the m-term
// product, of the norms and of the centring moves the formula at most (Higham,
// Accuracy and Stability, 3.1, with a factor 2 to spare).
func productMargin(m int) float64 { return 4 * float64(m+16) * 0x1p-53 }

func columnMeans(x Points) []float64 {
	mean := make([]float64, x.M)
	for i := range x.N {
		blas.Axpy(1/float64(x.N), x.Row(i), mean)
	}
	return mean
}

// lessMeans returns the data less the means given: products of centred rows lose
// the fewest digits.
func lessMeans(x Points, mean []float64) []float64 {
	c := make([]float64, x.N*x.M)
	for i := range x.N {
		out := c[i*x.M : (i+1)*x.M]
		for j, v := range x.Row(i) {
			out[j] = v - mean[j]
		}
	}
	return c
}

// tile treats the products of blocks a ≤ b, for the rows of a and, by symmetry,
// for those of b. Lists are updated under their blocks' locks; which tile comes
// first does not change them, because their content is decided by exact
// distances alone.
func (s *blockSearch) tile(a, b int, g []float64) {
	m := s.x.M
	alo, ahi := a*blockRows, min((a+1)*blockRows, s.x.N)
	blo, bhi := b*blockRows, min((b+1)*blockRows, s.x.N)
	width := bhi - blo
	s.kernels.Gemm(false, true, ahi-alo, width, m, 1, s.centred[alo*m:], m, s.centred[blo*m:], m, 0, g, width)
	s.locks[a].Lock()
	defer s.locks[a].Unlock()
	if a != b {
		s.locks[b].Lock()
		defer s.locks[b].Unlock()
	}
	halfB, reachB := s.half[blo:bhi], s.reach[blo:bhi]
	for i := alo; i < ahi; i++ {
		row := g[(i-alo)*width : (i-alo+1)*width]
		half := s.half[i]
		if a == b {
			for q, v := range row {
				if v-halfB[q] >= s.reach[i] && blo+q != i {
					s.measure(i, blo+q)
				}
			}
			continue
		}
		reach := s.reach[i]
		for q, v := range row {
			if v-halfB[q] >= reach {
				s.measure(i, blo+q)
				reach = s.reach[i]
			}
			if v-half >= reachB[q] {
				s.measure(blo+q, i)
			}
		}
	}
}

// measure offers sample j to the list of sample i at its exact distance.
func (s *blockSearch) measure(i, j int) {
	found := &s.found[i]
	found.offer(blas.SquaredDistance(s.x.Row(i), s.x.Row(j)), int32(j))
	if found.full() {
		s.reach[i] = s.half[i] - found.bound()/2
	}
}
