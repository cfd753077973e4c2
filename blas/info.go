package blas

import (
	"runtime"

	"github.com/klauspost/cpuid/v2"
)

// libraryVersion is what a linked library says of itself; empty in pure Go.
var libraryVersion string

// Info describes the machine and the choices made on it; every benchmark row
// and `orthant info` carry it.
type Info struct {
	CPU        string      `json:"cpu"`
	Arch       string      `json:"arch"`
	Cores      int         `json:"cores"`
	Features   []string    `json:"features"`
	CacheL1    int         `json:"cache_l1_bytes"`
	CacheL2    int         `json:"cache_l2_bytes"`
	CacheL3    int         `json:"cache_l3_bytes"`
	Known      []string    `json:"backends_known"`
	Available  []string    `json:"backends_available"`
	Choice     string      `json:"choice"`
	Backend    string      `json:"backend"`
	ISA        string      `json:"isa"` // of the native kernels: generic, avx2 or avx512
	Library    string      `json:"library,omitempty"`
	Operations []Operation `json:"operations"`
}

// Describe reports the CPU that the program runs on and what k resolves to.
// Cache sizes are what the CPU says, with ordinary sizes in place of what it
// does not (virtual machines often report 0).
func Describe(k *Kernels) Info {
	cpu := cpuid.CPU
	or := func(got, usual int) int {
		if got <= 0 {
			return usual
		}
		return got
	}
	name := cpu.BrandName
	if name == "" {
		name = "unknown " + runtime.GOARCH
	}
	// Only the features that decide a kernel, in the order of their strength.
	var features []string
	for _, f := range []cpuid.FeatureID{cpuid.SSE2, cpuid.AVX, cpuid.AVX2, cpuid.FMA3, cpuid.AVX512F, cpuid.AVX512DQ, cpuid.AVX512VL, cpuid.AVX512BW, cpuid.ASIMD, cpuid.SVE} {
		if cpu.Supports(f) {
			features = append(features, f.String())
		}
	}
	return Info{
		CPU: name, Arch: runtime.GOARCH, Cores: runtime.NumCPU(), Features: features,
		CacheL1: or(cpu.Cache.L1D, 32<<10), CacheL2: or(cpu.Cache.L2, 512<<10), CacheL3: or(cpu.Cache.L3, 8<<20),
		Known: Known, Available: Available(), Choice: k.Choice, Backend: k.Name(), ISA: isa.String(), Library: libraryVersion, Operations: k.Operations(),
	}
}
