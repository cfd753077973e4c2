package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"strings"
)

// selftestProcess does the checks of one backend at one level in a process of its own:
// the level is chosen when a process starts, and an instruction that a processor does not
// know ends the process, which is then an outcome like others.
func selftestProcess(ctx context.Context, self, backend, level string) (tested, error) {
	cmd := exec.CommandContext(ctx, self, "selftest", "--here", "--backend", backend, "--json")
	cmd.Env = append(os.Environ(), "ORTHANT_ISA="+level)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Run()
	if ended := ctx.Err(); ended != nil {
		return tested{}, ended
	}
	if exit, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		return tested{}, err
	} else if ended && exit.ExitCode() != exitFailed {
		return tested{Backend: backend, ISA: level, Error: endOf(exit, said.String())}, nil
	}
	var report selftestReport
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || len(report.Tested) != 1 {
		return tested{Backend: backend, ISA: level, Error: "the process wrote no report: " + firstLine(said.String())}, nil
	}
	return report.Tested[0], nil
}

// endOf says how a process ended and the first line that it said.
func endOf(exit *exec.ExitError, said string) string {
	text := "the process ended with " + exit.ProcessState.String()
	if line := firstLine(said); line != "" {
		text += ": " + line
	}
	return text
}

// firstLine is the first line of an error, without what Go adds of its stack.
func firstLine(said string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	return line
}
