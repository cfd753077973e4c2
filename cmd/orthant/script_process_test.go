//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"rsc.io/script"
)

// Scripts with processes of the command: those that are killed, interrupted and limited.
func TestInterruptedScripts(t *testing.T) { runScripts(t, "interrupted") }
func TestLimitsScripts(t *testing.T)      { runScripts(t, "limits") }
func TestPipesScripts(t *testing.T)       { runScripts(t, "pipes") }

func init() {
	maps.Copy(processCommands, map[string]func(s *scripted, args []string) (script.WaitFunc, error){
		"start": (*scripted).start, "until": (*scripted).until, "signal": (*scripted).signal, "ends": (*scripted).ends, "under": (*scripted).under,
		"fifo": func(s *scripted, args []string) (script.WaitFunc, error) {
			return nil, syscall.Mkfifo(s.state.Path(args[0]), 0o666)
		},
		"closed": (*scripted).closed,
	})
}

// process prepares a process in the folder and with the environment of the script.
func (s *scripted) process(name string, args ...string) *running {
	p := &running{Cmd: exec.Command(name, args...)}
	p.Dir, p.Env, p.Stdin, p.Stdout, p.Stderr = s.state.Getwd(), append(commandEnvironment(), s.state.Environ()...), s.stdin, &p.out, &p.err
	s.stdin = nil
	return p
}

// ended waits for a process, which has to have this status, or to be "killed".
func (p *running) ended(want string) (script.WaitFunc, error) {
	failed := p.Wait()
	return func(*script.State) (string, string, error) {
		said := p.err.String()
		if testing.CoverMode() != "" { // which has something to say of its own files
			lines := slices.DeleteFunc(strings.SplitAfter(said, "\n"), func(line string) bool { return strings.Contains(line, "coverage ") || line == "\n" })
			said = strings.Join(lines, "")
		}
		got := strconv.Itoa(p.ProcessState.ExitCode())
		if p.ProcessState.Sys().(syscall.WaitStatus).Signaled() {
			got = "killed"
		}
		if exit := (*exec.ExitError)(nil); failed != nil && !errors.As(failed, &exit) {
			return p.out.String(), said, failed
		}
		if got != want {
			return p.out.String(), said, fmt.Errorf("status %s, want %s", got, want)
		}
		return p.out.String(), said, nil
	}, nil
}

// start ARGUMENT…: a process of the command, which goes on; after "stdin pipe" it waits for input that never comes.
func (s *scripted) start(args []string) (script.WaitFunc, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := s.process(self, args...)
	s.t.Cleanup(func() {
		if p.ProcessState == nil {
			_ = p.Process.Kill()
			_ = p.Wait()
		}
	})
	s.started = append(s.started, p)
	return nil, p.Start()
}

// until PATTERN [COUNT]: COUNT files match; until FILE COUNT lines: it has more lines.
func (s *scripted) until(args []string) (script.WaitFunc, error) {
	want := 1
	if len(args) > 1 {
		want = count(args[1])
	}
	deadline := time.After(2 * time.Minute)
	for tick := time.NewTicker(2 * time.Millisecond); ; {
		found, _ := filepath.Glob(s.state.Path(args[0]))
		n := len(found)
		if len(args) > 2 {
			text, _ := os.ReadFile(s.state.Path(args[0]))
			n = bytes.Count(text, []byte("\n"))
		}
		if n >= want {
			return nil, nil
		}
		select {
		case <-tick.C:
		case <-deadline:
			return nil, fmt.Errorf("no %s after two minutes: %s", args[0], s.last().err.String())
		}
	}
}

func (s *scripted) last() *running { return s.started[len(s.started)-1] }

// signal NAME: to the process that was started last.
func (s *scripted) signal(args []string) (script.WaitFunc, error) {
	return nil, s.last().Process.Signal(map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": syscall.SIGKILL}[args[0]])
}

// ends STATUS [unless 0]: the process that was started last ends so; where it may have been done before, the test is skipped.
func (s *scripted) ends(args []string) (script.WaitFunc, error) {
	p := s.last()
	s.started = s.started[:len(s.started)-1]
	wait, err := p.ended(args[0])
	if len(args) > 1 && p.ProcessState.Success() {
		s.t.Skip("it was done before the signal")
	}
	return wait, err
}

// under LINE STATUS ARGUMENT…: a process after a line of the shell, such as one that takes away what it may use.
func (s *scripted) under(args []string) (script.WaitFunc, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	p := s.process("sh", append([]string{"-c", args[0] + ` && exec "$0" "$@"`, self}, args[2:]...)...)
	if err := p.Start(); err != nil {
		return nil, err
	}
	return p.ended(args[1])
}

// closed STATUS ARGUMENT…: a process whose standard output is a pipe that nobody reads.
func (s *scripted) closed(args []string) (script.WaitFunc, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	reader.Close()
	defer writer.Close()
	p := s.process(self, args[1:]...)
	p.Stdout = writer
	if err := p.Start(); err != nil {
		return nil, err
	}
	return p.ended(args[0])
}
