package main

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/internal/release"
)

// built is the library in both forms, made once for all tests by "make lib".
var built = sync.OnceValues(func() (dir string, err error) {
	if dir, err = os.MkdirTemp("", "liborthant"); err != nil {
		return "", err
	}
	c := exec.Command("make", "-s", "-C", "../..", "lib", "LIB="+dir)
	c.Env = append(os.Environ(), "CGO_ENABLED=1")
	out, err := c.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%w\n%s", err, out)
	}
	return dir, err
})

func TestMain(m *testing.M) {
	code := m.Run()
	if builtDir != "" {
		os.RemoveAll(builtDir)
	}
	os.Exit(code)
}

// builtDir is where the library was built, to be removed in the end.
var builtDir string

// folder returns the folder with the library, or skips where it cannot be built.
func folder(t *testing.T, compilers ...string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("building the library takes long")
	}
	if runtime.GOOS != "linux" {
		t.Skip("symbol versions and sonames are those of Linux")
	}
	for _, c := range append(compilers, "cc", "make", "go") {
		if _, err := exec.LookPath(c); err != nil {
			t.Skipf("there is no %s to build the library with", c)
		}
	}
	dir, err := built()
	builtDir = dir
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// compiled builds a program against the shared library.
func compiled(t *testing.T, dir, source string, command ...string) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	args := append(command[1:], "-Wall", "-Wextra", "-Werror", "-I.", "-o", program, source, "-L"+dir, "-lorthant", "-lpthread", "-lm", "-Wl,-rpath,"+dir)
	if out, err := exec.Command(command[0], args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", source, err, out)
	}
	return program
}

func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(name), err, out)
	}
	return string(out)
}

// The example in C runs, and its model is one that Go reads.
func TestExampleInC(t *testing.T) {
	dir := folder(t)
	program := compiled(t, dir, "../../examples/c/embed.c", "cc", "-std=c99", "-pedantic")
	path := filepath.Join(t.TempDir(), "roll.model")
	if out := output(t, program, path); !strings.Contains(out, "800 samples embedded") {
		t.Errorf("it says %q", out)
	}
	f := must.Get(os.Open(path))(t)
	defer f.Close()
	m := must.Get(engine.LoadModel(f))(t)
	if m.Method != "neml" || m.Samples != 800 || !strings.HasPrefix(m.Program, "liborthant ") {
		t.Errorf("the model is of %s, %d samples, by %s", m.Method, m.Samples, m.Program)
	}
}

// The example of many runs finds the three parts of its samples: the most stable rank.
func TestExampleOfRuns(t *testing.T) {
	dir := folder(t)
	out := output(t, compiled(t, dir, "../../examples/c/runs.c", "cc", "-std=c99", "-pedantic"))
	var stability [3]float64
	lines := strings.Split(out, "\n")
	for i := range stability {
		var rank int
		if _, err := fmt.Sscanf(lines[i], "rank %d: stability %f", &rank, &stability[i]); err != nil || rank != i+2 {
			t.Fatalf("%v: %s", err, out)
		}
	}
	if stability[1] < stability[0] || stability[1] < stability[2] {
		t.Error(out)
	}
}

// The example of an indefinite factor agrees with the closed form, 2 − 2cos(kπ/1001) for k from 1 to 1000.
func TestExampleOfLDLT(t *testing.T) {
	dir := folder(t)
	out := output(t, compiled(t, dir, "../../examples/c/ldlt.c", "cc", "-std=c99", "-pedantic"))
	below := func(shift float64) (modes int) {
		for k := 1; k <= 1000; k++ {
			if 2-2*math.Cos(float64(k)*math.Pi/1001) < shift {
				modes++
			}
		}
		return modes
	}
	sign := "+-"[below(1.5)%2:][:1]
	for _, line := range []string{fmt.Sprintf("%d modes below 1.5,", below(1.5)), "determinant " + sign, "residual small", fmt.Sprintf("%d modes below 3\n", below(3))} {
		if !strings.Contains(out, line) {
			t.Errorf("it does not say %q: %s", line, out)
		}
	}
}

// The example in C++ runs, its callback's exception comes back, and so does an error.
func TestExampleInCPlusPlus(t *testing.T) {
	dir := folder(t, "c++")
	out := output(t, compiled(t, dir, "../../examples/c/parts.cpp", "c++", "-std=c++11", "-pedantic"))
	for _, line := range []string{"two clusters found", "the same clusters by their graph", "ten runs agree", "two kinds of exemplars; accuracy 1.000", "sparse samples are the same", `did you mean "neml"?`, "cancelled: enough"} {
		if !strings.Contains(out, line) {
			t.Errorf("it does not say %q: %s", line, out)
		}
	}
}

// Whatever a caller in C does wrong has its status: null pointers, strides, shapes, foreign and
// freed handles, unknown keys, two threads on one handle, forks; every function refuses an invalid
// count, and none reads NULL; and the solvers and measures do what they promise.
func TestProgramsInC(t *testing.T) {
	dir := folder(t)
	for _, name := range []string{"misuse", "counts", "solvers", "evaluate"} {
		t.Run(name, func(t *testing.T) {
			if out := output(t, compiled(t, dir, "testdata/"+name+".c", "cc", "-std=gnu99")); out != "0 failures\n" {
				t.Error(out)
			}
		})
	}
}

