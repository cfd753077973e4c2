package library

import (
	"runtime"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/internal/release"
)

// ABI is ORTHANT_ABI; the C compiler compares them (shim.c).
const ABI = 1

// Version is what a release is linked with; empty: none.
var Version string

// VersionText returns the version.
func VersionText() string { return release.Text(Version) }

// about describes the library and the machine.
func about() (any, error) {
	kernels, err := blas.Select("")
	if err != nil {
		return nil, err
	}
	bounds, _ := limits.Here().Limits(0, 0) // errors in the environment are ignored
	return struct {
		Version string `json:"version"`
		ABI     int    `json:"abi"`
		Go      string `json:"go"`
		blas.Info
		limits.Limits
	}{VersionText(), ABI, runtime.Version(), blas.Describe(kernels), bounds}, nil
}
