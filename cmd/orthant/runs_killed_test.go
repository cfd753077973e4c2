//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/orthant-go/orthant/blas"
)

// A command of many runs that is killed over and over ends with what an undisturbed one has,
// and no file is ever half-written.
func TestKilledManyRuns(t *testing.T) {
	dir := inFolder(t, "")
	programmes(t, 400, 4)
	line := []string{"factorize", "--method", "nmf", "--iterations", "150", "--in", "counts.npz", "--rank", "3:8", "--runs", "12", "-q"}
	begin := time.Now()
	if text, err := process(t, dir, with(line, "--out", "u")...).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	whole := time.Since(begin)
	random, kills := blas.NewStream(3), 0
	for ended := false; !ended; {
		cmd := process(t, dir, with(line, "--out", "killed", "--resume")...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		after := (0.2 + random.Uniform()) * 0.8 * (1 + float64(kills)/10) * float64(whole)
		moment := time.AfterFunc(time.Duration(after), func() { cmd.Process.Kill() })
		ended = cmd.Wait() == nil
		moment.Stop()
		if !ended {
			kills++
		}
		files, _ := filepath.Glob("killed/runs/[a-z]*.npy")
		for _, path := range files {
			want := read(t, filepath.Join("u/runs", filepath.Base(path)))
			if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
				t.Fatalf("after %d kills %s differs from the undisturbed one (%v)", kills, path, err)
			}
		}
	}
	if files, _ := filepath.Glob("killed/runs/*.npy"); len(files) != 2*6*12 {
		t.Errorf("%d files after %d kills, want %d", len(files), kills, 2*6*12)
	}
	if left, _ := filepath.Glob("killed/runs/.*"); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}
