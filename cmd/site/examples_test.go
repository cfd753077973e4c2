package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/cmd/internal/examples"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/must"
)

// Programs of all languages are written for every method, with its name and the values of its example.
func TestExamplesAreWritten(t *testing.T) {
	for _, e := range engine.Methods() {
		x := must.Get(examples.Of(e.Name))(t)
		inGo := must.Get(x.Go(e.Name))(t)
		for language, text := range map[string]string{"shell": strings.Join(x.Shell(e.Name), "\n"), "Python": x.Python(e.Name), "R": x.R(e.Name), "Go": inGo} {
			if language == "R" && x.Task == "select" {
				if text != "" {
					t.Errorf("%s: R has an example of a task that it does not have", e.Name)
				}
				continue
			}
			if language != "Go" && !strings.Contains(text, e.Name) {
				t.Errorf("%s: the example in %s does not name it", e.Name, language)
			}
			for _, s := range x.Set {
				if !strings.Contains(text, s.Value) {
					t.Errorf("%s: the example in %s does not set %s", e.Name, language, s.Key)
				}
			}
		}
	}
}

// The examples of every method are run as they stand, in the shell, Python, R and Go, and give the same bits. make test-site sets
// ORTHANT_SITE_TESTS, the command, and where there is a C compiler the libraries.
func TestExamplesGiveTheSameBits(t *testing.T) {
	if !whole {
		t.Skip("minutes: make test-site runs the examples of all methods in four languages")
	}
	run := newRuns(t)
	run.shell()
	run.inGo()
	for _, language := range []struct {
		name string
		run  func() bool
	}{{"Python", run.python}, {"R", run.r}} {
		if !language.run() {
			t.Logf("LEFT OUT: the examples in %s", language.name)
		}
	}
	for _, name := range run.names {
		run.compare(name)
	}
	t.Logf("%d results compared; R read other bits of the samples of %d methods", run.compared, run.reread)
}

// runs are the examples of all methods, a folder each.
type runs struct {
	t                *testing.T
	root, folder     string
	command          string
	names            []string
	of               map[string]examples.Example
	compared, reread int
}

func newRuns(t *testing.T) *runs {
	r := &runs{t: t, root: golden.Root(t), folder: t.TempDir(), of: map[string]examples.Example{}}
	r.command = must.Get(filepath.Abs(filepath.Join(r.root, "bin", "orthant")))(t)
	for _, e := range engine.Methods() {
		r.names, r.of[e.Name] = append(r.names, e.Name), must.Get(examples.Of(e.Name))(t)
		must.Do(t, os.Mkdir(r.in(e.Name), 0o755))
		must.Do(t, os.Symlink(filepath.Join(r.root, "testdata"), filepath.Join(r.in(e.Name), "testdata")))
	}
	return r
}

func (r *runs) in(name string) string { return filepath.Join(r.folder, name) }

// do runs a program, and fails the test with what it said.
func (r *runs) do(folder string, env []string, name string, args ...string) {
	r.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), env...)
	if said, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, said)
	}
}

func (r *runs) shell() {
	path := "PATH=" + filepath.Dir(r.command) + string(os.PathListSeparator) + os.Getenv("PATH")
	for _, name := range r.names {
		for _, line := range r.of[name].Shell(name) {
			r.do(r.in(name), []string{path}, "sh", "-c", line)
		}
	}
}

// inGo makes one program of all, each main a function of its own.
func (r *runs) inGo() {
	var b strings.Builder
	b.WriteString(goHead)
	for i, name := range r.names {
		text := must.Get(r.of[name].Go(name))(r.t)
		_, body, found := strings.Cut(text, "func main() {\n")
		if !found {
			r.t.Fatalf("%s: the program has no main", name)
		}
		body, _ = strings.CutSuffix(body, "}\n")
		keep := map[string]string{"embed": "keep(r.Y.RawMatrix().Data)", "factorize": "keep(r.W.RawMatrix().Data)", "cluster": "keepWhole(r.Labels)", "select": "keepWhole(r.Indices)"}[r.of[name].Task]
		fmt.Fprintf(&b, "func f%d() {\n%s\t%s\n}\n\n", i, body, keep)
	}
	b.WriteString("func main() {\n")
	for i, name := range r.names {
		fmt.Fprintf(&b, "\tat(%q)\n\tf%d()\n", r.in(name), i)
	}
	b.WriteString("}\n")
	file := filepath.Join(r.folder, "main.go")
	must.Do(r.t, os.WriteFile(file, []byte(b.String()), 0o644))
	r.do(r.root, []string{"CGO_ENABLED=0"}, "go", "run", file)
}

const goHead = `package main

import (
	"context"
	"encoding/binary"
	"fmt"
	"log"
	"os"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

func at(folder string) {
	if err := os.Chdir(folder); err != nil {
		log.Fatal(err)
	}
}

func keep(list []float64) {
	f, err := os.Create("go.bin")
	if err == nil {
		err = binary.Write(f, binary.LittleEndian, list)
	}
	if err != nil {
		log.Fatal(err)
	}
	f.Close()
}

func keepWhole[T int | int64](list []T) {
	var all []float64
	for _, v := range list {
		all = append(all, float64(v))
	}
	keep(all)
}

`

