//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
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
	deadline := time.After(2 * time.Minute)
	for tick := time.NewTicker(5 * time.Millisecond); ; {
		if temporary, _ := filepath.Glob(filepath.Join(cmd.Dir, ".y.npy.tmp-*")); len(temporary) > 0 {
			break
		}
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("no temporary file after two minutes: %s", &stderr)
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

func TestInterruptedTransformLeavesNothing(t *testing.T) {
	dir := inFolder(t, "2000")
	must(t, "embed", "--method", "pca", "--in", "x.npy", "--model", "m.model")
	write(t, "y.npy", "the result of another day")
	// The input never ends: some rows come, and then nothing.
	rows := npy("(100000000, 3)", make([]float64, 3*9000)...)
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(s) {
			t.Logf("%v is ignored here, as under nohup, and the command keeps that", s)
			continue
		}
		cmd := process(t, dir, "transform", "--model", "m.model", "--in", "-", "--out", "y.npy")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = in.Write([]byte(rows)) }()
		checkInterrupted(t, interruptedOnceItWorks(t, cmd, s), dir, "m.model", "t.npy", "x.npy", "y.npy")
		in.Close()
		if string(read(t, "y.npy")) != "the result of another day" {
			t.Error("the old output is lost")
		}
	}
}

// A producer, a transform and a consumer in a row: rows come out before the last
// one has gone in, and what comes out is what a file gives.
func TestTransformStreamsThroughPipes(t *testing.T) {
	dir := inFolder(t, "500")
	must(t, "embed", "--method", "ltsa", "--in", "x.npy", "--model", "m.model")
	must(t, "generate", "swiss-roll", "--samples", "50000", "--seed", "3", "--out", "new.npy")
	must(t, "transform", "--model", "m.model", "--in", "new.npy", "--out", "want.npy")
	want, all := read(t, "want.npy"), read(t, "new.npy")
	var stderr bytes.Buffer
	cmd := process(t, dir, "transform", "--model", "m.model", "--in", "-", "--out", "-", "-q")
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	proceed := make(chan bool)
	go func() {
		_, _ = in.Write(all[:len(all)-100])
		<-proceed // until something has come out
		_, _ = in.Write(all[len(all)-100:])
		in.Close()
	}()
	got := make([]byte, len(want))
	if _, err := io.ReadFull(out, got[:70000]); err != nil {
		t.Fatal(err)
	}
	close(proceed)
	if _, err := io.ReadFull(out, got[70000:]); err != nil {
		t.Fatal(err)
	}
	if n, _ := out.Read(make([]byte, 1)); n > 0 || !bytes.Equal(got, want) {
		t.Error("the pipe gives other coordinates than a file")
	}
	if o := ended(t, cmd, &stderr); o.status != exitDone || o.err != "" {
		t.Errorf("status %d, %q", o.status, o.err)
	}
}

// A pipe that breaks midway leaves no file and says so.
func TestTransformOfABrokenPipe(t *testing.T) {
	dir := inFolder(t, "500")
	must(t, "embed", "--method", "ltsa", "--in", "x.npy", "--model", "m.model")
	x := read(t, "x.npy")
	var stderr bytes.Buffer
	cmd := process(t, dir, "transform", "--model", "m.model", "--in", "-", "--out", "y.npy")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(x[:len(x)-5]), &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	o := ended(t, cmd, &stderr)
	if o.status != exitUsage || !strings.Contains(o.err, "reading standard input: the file ends after 11995 of 12000 data bytes") {
		t.Errorf("status %d, %q", o.status, o.err)
	}
	if left := names(t, dir); strings.Join(left, " ") != "m.model t.npy x.npy" {
		t.Errorf("left %v", left)
	}
}
