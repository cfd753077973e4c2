//go:build !mpi

package main

import (
	"fmt"
	"os"

	"github.com/orthant-go/orthant/cmd/internal/outcome"
)

func main() {
	fmt.Fprintln(os.Stderr, "orthant-mpi: built without MPI; install SLEPc and Open MPI (Debian: slepc-dev, openmpi-bin) and run \"make build-mpi\"")
	os.Exit(outcome.Usage)
}