// results are the variables in which the examples leave their results, in Python and R.
var results = map[string]string{"embed": "embedding", "factorize": "w", "cluster": "labels", "select": "exemplars"}

func (r *runs) python() bool {
	python := os.Getenv("ORTHANT_PYTHON")
	if python == "" {
		return false
	}
	var b strings.Builder
	b.WriteString("import os, warnings, numpy\nwarnings.simplefilter('ignore')\n")
	for _, name := range r.names {
		x := r.of[name]
		fmt.Fprintf(&b, "os.chdir(%q)\nscope = {}\nexec(%q, scope)\nnumpy.ascontiguousarray(scope[%q], dtype='<f8').tofile('python.bin')\n", r.in(name), x.Python(name), results[x.Task])
	}
	file := filepath.Join(r.folder, "all.py")
	must.Do(r.t, os.WriteFile(file, []byte(b.String()), 0o644))
	r.do(r.root, []string{"PYTHONPATH=" + filepath.Join(r.root, "python"), "PYTHONDONTWRITEBYTECODE=1"}, python, file)
	return true
}

func (r *runs) r() bool {
	script := os.Getenv("ORTHANT_RSCRIPT")
	if script == "" {
		return false
	}
	var b strings.Builder
	b.WriteString("options(warn = -1)\n")
	for _, name := range r.names {
		x := r.of[name]
		text := x.R(name)
		if text == "" {
			continue
		}
		less := ""
		if x.Task == "cluster" {
			less = " - 1" // R counts from 1
		}
		fmt.Fprintf(&b, "setwd(%q)\n%swriteBin(as.double(t(%s))%s, \"r.bin\")\nwriteBin(as.double(t(x)), \"r.x.bin\")\n", r.in(name), text, results[x.Task], less)
	}
	file := filepath.Join(r.folder, "all.R")
	must.Do(r.t, os.WriteFile(file, []byte(b.String()), 0o644))
	r.do(r.root, []string{"R_LIBS=" + filepath.Join(r.root, "bin", "r", "library"), "ORTHANT_LIB=" + filepath.Join(r.root, "bin", "lib")}, script, "--vanilla", file)
	return true
}

// compare compares what the languages found with what the shell did.
func (r *runs) compare(name string) {
	x := r.of[name]
	want := r.table(filepath.Join(r.in(name), examples.Result[x.Task]))
	for _, language := range []string{"go", "python", "r"} {
		got, found := r.numbers(filepath.Join(r.in(name), language+".bin"))
		if !found {
			continue
		}
		r.compared++
		if language == "r" {
			want = r.ofSamplesInR(name, want)
		}
		if !slices.EqualFunc(got, want.RawMatrix().Data, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) || a != a && b != b }) {
			r.t.Errorf("%s: %s and the shell found different numbers (%d and %d of them)", name, language, len(got), len(want.RawMatrix().Data))
		}
	}
}

// ofSamplesInR is what the command finds for the samples as R read them: read.csv does not round all decimals to the nearest double.
func (r *runs) ofSamplesInR(name string, want *mat.Dense) *mat.Dense {
	x := r.of[name]
	samples := r.table(filepath.Join(r.in(name), x.Input()))
	read, _ := r.numbers(filepath.Join(r.in(name), "r.x.bin"))
	if slices.Equal(read, samples.RawMatrix().Data) {
		return want
	}
	for i, v := range read {
		if w := samples.RawMatrix().Data[i]; math.Abs(v-w) > 4e-16*math.Abs(w) {
			r.t.Fatalf("%s: R read %v in place of %v", name, v, w)
		}
	}
	r.reread++
	rows, cols := samples.Dims()
	out := must.Get(files.Create(filepath.Join(r.in(name), "r.x.npy"), nil))(r.t)
	must.Do(r.t, out.WriteMatrix(mat.NewDense(rows, cols, read), files.Options{}))
	must.Do(r.t, out.Commit())
	lines := x.Shell(name)
	line := strings.NewReplacer("--in "+x.Input(), "--in r.x.npy", examples.Result[x.Task], "again.csv").Replace(lines[len(lines)-1])
	r.do(r.in(name), []string{"PATH=" + filepath.Dir(r.command) + string(os.PathListSeparator) + os.Getenv("PATH")}, "sh", "-c", line)
	return r.table(filepath.Join(r.in(name), "again.csv"))
}

func (r *runs) table(file string) *mat.Dense {
	return must.Get(files.ReadMatrix(file, files.Options{AllowNonFinite: true}))(r.t)
}

// numbers are those that a language left.
func (r *runs) numbers(file string) ([]float64, bool) {
	text, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil, false
	}
	must.Do(r.t, err)
	list := make([]float64, len(text)/8)
	for i := range list {
		list[i] = math.Float64frombits(binary.LittleEndian.Uint64(text[8*i:]))
	}
	return list, true
}
