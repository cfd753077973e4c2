package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// commands builds the command for every system, checks what can be checked of it, and packs it.
func (m *making) commands() error {
	var built []string
	for _, t := range targets {
		binary := m.binary(t)
		if _, err := output(".", t.environment(), goCommand(), "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X main.version="+m.version, "-o", binary, "./cmd/orthant"); err != nil {
			return err
		}
		if _, err := output(".", t.environment(), goCommand(), "vet", "./cmd/orthant/...", "./engine/...", "./solvers/...", "./sparse/...", "./blas/..."); err != nil {
			return err
		}
		built = append(built, binary)
		how, err := m.try(t, binary)
		if err != nil {
			return err
		}
		name := "orthant-" + m.version + "-" + t.String()
		entries, err := m.documents(name + "/")
		if err != nil {
			return err
		}
		data, err := os.ReadFile(binary)
		if err != nil {
			return err
		}
		extension := ".tar.gz"
		if t.os == "windows" {
			extension = ".zip"
		}
		entries = append(entries, entry{name: name + "/" + t.binary(), data: data, mode: 0o755})
		if err := archive(m.file("-"+t.String(), extension), entries, m.at); err != nil {
			return err
		}
		m.log("%-14s built and vetted, %s", t, how)
	}
	known, err := modulesOf(".", true, "CGO_ENABLED=0", "./cmd/orthant")
	if err != nil {
		return err
	}
	binaries, err := readAll(built)
	if err != nil {
		return err
	}
	b, err := billOf(m.version, m.at, binaries, known)
	if err != nil {
		return err
	}
	m.log("bill of materials: %d components", len(b.Components))
	return b.write(m.file("", ".cdx.json"))
}

func (m *making) binary(t target) string {
	return filepath.Join(m.scratch, t.String(), t.binary())
}

// emulators run programs of other processors on Linux.
var emulators = map[string]string{"arm64": "qemu-aarch64", "amd64": "qemu-x86_64"}

// try runs a command where that can be done, and says how.
func (m *making) try(t target, binary string) (string, error) {
	run := []string{binary}
	how := "run here"
	switch {
	case t.os != runtime.GOOS:
		return "not run: no such system here", nil
	case t.arch != runtime.GOARCH:
		emulator := emulators[t.arch]
		if !have(emulator) {
			return fmt.Sprintf("not run: %s is not installed (Debian: qemu-user)", emulator), nil
		}
		run, how = []string{emulator, binary}, "run under "+emulator
	}
	folder, err := os.MkdirTemp(m.scratch, "run-")
	if err != nil {
		return "", err
	}
	var value string
	for _, line := range []string{
		"version",
		"generate swiss-roll --samples 2000 --set params=isometric --out x.npy --out-params t.npy",
		"embed --method neml --in x.npy --out y.npy --model m.model",
		"transform --model m.model --in x.npy --out z.npy",
		"factorize --method nmf --rank 2 --iterations 20 --in t.npy --out-w w.npy --out-h h.npy",
		"evaluate --metric dev --truth t.npy --embedding y.npy",
	} {
		if value, err = output(folder, nil, run[0], append(run[1:], strings.Fields(line)...)...); err != nil {
			return "", fmt.Errorf("%s, orthant %s: %w", t, line, err)
		}
	}
	dev, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || !(dev < 0.02) {
		return "", fmt.Errorf("%s: the roll is unrolled with error %s (%v), which is at most 0.02 elsewhere", t, value, err)
	}
	return how, nil
}

// target is a system that the command is built for.
type target struct{ os, arch string }

var targets = []target{
	{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}, {"windows", "arm64"},
}

func (t target) String() string {
	if t.os == "darwin" {
		return "macos-" + t.arch
	}
	return t.os + "-" + t.arch
}

// binary is the name of the command's file.
func (t target) binary() string {
	if t.os == "windows" {
		return "orthant.exe"
	}
	return "orthant"
}

// environment is the environment of a build without C.
func (t target) environment() []string {
	return []string{"CGO_ENABLED=0", "GOOS=" + t.os, "GOARCH=" + t.arch}
}
