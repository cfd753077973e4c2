package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// crossCompilers are Debian's, by Go's name of the processor, and that for Windows.
var crossCompilers = map[string]string{"amd64": "x86_64-linux-gnu-gcc", "arm64": "aarch64-linux-gnu-gcc", windowsWheel: "x86_64-w64-mingw32-gcc"}

// machines are the processors as Python's wheels and compilers call them.
var machines = map[string]string{"amd64": "x86_64", "arm64": "aarch64", windowsWheel: windowsWheel}

// windowsWheel is Windows on amd64, as wheels call it.
const windowsWheel = "win_amd64"

// compiler returns the C compiler for Linux on a processor, or for Windows, or why there is none.
func compiler(arch string) (name, why string) {
	if runtime.GOOS != "linux" {
		return "", "not built on Linux"
	}
	if name = crossCompilers[arch]; arch == windowsWheel && !have(name) {
		return "", "no " + name + "; Debian: gcc-mingw-w64-x86-64"
	}
	name = crossCompilers[arch]
	if arch == runtime.GOARCH && !have(name) {
		name = "cc"
	}
	if !have(name) {
		return "", fmt.Sprintf("no %s; Debian: gcc-%s-linux-gnu, libc6-dev-%s-cross", name, strings.ReplaceAll(machines[arch], "_", "-"), arch)
	}
	return name, ""
}

// libraries builds the C library, shared and static, with its headers, for glibc 2.17 and later.
func (m *making) libraries() error {
	for _, arch := range []string{"amd64", "arm64"} {
		cc, why := compiler(arch)
		if cc == "" {
			m.leftOut("the library for linux-"+arch, why)
			continue
		}
		here, err := os.Getwd()
		if err != nil {
			return err
		}
		folder := filepath.Join(m.scratch, "lib-"+arch)
		name := "liborthant-" + m.version + "-linux-" + arch
		env := []string{"CC=" + cc, "GOOS=linux", "GOARCH=" + arch, "CGO_CFLAGS=-O2 -g -include " + filepath.Join(here, "cmd", "liborthant", "glibc_2_17.h")}
		if _, err := output(".", env, "make", "-s", "lib", "LIB="+folder, "VERSION="+m.version, "LIBLINK=-Wl,--no-as-needed -l:libpthread.so.0"); err != nil {
			return err
		}
		entries, err := folderEntries(folder, name+"/lib/")
		if err != nil {
			return err
		}
		headers, err := m.headers(name)
		if err != nil {
			return err
		}
		docs, err := m.documents(name + "/")
		if err != nil {
			return err
		}
		entries = append(append(entries, headers...), docs...)
		if err := archive(filepath.Join(m.out, name+".tar.gz"), entries, m.at); err != nil {
			return err
		}
		how, err := m.link(arch, cc, folder)
		if err != nil {
			return err
		}
		m.log("%s: %s", name, how)
	}
	return nil
}

// windowsLibrary builds the C library for Windows with its headers.
func (m *making) windowsLibrary() error {
	if cc, why := compiler(windowsWheel); cc == "" {
		m.leftOut("the library for windows-amd64", why)
		return nil
	}
	folder := filepath.Join(m.scratch, "lib-windows")
	name := "liborthant-" + m.version + "-windows-amd64"
	if _, err := output(".", nil, "make", "-s", "windows", "WINDOWS="+folder, "VERSION="+m.version); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(folder, "orthant.exe")); err != nil { // it has an archive of its own
		return err
	}
	entries, err := folderEntries(folder, name+"/lib/")
	if err != nil {
		return err
	}
	headers, err := m.headers(name)
	if err != nil {
		return err
	}
	docs, err := m.documents(name + "/")
	if err != nil {
		return err
	}
	entries = append(append(entries, headers...), docs...)
	if err := archive(filepath.Join(m.out, name+".zip"), entries, m.at); err != nil {
		return err
	}
	m.log("%s: built; make test-windows runs examples with it under wine", name)
	return nil
}

// headers are what a program that uses the library is compiled with.
func (m *making) headers(name string) (list []entry, err error) {
	for _, header := range []string{"orthant.h", "orthant.hpp"} {
		data, err := os.ReadFile(filepath.Join("cmd", "liborthant", header))
		if err != nil {
			return nil, err
		}
		list = append(list, entry{name: name + "/include/" + header, data: data, mode: 0o644})
	}
	return list, nil
}

// link builds the example of C with the library and runs it where that can be done.
func (m *making) link(arch, cc, folder string) (string, error) {
	program := filepath.Join(m.scratch, "embed-"+arch)
	if _, err := output(".", nil, cc, "-I", filepath.Join("cmd", "liborthant"), "-o", program, filepath.Join("examples", "c", "embed.c"), "-L", folder, "-lorthant", "-lm"); err != nil {
		return "", err
	}
	run := []string{program}
	how := "an example is linked with it and run"
	if arch != runtime.GOARCH {
		root := "/usr/" + machines[arch] + "-linux-gnu"
		if !have(emulators[arch]) {
			return "an example is linked with it, not run: no " + emulators[arch], nil
		}
		run, how = []string{emulators[arch], "-L", root, "-E", "LD_LIBRARY_PATH=" + folder, program}, how+" under "+emulators[arch]
	}
	if _, err := output(m.scratch, []string{"LD_LIBRARY_PATH=" + folder}, run[0], append(run[1:], "roll.model")...); err != nil {
		return "", err
	}
	return how, nil
}

// wheels makes the Python package for both processors.
func (m *making) wheels() error {
	if !have("python3") {
		m.leftOut("wheels", "no python3")
		return nil
	}
	for _, arch := range []string{"amd64", "arm64", windowsWheel} {
		cc, why := compiler(arch)
		if cc == "" {
			m.leftOut("the wheel for "+machines[arch], why)
			continue
		}
		env := []string{"CC=" + cc, "GO=" + goCommand(), "VERSION=" + m.version}
		path, err := output(".", env, "python3", filepath.Join("python", "build_wheel.py"), m.out, "--arch", machines[arch])
		if err != nil {
			return err
		}
		m.log("%s: built; make test-wheel installs and uses it", filepath.Base(strings.TrimSpace(path)))
	}
	return nil
}