// Misuse with the address sanitizer on the C side.
func TestMisuseUnderTheAddressSanitizer(t *testing.T) {
	dir := folder(t)
	probe := exec.Command("cc", "-fsanitize=address,undefined", "-x", "c", "-o", filepath.Join(t.TempDir(), "probe"), "-")
	probe.Stdin = strings.NewReader("int main(void) { return 0; }")
	if out, err := probe.CombinedOutput(); err != nil {
		t.Skipf("cc has no sanitizers: %s", out)
	}
	program := compiled(t, dir, "testdata/misuse.c", "cc", "-std=gnu99", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")
	if out := output(t, program); out != "0 failures\n" {
		t.Error(out)
	}
}

// A program can have the library inside it.
func TestStaticArchive(t *testing.T) {
	dir := folder(t)
	program := filepath.Join(t.TempDir(), "program")
	output(t, "cc", "-std=c99", "-I.", "-o", program, "../../examples/c/embed.c", filepath.Join(dir, "liborthant.a"), "-lm", "-lpthread")
	if out := output(t, program); !strings.Contains(out, "800 samples embedded") {
		t.Errorf("it says %q", out)
	}
}

// The shared library exports the functions of the header under their version, and
// nothing else.
func TestExportedSymbols(t *testing.T) {
	dir := folder(t, "nm", "objdump")
	header := must.Get(os.ReadFile("orthant.h"))(t)
	exported := 0
	for line := range strings.Lines(output(t, "nm", "-D", "--defined-only", filepath.Join(dir, "liborthant.so"))) {
		fields := strings.Fields(line)
		if fields[1] == "A" { // the version itself
			continue
		}
		name, version, _ := strings.Cut(fields[2], "@@")
		if version != "ORTHANT_1" || !strings.Contains(string(header), " "+name+"(") {
			t.Errorf("%s is exported", fields[2])
		}
		exported++
	}
	declared := strings.Count(string(header), "\northant_status orthant_") + strings.Count(string(header), "\nint orthant_")
	if exported != declared {
		t.Errorf("%d functions are exported where the header declares %d", exported, declared)
	}
	if about := output(t, "objdump", "-p", filepath.Join(dir, "liborthant.so")); !strings.Contains(about, "liborthant.so.1\n") {
		t.Error("the soname is not liborthant.so.1")
	}
}

// pkg-config alone finds the installed library, and programs can use it.
func TestInstall(t *testing.T) {
	folder(t, "pkg-config")
	root := t.TempDir()
	output(t, "make", "-s", "-C", "../..", "install", "PREFIX=/usr", "DESTDIR="+root, "LIB="+builtDir, "BIN="+filepath.Join(root, "build"))
	for _, name := range []string{"bin/orthant", "include/orthant.h", "include/orthant.hpp", "lib/liborthant.so", "lib/liborthant.so.1", "lib/liborthant.so.1.0.0", "lib/liborthant.a", "lib/pkgconfig/orthant.pc",
		"share/man/man1/orthant.1", "share/man/man1/orthant-embed.1", "share/bash-completion/completions/orthant", "share/zsh/site-functions/_orthant", "share/fish/vendor_completions.d/orthant.fish"} {
		if _, err := os.Stat(filepath.Join(root, "usr", name)); err != nil {
			t.Error(err)
		}
	}
	// Every line of docs/linking.md that compiles by pkg-config, with the shared library and the static one.
	page := must.Get(os.ReadFile("../../docs/linking.md"))(t)
	environment := append(os.Environ(), "PKG_CONFIG_PATH="+filepath.Join(root, "usr/lib/pkgconfig"), "PKG_CONFIG_SYSROOT_DIR="+root, "PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1", "PKG_CONFIG_ALLOW_SYSTEM_LIBS=1",
		"LD_LIBRARY_PATH="+filepath.Join(root, "usr/lib"))
	in := t.TempDir()
	source := must.Get(filepath.Abs("../../examples/c/embed.c"))(t)
	must.Do(t, os.Symlink(source, filepath.Join(in, "embed.c")))
	sh := func(line string) string {
		c := exec.Command("sh", "-c", line)
		c.Dir, c.Env = in, environment
		out, err := c.CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v: %s", line, err, out)
		}
		return string(out)
	}
	lines := 0
	for line := range strings.Lines(string(page)) {
		if line = strings.TrimSpace(line); !strings.HasPrefix(line, "cc embed.c $(pkg-config") {
			continue
		}
		lines++
		// The folder is under root here, which pkg-config does not put before variables.
		sh(strings.ReplaceAll(line, "$(pkg-config --variable=libdir orthant)", filepath.Join(root, "usr/lib")))
		if out := sh("./a.out"); !strings.Contains(out, "800 samples embedded") {
			t.Errorf("%s: %s", line, out)
		}
	}
	if lines < 3 {
		t.Errorf("docs/linking.md has %d lines with pkg-config", lines)
	}
	if got := strings.TrimSpace(sh("pkg-config --modversion orthant")); got != release.Version {
		t.Errorf("pkg-config says %s, this is %s", got, release.Version)
	}
}
