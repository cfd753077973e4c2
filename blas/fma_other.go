//go:build !amd64

package blas

import "runtime"

// hasFMA says whether math.FMA is an instruction, which the architecture decides.
const hasFMA = runtime.GOARCH != "386" && runtime.GOARCH != "arm"
