package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/messages"
)

// runAsCommand makes the test binary behave as the command.
const runAsCommand = "ORTHANT_TEST_RUN_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(peakFile) != "" {
		runMeasured()
	}
	if os.Getenv(runAsCommand) == "1" {
		os.Args = append(os.Args[:1:1], typedFor(os.Args[1:])...)
		main()
	}
	os.Exit(runTests(m))
}

// process prepares a real process of the command in a folder.
func process(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, args...)
	cmd.Dir, cmd.Env = dir, commandEnvironment()
	return cmd
}

// commandEnvironment is what makes a process of the test binary the command. A
// race-enabled one would rest for a second at its end.
func commandEnvironment(more ...string) []string {
	return append(append(os.Environ(), runAsCommand+"=1", "GORACE=atexit_sleep_ms=0"), more...)
}

// outcome is what is seen of a run from outside.
type outcome struct {
	status   int
	out, err string
}

// orthant runs the command within this process, in the current folder.
func orthant(t *testing.T, args ...string) outcome {
	t.Helper()
	return orthantReading(t, nil, args...)
}

func orthantReading(t *testing.T, in io.Reader, args ...string) outcome {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var out, stderr bytes.Buffer
	err := run(context.Background(), typedFor(args), streams{in, &out, &stderr})
	printError(&stderr, err)
	identified(t, err, stderr.String())
	return outcome{status(err), out.String(), stderr.String()}
}

// identified fails the test for an error or a warning without an identifier.
func identified(t *testing.T, err error, stderr string) {
	t.Helper()
	if err != nil && errorID(err) == "" && !errors.Is(err, context.Canceled) {
		t.Errorf("the error has no identifier: %v", err)
	}
	for line := range strings.Lines(stderr) {
		if text, is := strings.CutPrefix(line, "warning: "); is {
			if _, known := messages.Find('W', text); !known {
				t.Errorf("the warning has no identifier: %s", text)
			}
		}
	}
}

// must is orthant for what has to succeed.
func must(t *testing.T, args ...string) outcome {
	t.Helper()
	o := orthant(t, args...)
	if o.status != exitDone {
		t.Fatalf("orthant %s: status %d, %s", strings.Join(args, " "), o.status, o.err)
	}
	return o
}

// object parses what --json printed: one object on one line.
func (o outcome) object(t *testing.T) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(o.out), &v); err != nil {
		t.Fatalf("standard output is no JSON object: %v\n%s", err, o.out)
	}
	if strings.Count(o.out, "\n") != 1 || !strings.HasSuffix(o.out, "}\n") {
		t.Fatalf("standard output is more than one line: %q", o.out)
	}
	return v
}

// inFolder makes a folder of its own the current one and draws a swiss roll of n
// samples into x.npy, with t.npy next to it.
func inFolder(t *testing.T, n string) string {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	if n != "" {
		must(t, "generate", "swiss-roll", "--samples", n, "--out", "x.npy", "--out-params", "t.npy")
	}
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// save writes a matrix in the format that the path asks for.
func save(t *testing.T, path string, x mat.Matrix, o ...files.Options) {
	t.Helper()
	inv := newInvocation(streams{})
	out, err := inv.create(path)
	if err == nil {
		err = out.WriteMatrix(x, append(o, files.Options{})[0])
	}
	if err == nil {
		err = inv.commit()
	}
	if err != nil {
		t.Fatal(err)
	}
}

func matrix(t *testing.T, path string) *mat.Dense {
	t.Helper()
	m, err := files.ReadMatrix(path, files.Options{AllowNonFinite: true})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// names lists a folder, hidden files too.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// TestHelpExamplesRun runs every line of every example, in the order of the help
// and in one folder, as a newcomer would.
func TestHelpExamplesRun(t *testing.T) {
	if testing.Short() {
		t.Skip("processes of their own, which the race detector slows down and does not watch")
	}
	root := newRoot(newInvocation(streams{out: io.Discard, err: io.Discard}))
	script := "set -e\northant() { \"$SELF\" \"$@\"; }\n" +
		"command -v man >/dev/null || man() { test -s \"$2\"; }\n" + // a bare system has no pages
		root.Example + "\n"
	count := 0
	for _, cmd := range root.Commands() {
		for line := range strings.Lines(cmd.Example) {
			if !strings.Contains(line, "orthant selftest") { // which has tests of its own
				script += strings.Replace(line, "--runs 20", "--runs 4", 1)
			}
		}
		script += "\n"
		if cmd.Example != "" {
			count++
		}
	}
	if count < 6 {
		t.Fatalf("only %d commands have an example", count)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	shell := exec.Command("sh", "-c", script)
	dir := t.TempDir()
	shell.Dir, shell.Env = dir, commandEnvironment("SELF="+self)
	if text, err := shell.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, script, text)
	}
	for _, want := range []string{"x.npy", "y.npy", "y.png", "y.csv", "moons.csv", "i.npy", "d.npy"} {
		if _, err := os.Stat(filepath.Join(dir, want)); err != nil {
			t.Errorf("the examples leave no %s", want)
		}
	}
}

type panicking struct{}

func (panicking) Read([]byte) (int, error) { panic("a bug\nin two lines") }

func TestPanicIsOneLineAndStatusOne(t *testing.T) {
	dir := inFolder(t, "")
	o := orthantReading(t, panicking{}, "embed", "--method", "pca", "--in", "-", "--out", "y.npy")
	if o.status != exitFailed || strings.Count(o.err, "\n") != 1 || !strings.Contains(o.err, "orthant embed: internal error: a bug in two lines") {
		t.Errorf("status %d, %q", o.status, o.err)
	}
	if left := names(t, dir); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	t.Setenv("ORTHANT_DEBUG", "1")
	o = orthantReading(t, panicking{}, "embed", "--method", "pca", "--in", "-", "--out", "y.npy")
	if !strings.Contains(o.err, "panicking") || o.status != exitFailed {
		t.Errorf("with ORTHANT_DEBUG=1 there is no stack: %q", o.err)
	}
}

// withoutData makes an empty folder the current one, away from the real data.
func withoutData(t *testing.T) string {
	t.Helper()
	t.Setenv("ORTHANT_DATA", "")
	t.Setenv("ORTHANT_TAPKEE", "")
	return inFolder(t, "")
}
