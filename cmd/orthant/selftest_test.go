package main

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/selftest"
)

func TestSelftestAtEveryLevel(t *testing.T) {
	t.Setenv(runAsCommand, "1") // of the processes that it starts
	o := must(t, "selftest", "--backend", "native", "--json")
	var r selftestReport
	if err := json.Unmarshal([]byte(o.out), &r); err != nil {
		t.Fatal(err)
	}
	var levels []string
	for _, one := range r.Tested {
		levels = append(levels, one.ISA)
		if one.Backend != "native" || len(one.Checks) < 30 {
			t.Errorf("%s at %s has %d checks", one.Backend, one.ISA, len(one.Checks))
		}
	}
	if !r.Passed || len(r.DifferentBits) > 0 || !slices.Equal(levels, blas.ISALevels()) {
		t.Errorf("passed %v, other bits %v, levels %v of %v", r.Passed, r.DifferentBits, levels, blas.ISALevels())
	}
}

// What fails is named with its place, on every way in which it can.
func TestSelftestThatFails(t *testing.T) {
	good := selftest.Outcome{Name: "inner product", Threshold: 1, Ratio: 0.5, Passed: true, Bits: "1"}
	off, stopped, other := good, good, good
	off.Name, off.Ratio, off.Passed = "exponential", math.MaxFloat64, false
	stopped.Name, stopped.Passed, stopped.Error = "files", false, "x.npy: no room"
	other.Bits = "2"
	all := []tested{
		{Backend: "native", ISA: "generic", Checks: []selftest.Outcome{good, off, stopped}},
		{Backend: "native", ISA: "avx2", Checks: []selftest.Outcome{other}},
		{Backend: "native", ISA: "avx512", Error: "the process ended with signal: illegal instruction"},
	}
	var out, said strings.Builder
	s := &selfTest{invocation: newInvocation(streams{nil, &out, &said})}
	s.progress = "never"
	if err := s.begin(); err != nil {
		t.Fatal(err)
	}
	err := s.report(all, 1)
	if err == nil || status(err) != exitFailed {
		t.Fatalf("%v", err)
	}
	for _, want := range []string{
		"native at generic: exponential: ratio NaN, threshold 1", "native at generic: files: x.npy: no room",
		"native at avx512: the process ended with signal: illegal instruction", "other bits at another instruction level: inner product",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	if !strings.Contains(out.String(), "NaN !") {
		t.Errorf("the table does not mark what failed:\n%s", out.String())
	}
}

// An instruction that the processor does not know ends the process that checks it, and
// is an outcome.
func TestSelftestOfAProcessThatEnds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("scripts of sh")
	}
	for _, c := range []struct{ script, want string }{
		{"kill -ILL $$", "illegal instruction"},
		{"echo 'no such level' >&2; exit 2", "exit status 2: no such level"},
		{"echo nonsense", "wrote no report"},
	} {
		self := filepath.Join(t.TempDir(), "self")
		if err := os.WriteFile(self, []byte("#!/bin/sh\n"+c.script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		got, err := selftestProcess(t.Context(), self, "native", "avx512")
		if err != nil || !strings.Contains(got.Error, c.want) || got.ISA != "avx512" {
			t.Errorf("%s: %+v, %v", c.script, got, err)
		}
	}
}

// Where no process can be started, the checks of this process are done, and a warning names the rest.
func TestSelftestWhereNoProcessStarts(t *testing.T) {
	file := filepath.Join(t.TempDir(), "self")
	if err := os.WriteFile(file, []byte{0x7f, 'E', 'L', 'F', 0}, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, self := range map[string]func() (string, error){
		"another processor's": func() (string, error) { return file, nil },
		"unknown":             func() (string, error) { return "", errors.New("no /proc") },
	} {
		var out, said strings.Builder
		s := &selfTest{invocation: newInvocation(streams{nil, &out, &said}), self: self}
		s.progress, s.backend, s.json = "never", "native", true
		if err := s.begin(); err != nil {
			t.Fatal(err)
		}
		if err := s.run(t.Context()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var r selftestReport
		if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
			t.Fatal(err)
		}
		if len(r.Tested) != 1 || r.Tested[0].Backend != "native" || r.Tested[0].ISA != levelInUse() || len(r.Tested[0].Checks) < 30 || len(r.Warnings) != 1 {
			t.Fatalf("%s: %s", name, out.String())
		}
		levels := blas.ISALevels()
		for _, level := range levels[:len(levels)-1] {
			if !strings.Contains(r.Warnings[0], level) {
				t.Errorf("%s: no %q in %q", name, level, r.Warnings[0])
			}
		}
	}
}
