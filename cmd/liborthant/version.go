package main

import (
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
)

// abi is ORTHANT_ABI; the C compiler compares them (shim.c).
const abi = 1

// version is set when a release is linked (-ldflags "-X main.version=…").
var version string

// versionText says which version this is: the release, else what the build recorded.
func versionText() string {
	text := version
	if info, ok := debug.ReadBuildInfo(); ok && text == "" {
		text = strings.Trim(info.Main.Version, "()")
	}
	if text == "" {
		text = "devel"
	}
	return text
}

// about describes the library and the machine.
func about() (any, error) {
	kernels, err := blas.Select("")
	if err != nil {
		return nil, err
	}
	bounds, _ := limits.Here().Limits(0, 0) // what is wrong in the environment counts as not said
	return struct {
		Version string `json:"version"`
		ABI     int    `json:"abi"`
		Go      string `json:"go"`
		blas.Info
		limits.Limits
	}{versionText(), abi, runtime.Version(), blas.Describe(kernels), bounds}, nil
}
