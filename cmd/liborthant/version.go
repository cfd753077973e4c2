package main

import (
	"runtime"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/internal/release"
)

// abi is ORTHANT_ABI; the C compiler compares them (shim.c).
const abi = 1

// version is set when a release is linked (-ldflags "-X main.version=…").
var version string

// versionText returns the version.
func versionText() string { return release.Text(version) }

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
	}{versionText(), abi, runtime.Version(), blas.Describe(kernels), bounds}, nil
}
