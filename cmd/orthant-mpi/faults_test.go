//go:build mpi

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// running are the processes, but those that have ended and wait to be asked, whose command line
// has a word.
func running(word string) map[int]string {
	found := map[int]string{}
	all, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, path := range all {
		text, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(text), word) && strings.HasPrefix(string(text), together) {
			var pid int
			fmt.Sscanf(path, "/proc/%d/", &pid)
			environ, _ := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
			for _, pair := range strings.Split(string(environ), "\x00") {
				if rank, is := strings.CutPrefix(pair, "OMPI_COMM_WORLD_RANK="); is {
					found[pid] = rank
				}
			}
		}
	}
	return found
}

// faulty starts three processes of which one waits in the middle of the work, and calls do once
// all are there. start is [mpirun], or the same elsewhere.
func faulty(t *testing.T, start func(processes int, env []string, args ...string) *exec.Cmd, out, fault string, do func(rank string, pid int)) outcomeOf {
	t.Helper()
	c := start(3, []string{"ORTHANT_MPI_FAULT=" + fault}, "-m", "ltsa", "-i", roll, "-o", out)
	var said bytes.Buffer
	c.Stderr = &said
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if do != nil {
		at := time.Now()
		for len(running(out)) < 3 && time.Since(at) < 20*time.Second {
			time.Sleep(50 * time.Millisecond)
		}
		time.Sleep(2 * time.Second)
		for pid, rank := range running(out) {
			do(rank, pid)
		}
		do("mpirun", c.Process.Pid)
	}
	done := make(chan error, 1)
	go func() { done <- c.Wait() }()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		c.Process.Kill()
		t.Fatal("mpirun does not end")
	}
	for range 40 { // the last of them may be on their way out
		if len(running(out)) == 0 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if left := running(out); len(left) > 0 {
		t.Errorf("processes are left: %v", left)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, "*"+filepath.Base(out)+"*")); len(left) > 0 {
		t.Errorf("files are left: %v", left)
	}
	return outcomeOf{err: said.String(), status: c.ProcessState.ExitCode()}
}

// TestProcessKilled: where one is gone, all end, with one line, and nothing is left.
func TestProcessKilled(t *testing.T) {
	killed(t, mpirun)
}

func killed(t *testing.T, start func(processes int, env []string, args ...string) *exec.Cmd) {
	t.Helper()
	r := faulty(t, start, filepath.Join(folder, "killed.npy"), "wait:1:solve", func(rank string, pid int) {
		if rank == "1" {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	})
	if said := lines(r.err); r.status == 0 || len(said) != 1 || !strings.Contains(said[0], "another process of the job has ended") {
		t.Errorf("%+v", r)
	}
}

// TestInterrupted: mpirun forwards its termination signal.
func TestInterrupted(t *testing.T) {
	r := faulty(t, mpirun, filepath.Join(folder, "stopped.npy"), "wait:2:solve", func(rank string, pid int) {
		if rank == "mpirun" {
			syscall.Kill(pid, syscall.SIGTERM)
		}
	})
	if said := lines(r.err); r.status == 0 || len(said) == 0 || !strings.Contains(said[0], "interrupted") {
		t.Errorf("%+v", r)
	}
}

// TestProcessPanics: the process that panics says so, and all end.
func TestProcessPanics(t *testing.T) {
	r := faulty(t, mpirun, filepath.Join(folder, "panicked.npy"), "panic:1:patches", nil)
	if r.status != 1 || !strings.Contains(r.err, "process 1: internal error") || strings.Contains(r.err, "goroutine") || len(lines(r.err)) > 2 {
		t.Errorf("%+v", r)
	}
}
