//go:build !bench

package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// A program can run a command line in itself; this one measures three clusters
// against two classes.
func Example() {
	dir, err := os.MkdirTemp("", "orthant-example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	classes, clusters := filepath.Join(dir, "classes.csv"), filepath.Join(dir, "clusters.csv")
	os.WriteFile(classes, []byte("0\n0\n0\n1\n1\n1\n1\n1\n"), 0o666)
	os.WriteFile(clusters, []byte("2\n2\n0\n0\n0\n0\n5\n5\n"), 0o666)

	args := []string{"evaluate", "--metric", "acc", "--labels", classes, "--predicted", clusters}
	err = run(context.Background(), args, streams{out: os.Stdout, err: os.Stderr})
	fmt.Println("exit status", status(err))
	// Output:
	// 0.625
	// exit status 0
}
