package blas

import (
	"context"
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
