package blas

import "golang.org/x/sys/cpu"

// hasFMA says whether math.FMA is an instruction here. Where it is not, the
// generic code multiplies and adds. It is not asked of package cpuid, which knows no
// processor in a build with the tag noasm.
var hasFMA = cpu.X86.HasFMA
