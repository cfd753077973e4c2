package blas

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// isaLevel is an instruction level of the native kernels, and the name of a [kernelSet]. Results
// do not depend on it: every kernel computes the sums that the generic code spells out. Of the
// levels of one architecture a later one is stronger.
type isaLevel int

const (
	isaGeneric    isaLevel = iota // Go code
	isaAVX2                       // 256-bit vectors with fused multiply-add
	isaAVX512                     // 512-bit vectors
	isaNEON                       // 128-bit vectors of arm64
	isaDotProduct                 // the same with products of bytes
)

var isaNames = []string{"generic", "avx2", "avx512", "neon", "dotprod"}

func (l isaLevel) String() string { return isaNames[l] }

// kernel is the set in use: the best that pays on this CPU, at most $ORTHANT_ISA.
// It is set before main and changed by tests only.
var kernel = capped(os.Getenv("ORTHANT_ISA"))

// usableSets lists the sets that this build holds and that this CPU runs, the best last.
func usableSets() []*kernelSet {
	sets := append([]*kernelSet{&genericSet}, assembly...)
	return slices.DeleteFunc(sets, func(s *kernelSet) bool { return !s.usable() })
}

// parseISA reads the name of a level; empty means no cap.
func parseISA(name string) (isaLevel, error) {
	last := isaLevel(len(isaNames) - 1)
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "" {
		return last, nil
	}
	for l, known := range isaNames {
		if name == known {
			return isaLevel(l), nil
		}
	}
	return last, fmt.Errorf("blas: unknown instruction level %q (from ORTHANT_ISA); choose one of %s", name, strings.Join(isaNames, ", "))
}

// capped is the best set under a cap. A cap that cannot be read does not count
// here; Select refuses it.
func capped(name string) *kernelSet {
	limit, _ := parseISA(name)
	best := &genericSet
	for _, s := range usableSets() {
		if s.level <= limit {
			best = s
		}
	}
	return best
}

// Vectorized reports whether kernels in assembly are in use: the processor has
// vector instructions that a kernel set of the build is written for, and $ORTHANT_ISA allows it.
func Vectorized() bool { return kernel.vectorized }

// ISALevels names the instruction levels that the native kernels can use here, the one in
// use last: $ORTHANT_ISA may name any of them.
func ISALevels() []string {
	var names []string
	for _, s := range usableSets() {
		if s.level <= kernel.level {
			names = append(names, s.level.String())
		}
	}
	return names
}
