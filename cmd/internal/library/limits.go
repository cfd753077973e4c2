package library

import (
	"fmt"
	"math"
	"runtime/debug"
	"sync"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/memory"
)

// bound is the memory that all running tasks may take together.
var bound struct {
	sync.Mutex
	sum       int64
	unlimited int   // tasks without a limit
	tasks     int   // with one
	before    int64 // the runtime's own limit, while there are any
}

// bounded limits the runtime to the limit of a task plus the limits of the other running tasks,
// until release is called; 0 means no limit.
func bounded(limit int64) (release func()) {
	change := func(by int) {
		bound.Lock()
		defer bound.Unlock()
		if bound.tasks+bound.unlimited == 0 {
			bound.before = debug.SetMemoryLimit(-1)
		}
		if limit > 0 {
			bound.tasks += by
			bound.sum += int64(by) * min(limit, math.MaxInt64/1024)
		} else {
			bound.unlimited += by
		}
		to := bound.before
		if bound.tasks > 0 && bound.unlimited == 0 {
			// Nearly all memory of the program is the caller's; this minimum keeps the collector from running all the time.
			to = min(to, max(bound.sum-memory.Program, 32<<20))
		}
		debug.SetMemoryLimit(to)
	}
	change(1)
	return func() { change(-1) }
}

// setNumThreads limits all calls of this process, whatever they ask for; 0 removes the limit.
func setNumThreads(threads int64) error {
	if threads < 0 {
		return fmt.Errorf("the number of threads is %d; give one ≥ 1, or 0 for what the environment allows", threads)
	}
	limits.Bound(int(min(threads, math.MaxInt32)))
	return nil
}

// numThreads is the number of threads of a call that does not set it.
func numThreads() int { return limits.ForProcess(0) }
