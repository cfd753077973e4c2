package main

import (
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas/limits"
)

// setNumThreads limits all calls of this process, whatever they ask for; 0: no longer.
func setNumThreads(threads int64) error {
	if threads < 0 {
		return fmt.Errorf("the number of threads is %d; give one ≥ 1, or 0 for what the environment allows", threads)
	}
	limits.Bound(int(min(threads, math.MaxInt32)))
	return nil
}

// numThreads is how many threads a call takes that asks for none.
func numThreads() int { return limits.ForProcess(0) }
