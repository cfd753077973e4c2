//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// startedOn starts a command that waits for input that never comes, and returns once the
// temporary file of an output is there.
func startedOn(t *testing.T, dir, output string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := process(t, dir, args...)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); cmd.Process.Kill(); _ = cmd.Wait() })
	deadline := time.After(2 * time.Minute)
	for tick := time.NewTicker(2 * time.Millisecond); ; {
		if found, _ := filepath.Glob(filepath.Join(dir, "."+output+".tmp-*")); len(found) > 0 {
			return cmd
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatal("no temporary file after two minutes")
		}
	}
}

// What a killed command leaves is removed by the next one of the same outputs; what a
// living one has is left alone.
func TestKilledCommandIsSweptAfter(t *testing.T) {
	dir := inFolder(t, "60")
	startedOn(t, dir, "y.npy", "embed", "--method", "pca", "--out", "y.npy", "--in", "-")
	living, _ := filepath.Glob(".*.tmp-*")
	embed := []string{"embed", "--method", "pca", "--out", "y.npy", "--model", "y.model", "--in"}
	killed := startedOn(t, dir, "y.model", append(embed, "-")...)
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait()
	if all, _ := filepath.Glob(".*.tmp-*"); len(all) != 3 || len(living) != 1 {
		t.Fatalf("before the kill %v, after it %v", living, all)
	}
	if text, err := process(t, dir, append(embed, "x.npy")...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	left, _ := filepath.Glob(".*.tmp-*")
	if !slices.Equal(left, living) {
		t.Errorf("the living one has %v, and there are %v", living, left)
	}
	matrix(t, "y.npy")
	if _, err := os.Stat("y.model"); err != nil {
		t.Error(err)
	}
}
