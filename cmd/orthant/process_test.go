//go:build unix

package main

import (
	"bytes"
	"errors"
	"io"
	"os/exec"
	"syscall"
	"testing"
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
