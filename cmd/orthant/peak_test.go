package main

import (
	"context"
	"os"
	"strconv"

	"github.com/orthant-go/orthant/engine/memory"
)

// peakFile names the file into which a process of the command writes its peak, which
// its resource usage does not show it, because that begins with the peak of this process.
const peakFile = "ORTHANT_TEST_PEAK"

// runMeasured is main with the peak written down.
func runMeasured() {
	err := run(context.Background(), typedFor(os.Args[1:]), streams{os.Stdin, os.Stdout, os.Stderr})
	printError(os.Stderr, err)
	_ = os.WriteFile(os.Getenv(peakFile), []byte(strconv.FormatInt(memory.Peak(), 10)), 0o666)
	os.Exit(status(err))
}
