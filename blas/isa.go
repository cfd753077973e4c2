package blas

import (
	"fmt"
	"os"
	"strings"
)

// isaLevel is an instruction level of the native kernels. Results do not
// depend on it: every kernel computes the sums that the generic code spells
// out.
type isaLevel int

const (
	isaGeneric isaLevel = iota // Go code
	isaAVX2                    // 256-bit vectors with fused multiply-add
	isaAVX512                  // 512-bit vectors
)

var isaNames = []string{"generic", "avx2", "avx512"}

func (l isaLevel) String() string { return isaNames[l] }

// isa is the level in use: the best that pays on this CPU, at most
// $ORTHANT_ISA. It is set before main and changed by tests only.
var isa = capped(os.Getenv("ORTHANT_ISA"))

// parseISA reads the name of a level; empty means no cap.
func parseISA(name string) (isaLevel, error) {
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "" {
		return isaAVX512, nil
	}
	for l, known := range isaNames {
		if name == known {
			return isaLevel(l), nil
		}
	}
	return isaAVX512, fmt.Errorf("blas: unknown instruction level %q (from ORTHANT_ISA); choose one of %s", name, strings.Join(isaNames, ", "))
}

// capped is the level under a cap. A cap that cannot be read does not count
// here; Select refuses it.
func capped(name string) isaLevel {
	limit, _ := parseISA(name)
	return min(limit, bestISA())
}

// Vectorized reports whether kernels in assembly are in use: the processor has
// AVX2 and FMA, the build has the assembly, and $ORTHANT_ISA allows it.
func Vectorized() bool { return isa >= isaAVX2 }

// ISALevels names the instruction levels that the native kernels can use here, the one in
// use last: $ORTHANT_ISA may name any of them.
func ISALevels() []string { return append([]string(nil), isaNames[:isa+1]...) }
