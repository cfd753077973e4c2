//go:build unix

package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// ended waits for a process and returns what is seen of it.
func ended(t *testing.T, cmd *exec.Cmd, stderr *bytes.Buffer) outcome {
	t.Helper()
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if s := cmd.ProcessState.Sys().(syscall.WaitStatus); s.Signaled() {
		t.Fatalf("killed by %v: %s", s.Signal(), stderr)
	}
	return outcome{status: cmd.ProcessState.ExitCode(), err: stderr.String()}
}

// interruptedOnceItWorks starts a process, waits for the temporary file of its
// output, sends the signal, and returns the outcome.
func interruptedOnceItWorks(t *testing.T, cmd *exec.Cmd, s os.Signal) outcome {
	t.Helper()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	deadline := time.After(20 * time.Second)
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		if temporary, _ := filepath.Glob(filepath.Join(cmd.Dir, ".y.npy.tmp-*")); len(temporary) > 0 {
			break
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("no temporary file after 20 s: %s", &stderr)
		}
	}
	if err := cmd.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
	return ended(t, cmd, &stderr)
}

func checkInterrupted(t *testing.T, o outcome, dir string, kept ...string) {
	t.Helper()
	if o.status != exitInterrupted || o.err != "orthant: interrupted\n" {
		t.Errorf("status %d, standard error %q", o.status, o.err)
	}
	if left := names(t, dir); strings.Join(left, " ") != strings.Join(kept, " ") {
		t.Errorf("left %v, want %v", left, kept)
	}
}

func TestInterruptLeavesNothingHalfWritten(t *testing.T) {
	dir := inFolder(t, "")
	// Many columns, so that the search is by blocks and takes seconds.
	must(t, "generate", "gaussians", "--samples", "30000", "--set", "dims=12", "--out", "x.npy")
	write(t, "y.npy", "the result of another day")
	cmd := process(t, dir, "embed", "--method", "neml", "--in", "x.npy", "--neighbors", "20", "--out", "y.npy", "--plot", "p.png")
	checkInterrupted(t, interruptedOnceItWorks(t, cmd, os.Interrupt), dir, "x.npy", "y.npy")
	if string(read(t, "y.npy")) != "the result of another day" {
		t.Error("the old output is lost")
	}
}

func TestInterruptEndsAWaitForInput(t *testing.T) {
	dir := inFolder(t, "")
	cmd := process(t, dir, "embed", "--method", "pca", "--in", "-", "--out", "y.npy")
	in, err := cmd.StdinPipe() // never written to
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	checkInterrupted(t, interruptedOnceItWorks(t, cmd, syscall.SIGTERM), dir)
}

func TestFullDiskIsStatusOne(t *testing.T) {
	dir := inFolder(t, "300")
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no /dev/full here")
	}
	defer full.Close()
	for _, args := range [][]string{
		{"embed", "--method", "pca", "--in", "x.npy", "--out", "-", "-q"},
		{"evaluate", "--metric", "dev", "--truth", "t.npy", "--embedding", "x.npy"},
		{"methods", "--json"},
		{"info"},
	} {
		var stderr bytes.Buffer
		cmd := process(t, dir, args...)
		cmd.Stdout, cmd.Stderr = full, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		o := ended(t, cmd, &stderr)
		if o.status != exitFailed || !strings.HasSuffix(o.err, "writing standard output: no space left on device\n") || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%v: status %d, %q", args, o.status, o.err)
		}
	}
}

func TestFileSizeLimitIsStatusOne(t *testing.T) {
	dir := inFolder(t, "1500")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	// One block of 512 or 1024 bytes, where the embedding takes 24000.
	limited := exec.Command("sh", "-c", `ulimit -f 1; exec "$0" "$@"`, self, "embed", "--method", "pca", "--in", "x.npy", "--out", "y.npy", "--plot", "y.png", "-q")
	limited.Dir, limited.Env, limited.Stderr = dir, commandEnvironment(), &stderr
	if err := limited.Start(); err != nil {
		t.Fatal(err)
	}
	o := ended(t, limited, &stderr)
	said, more, _ := strings.Cut(o.err, "\n")
	if testing.CoverMode() != "" {
		more = "" // the limit is in the way of the coverage, too
	}
	if o.status != exitFailed || !strings.HasSuffix(said, "file too large") || more != "" {
		t.Errorf("status %d, %q", o.status, o.err)
	}
	if left := names(t, dir); strings.Join(left, " ") != "t.npy x.npy" {
		t.Errorf("left %v", left)
	}
}

func TestClosedPipeIsQuiet(t *testing.T) {
	dir := inFolder(t, "300")
	for _, args := range [][]string{{"methods"}, {"embed", "--method", "pca", "--in", "x.npy", "--out", "-", "-q"}} {
		reader, writer, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		reader.Close()
		var stderr bytes.Buffer
		cmd := process(t, dir, args...)
		cmd.Stdout, cmd.Stderr = writer, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		writer.Close()
		if o := ended(t, cmd, &stderr); o.status != exitFailed || o.err != "" {
			t.Errorf("%v: status %d, %q", args, o.status, o.err)
		}
	}
}

func TestPipesCarryNPY(t *testing.T) {
	dir := inFolder(t, "300")
	must(t, "embed", "--method", "pca", "--in", "x.npy", "--out", "y.npy")
	cmd := process(t, dir, "embed", "--method", "pca", "--in", "-", "--out", "-")
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(read(t, "x.npy")), &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, &stderr)
	}
	if !bytes.Equal(out, read(t, "y.npy")) {
		t.Error("standard output differs from the file")
	}
	if !strings.Contains(stderr.String(), "300 samples") {
		t.Errorf("the report is not on standard error: %q", &stderr)
	}
}
