package blas

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas/limits"
)

// allowed is the number of workers for those who ask for none. Tests of parallel
// loops take more of them than a machine may have cores.
var allowed = func() int { return limits.ForProcess(0) }

// Threads returns the number of workers to use when asked for t of them: where t is 0
// or less, all cores that this process may use.
func Threads(t int) int {
	if t <= 0 {
		return allowed()
	}
	return t
}

// For calls do(worker, lo, hi) for consecutive blocks that cover 0 ≤ i < n,
// each of the given size but the last, on at most threads workers (0: all
// cores). Blocks depend on n and size alone, never on the number of threads:
// work whose blocks write to places of their own, or whose partial results are
// combined in block order, gives the same bits for any number of threads.
// worker counts from 0 and names the scratch space a block may use.
//
// Between blocks For looks at ctx and stops early when it is cancelled; it then
// returns the context's error. A panic in do ends the work and is raised again on
// the caller's goroutine.
func For(ctx context.Context, threads, n, size int, do func(worker, lo, hi int)) error {
	size = max(size, 1)
	blocks := (n + size - 1) / size
	threads = min(Threads(threads), blocks)
	if threads <= 1 {
		for lo := 0; lo < n; lo += size {
			if err := ctx.Err(); err != nil {
				return err
			}
			do(0, lo, min(lo+size, n))
		}
		return ctx.Err()
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	var first sync.Once
	var crash any
	work := func(worker int) {
		defer func() {
			if p := recover(); p != nil {
				first.Do(func() { crash = p })
				next.Store(int64(blocks))
			}
		}()
		for ctx.Err() == nil {
			b := int(next.Add(1)) - 1
			if b >= blocks {
				return
			}
			do(worker, b*size, min((b+1)*size, n))
		}
	}
	for worker := 1; worker < threads; worker++ {
		wg.Go(func() { work(worker) })
	}
	// The caller works, too: a short loop is done before another thread has woken up.
	work(0)
	wg.Wait()
	if crash != nil {
		panic(crash)
	}
	return ctx.Err()
}

// ForWithTask is [For] with a task that is hard to divide, done at the same time: one worker begins with it, and takes
// blocks when it is done. The task may use the given number of threads. Without a task it is For.
func ForWithTask(ctx context.Context, threads, n, size int, task func(threads int), do func(worker, lo, hi int)) error {
	if task == nil {
		return For(ctx, threads, n, size, do)
	}
	threads, size = Threads(threads), max(size, 1)
	own, workers := threads, threads
	if threads < runtime.GOMAXPROCS(0) { // otherwise the scheduler shares out what there is
		own = max(1, threads/2)
		workers = threads - own + 1
	}
	return For(ctx, workers, 1+(n+size-1)/size, 1, func(worker, block, _ int) {
		if block == 0 {
			task(own)
			return
		}
		do(worker, (block-1)*size, min(block*size, n))
	})
}

// Work below this many multiply-adds is done on the calling goroutine: handing
// it out would cost more than it gains.
const spreadFrom = 1 << 21

// piece is the size of the pieces into which n rows or columns are cut for
// several threads: about 16 pieces, none narrow. It is a multiple of the tiles'
// heights and depends on n alone, so that no backend's bits depend on threads.
func piece(n int) int {
	const step, least = 84, 168
	return max(least, (n/16+step-1)/step*step)
}

// GemmParallel is [Kernels.Gemm] on up to threads workers (0: all cores), for
// products that no caller divides. The number of threads changes no bit.
func (k *Kernels) GemmParallel(threads int, tA, tB bool, m, n, p int, alpha float64, a []float64, lda int, b []float64, ldb int, beta float64, c []float64, ldc int) {
	if m*n*p < spreadFrom {
		k.Gemm(tA, tB, m, n, p, alpha, a, lda, b, ldb, beta, c, ldc)
		return
	}
	if k.level3 == (nativeBackend{}) && alpha != 0 {
		checkMatrix(m, n, c, ldc)
		whole := general(tA, tB, m, n, p, alpha, a, lda, b, ldb, beta, c, ldc)
		whole.runParallel(Threads(threads))
		return
	}
	// The context is never cancelled, so neither is the loop.
	if m >= n {
		_ = For(context.Background(), threads, m, piece(m), func(_, lo, hi int) {
			k.Gemm(tA, tB, hi-lo, n, p, alpha, rowsFrom(a, lda, tA, lo), lda, b, ldb, beta, c[lo*ldc:], ldc)
		})
		return
	}
	_ = For(context.Background(), threads, n, piece(n), func(_, lo, hi int) {
		k.Gemm(tA, tB, m, hi-lo, p, alpha, a, lda, rowsFrom(b, ldb, !tB, lo), ldb, beta, c[lo:], ldc)
	})
}

// rowsFrom is op(A) without its first lo rows.
func rowsFrom(a []float64, lda int, transposed bool, lo int) []float64 {
	if transposed {
		return a[lo:]
	}
	return a[lo*lda:]
}

// SyrkParallel is [Kernels.Syrk] on up to threads workers (0: all cores). The
// number of threads changes no bit. Few columns of many rows are cut into slabs
// of rows, added in order; otherwise C is cut into blocks, or by native into ranges of columns.
func (k *Kernels) SyrkParallel(threads int, trans bool, n, p int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	switch {
	case n*n*p/2 < spreadFrom:
		k.Syrk(trans, n, p, alpha, a, lda, beta, c, ldc)
	case p > slab && n <= 256:
		k.syrkSlabs(threads, trans, n, p, alpha, a, lda, beta, c, ldc)
	case k.level3 == nativeBackend{} && alpha != 0 && p <= slab && n >= 3*leastCols*Threads(threads):
		checkMatrix(n, n, c, ldc)
		whole := symmetricUpdate(trans, n, p, alpha, a, lda, beta, c, ldc)
		whole.runParallel(Threads(threads))
	default:
		k.syrkBlocks(threads, trans, n, p, alpha, a, lda, beta, c, ldc)
	}
}

// syrkSlabs computes the slabs of a round side by side, then adds them up.
func (k *Kernels) syrkSlabs(threads int, trans bool, n, p int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	const round = 16
	partial := make([]float64, round*n*n)
	from := func(q int) []float64 { return rowsFrom(a, lda, !trans, q) }
	k.Syrk(trans, n, slab, alpha, a, lda, beta, c, ldc)
	for q := slab; q < p; q += round * slab {
		count := min(round, (p-q+slab-1)/slab)
		_ = For(context.Background(), threads, count, 1, func(_, s, _ int) {
			at := q + s*slab
			k.Syrk(trans, n, min(slab, p-at), alpha, from(at), lda, 0, partial[s*n*n:], n)
		})
		for s := range count {
			for i := range n {
				Axpy(1, partial[s*n*n+i*n+i:s*n*n+i*n+n], c[i*ldc+i:i*ldc+n])
			}
		}
	}
}

// syrkBlocks cuts the upper triangle of C into square blocks.
func (k *Kernels) syrkBlocks(threads int, trans bool, n, p int, alpha float64, a []float64, lda int, beta float64, c []float64, ldc int) {
	side := piece(2 * n)
	type block struct{ i, j int }
	var blocks []block
	for i := 0; i < n; i += side {
		for j := i; j < n; j += side {
			blocks = append(blocks, block{i, j})
		}
	}
	_ = For(context.Background(), threads, len(blocks), 1, func(_, at, _ int) {
		i, j := blocks[at].i, blocks[at].j
		rows, cols := min(side, n-i), min(side, n-j)
		x, y := rowsFrom(a, lda, trans, i), rowsFrom(a, lda, trans, j)
		if i == j {
			k.Syrk(trans, rows, p, alpha, x, lda, beta, c[i*ldc+i:], ldc)
		} else {
			k.Gemm(trans, !trans, rows, cols, p, alpha, x, lda, y, lda, beta, c[i*ldc+j:], ldc)
		}
	})
}
