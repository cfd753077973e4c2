//go:build mpi

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/parquet-go/parquet-go"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
	_ "github.com/orthant-go/orthant/engine/files/parquet" // a format that a program has to ask for
)

// The commands, built once, and what they work on.
var (
	folder            string
	orthant, together string
	roll, lists       string
)

// TestMain builds both commands. The tests start processes by mpirun; none calls MPI itself.
func TestMain(m *testing.M) { os.Exit(around(m)) }

func around(m *testing.M) int {
	if _, err := exec.LookPath("mpirun"); err != nil {
		fmt.Println("LEFT OUT: orthant-mpi (no mpirun; Debian: openmpi-bin)")
		return 0
	}
	var err error
	if folder, err = os.MkdirTemp("", "orthant-mpi"); err != nil {
		fmt.Println(err)
		return 1
	}
	defer os.RemoveAll(folder)
	orthant, together = filepath.Join(folder, "orthant"), filepath.Join(folder, "orthant-mpi")
	roll, lists = filepath.Join(folder, "roll.npy"), filepath.Join(folder, "lists.npz")
	for _, args := range [][]string{
		{"go", "build", "-o", orthant, "../orthant"},
		{"go", "build", "-tags", "mpi", "-o", together, "."},
		{orthant, "generate", "swiss-roll", "--samples", "1500", "--seed", "3", "--out", roll, "--quiet"},
		{orthant, "neighbors", "--in", roll, "--neighbors", "11", "--out", lists, "--quiet"},
	} {
		if said, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			fmt.Printf("%v: %v\n%s", args, err, said)
			return 1
		}
	}
	return m.Run()
}

// outcomeOf is what a command said and how it ended.
type outcomeOf struct {
	out, err string
	status   int
}

func ended(t *testing.T, c *exec.Cmd) outcomeOf {
	t.Helper()
	var out, said bytes.Buffer
	c.Stdout, c.Stderr = &out, &said
	err := c.Run()
	if _, is := errors.AsType[*exec.ExitError](err); err != nil && !is {
		t.Error(err) // not Fatal: some call this from goroutines of their own
		return outcomeOf{}
	}
	return outcomeOf{out.String(), said.String(), c.ProcessState.ExitCode()}
}

// mpirun is orthant-mpi on this many processes.
func mpirun(processes int, env []string, args ...string) *exec.Cmd {
	c := exec.Command("mpirun", append([]string{"-q", "--oversubscribe", "-n", fmt.Sprint(processes), together, "embed"}, args...)...)
	c.Env = append(os.Environ(), environment...)
	c.Env = append(c.Env, env...)
	return c
}

// environment lets root call mpirun, processes give way where there are more than cores, and on a
// busy machine, processes get more than one second to terminate.
var environment = []string{"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_mpi_yield_when_idle=1", "OMPI_MCA_btl_vader_single_copy_mechanism=none", "OMPI_MCA_odls_base_sigkill_timeout=3"}

// lines are the lines of a text.
func lines(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == '\n' })
}

// angle is the largest angle between the spans of the columns of two files.
func angle(t *testing.T, a, b string) float64 {
	t.Helper()
	bases := make([]*mat.Dense, 2)
	for i, path := range []string{a, b} {
		y, err := files.ReadMatrix(path, files.Options{})
		if err != nil {
			t.Fatal(err)
		}
		var qr mat.QR
		qr.Factorize(y)
		n, d := y.Dims()
		bases[i] = mat.NewDense(n, d, nil)
		var q mat.Dense
		qr.QTo(&q)
		bases[i].Copy(q.Slice(0, n, 0, d))
	}
	var inner, rest mat.Dense
	inner.Mul(bases[1].T(), bases[0])
	rest.Mul(bases[1], &inner)
	rest.Sub(bases[0], &rest)
	return math.Asin(min(1, mat.Norm(&rest, 2)))
}

// maxAngle is how far the span of the coordinates may be from the span by one process.
const maxAngle = 1e-6

// TestSpanOfOneProcess: any number of processes finds the coordinates of "orthant embed".
func TestSpanOfOneProcess(t *testing.T) {
	one, many := filepath.Join(folder, "one.npy"), filepath.Join(folder, "many.npy")
	for _, method := range []string{"lle", "mlle", "neml", "ltsa", "le"} {
		for fewest, input := range map[int][]string{
			1: {"--in", roll, "--neighbors", "11"},
			2: {"--in", roll, "--graph", lists},
			3: {"--in", roll, "--neighbors", "9", "--dim", "3"}, // of lle and ltsa null, but for rounding
		} {
			args := append([]string{"--method", method, "--quiet"}, input...)
			if r := ended(t, exec.Command(orthant, append([]string{"embed", "--out", one}, args...)...)); r.status != 0 {
				t.Fatal(r)
			}
			for processes := fewest; processes <= 3; processes++ {
				if r := ended(t, mpirun(processes, nil, append(args, "--out", many)...)); r.status != 0 || r.err != "" {
					t.Fatalf("%s %v on %d processes: %+v", method, input, processes, r)
				}
				if a := angle(t, many, one); !(a <= maxAngle) {
					t.Errorf("%s %v on %d processes: the span is off by %.2g", method, input, processes, a)
				}
			}
		}
	}
}

// TestSpanOfEdges: which edges a graph keeps, and their weights, depend on lists of others.
func TestSpanOfEdges(t *testing.T) {
	one, many := filepath.Join(folder, "one.npy"), filepath.Join(folder, "many.npy")
	for _, args := range [][]string{
		{"--in", roll, "--set", "graph=mutual", "--set", "weights=heat"},
		{"--in", roll, "--set", "graph=average", "--set", "weights=cosine"},
		{"--graph", lists, "--set", "weights=heat_norm"},
	} {
		args = append([]string{"--method", "le", "--quiet"}, args...)
		if r := ended(t, exec.Command(orthant, append([]string{"embed", "--out", one}, args...)...)); r.status != 0 {
			t.Fatal(r)
		}
		if r := ended(t, mpirun(3, nil, append(args, "--out", many)...)); r.status != 0 {
			t.Fatal(r)
		}
		if a := angle(t, many, one); !(a <= maxAngle) {
			t.Errorf("%v: the span is off by %.2g", args, a)
		}
	}
}

// TestFlatSamples: eigenvalues below the rounding of the matrix are refined by the patches.
func TestFlatSamples(t *testing.T) {
	const n = 900
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		a, b := float64(i%30)+0.3*math.Sin(float64(7*i)), float64(i/30)+0.3*math.Cos(float64(11*i))
		x.SetRow(i, []float64{a, b, 0.25*a - 0.5*b})
	}
	in, out := filepath.Join(folder, "flat.npy"), filepath.Join(folder, "flat.y.npy")
	o, err := files.Create(in, nil)
	if err == nil {
		if err = o.WriteMatrix(x, files.Options{}); err == nil {
			err = o.Commit()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	r := ended(t, mpirun(2, nil, "--method", "ltsa", "--in", in, "--out", out, "--json"))
	var said struct {
		Eigenvalues []float64
		Details     struct{ Refinements int }
	}
	if err := json.Unmarshal([]byte(r.out), &said); err != nil || said.Details.Refinements < 1 || said.Eigenvalues[1] > 1e-25 {
		t.Fatalf("%v %+v %+v", err, said, r)
	}
	truth := filepath.Join(folder, "flat.truth.npy")
	centred := mat.NewDense(n, 2, nil)
	for j := range 2 {
		column := mat.Col(nil, j, x)
		var mean float64
		for _, v := range column {
			mean += v / n
		}
		for i, v := range column {
			centred.Set(i, j, v-mean)
		}
	}
	if o, err = files.Create(truth, nil); err == nil {
		if err = o.WriteMatrix(centred, files.Options{}); err == nil {
			err = o.Commit()
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if a := angle(t, out, truth); !(a <= maxAngle) {
		t.Errorf("the span is off by %.2g", a)
	}
}

// TestFormats: .csv and Parquet have the rows of .npy, and a process that writes its own rows
// writes those.
func TestFormats(t *testing.T) {
	want := filepath.Join(folder, "want.npy")
	if r := ended(t, mpirun(3, nil, "-m", "ltsa", "-i", roll, "-o", want, "-q")); r.status != 0 {
		t.Fatal(r)
	}
	x, err := files.ReadMatrix(roll, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, ext := range []string{".csv", ".parquet", ".npy.gz"} {
		in, out := filepath.Join(folder, "roll"+ext), filepath.Join(folder, "formats.npy")
		o, err := files.Create(in, nil)
		if err == nil {
			if err = o.WriteMatrix(x, files.Options{}); err == nil {
				err = o.Commit()
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if r := ended(t, mpirun(3, nil, "-m", "ltsa", "-i", in, "-o", out, "-q")); r.status != 0 {
			t.Fatal(r)
		}
		if a := angle(t, out, want); !(a <= maxAngle) {
			t.Errorf("%s: the span is off by %.2g", ext, a)
		}
	}
	out := filepath.Join(folder, "own.npy")
	if r := ended(t, mpirun(3, nil, "-m", "ltsa", "-i", roll, "-o", out, "-q", "--out-per-process")); r.status != 0 {
		t.Fatal(r)
	}
	all, err := files.ReadMatrix(want, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := 0
	for rank := range 3 {
		part, err := files.ReadMatrix(filepath.Join(folder, fmt.Sprintf("own.%d.npy", rank)), files.Options{})
		if err != nil {
			t.Fatal(err)
		}
		n, d := part.Dims()
		for i := range n {
			for j := range d {
				if math.Abs(part.At(i, j)-all.At(at+i, j)) > 1e-9 {
					t.Fatalf("row %d of process %d is not row %d", i, rank, at+i)
				}
			}
		}
		at += n
	}
	if n, _ := all.Dims(); at != n {
		t.Errorf("the processes wrote %d rows of %d", at, n)
	}
}

// sample is a row of a Parquet file.
type sample struct{ A, B, C float64 }

// TestGroupsOfRows: of a Parquet file each process reads from the group of rows that has its first.
func TestGroupsOfRows(t *testing.T) {
	x, err := files.ReadMatrix(roll, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	in := filepath.Join(folder, "groups.parquet")
	f, err := os.Create(in)
	if err != nil {
		t.Fatal(err)
	}
	w := parquet.NewGenericWriter[sample](f, parquet.MaxRowsPerRowGroup(333)) // the rows of no process begin with a group
	n, _ := x.Dims()
	for i := range n {
		if _, err := w.Write([]sample{{x.At(i, 0), x.At(i, 1), x.At(i, 2)}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	b, err := files.OpenBlocks(in, files.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if starts := b.Starts(); len(starts) != 5 {
		t.Fatalf("groups begin at %v", starts)
	}
	b.Close()
	want, out := filepath.Join(folder, "want.npy"), filepath.Join(folder, "groups.npy")
	for path, to := range map[string]string{roll: want, in: out} {
		if r := ended(t, mpirun(3, nil, "-m", "ltsa", "-i", path, "-o", to, "-q")); r.status != 0 {
			t.Fatal(r)
		}
	}
	if a := angle(t, out, want); !(a <= maxAngle) {
		t.Errorf("the span is off by %.2g", a)
	}
}

// TestKeysOfOneProcess: --json has the keys of "orthant embed", and no other.
func TestKeysOfOneProcess(t *testing.T) {
	out := filepath.Join(folder, "keys.npy")
	args := []string{"--method", "neml", "--in", roll, "--out", out, "--json", "--explain"}
	keys := func(r outcomeOf) []string {
		object := map[string]any{}
		if err := json.Unmarshal([]byte(r.out), &object); err != nil || r.status != 0 {
			t.Fatalf("%v: %+v", err, r)
		}
		for _, inside := range []string{"plan", "params"} {
			for key := range object[inside].(map[string]any) {
				object[inside+"."+key] = nil
			}
		}
		return slices.Sorted(maps.Keys(object))
	}
	one, many := keys(ended(t, exec.Command(orthant, append([]string{"embed"}, args...)...))), keys(ended(t, mpirun(2, nil, args...)))
	if !slices.Equal(one, many) {
		t.Errorf("the keys are\n%v\nof one process\n%v", many, one)
	}
}

// TestStatuses: what is wrong is said in one line, by one process, with the status of "orthant embed".
func TestStatuses(t *testing.T) {
	out := filepath.Join(folder, "none.npy")
	at, all := make(chan struct{}, 6), sync.WaitGroup{} // most of the time mpirun waits for its processes to end
	for _, c := range []struct {
		args, env []string
		status    int
		says      string
	}{
		{[]string{"-m", "ltsa", "-i", "nothere.npy", "-o", out}, nil, 2, "no such file"},
		{[]string{"-m", "pca", "-i", roll, "-o", out}, nil, 2, "cannot be shared"},
		{[]string{"-m", "ltsa", "-i", roll, "-o", out, "--plot", "x.png"}, nil, 2, "--plot"},
		{[]string{"-m", "ltsa", "-i", roll, "-o", out, "--strict"}, nil, 2, "--strict"},
		{[]string{"-m", "ltsa", "-i", roll, "-o", out, "--nieghbors", "3"}, nil, 2, "--neighbors"},
		{[]string{"-m", "ltsa", "-i", roll, "-o", out, "--set", "components=largest"}, nil, 2, "components=largest"},
		{[]string{"-m", "ltsa", "-i", roll, "-o", out, "-k", "1500"}, nil, 2, "1 to 1499"},
		{[]string{"-m", "neml", "-i", roll, "-o", out, "-k", "2"}, nil, 2, "at least 3"},
		{[]string{"-m", "ltsa", "-i", roll, "-o", out, "-k", "3"}, nil, 2, "components"},
		{[]string{"-m", "ltsa", "-i", roll, "--graph", lists, "-k", "3", "-o", out}, nil, 2, "graph"},
		{[]string{"-m", "ltsa", "--graph", lists, "-o", out}, nil, 2, "needs the samples"},
		{[]string{"-m", "ltsa", "-i", roll, "-o", "/nowhere/y.npy"}, nil, 2, "no folder"},
		{[]string{"-m", "ltsa", "-i", roll, "-o", out, "--memory", "40MB"}, nil, 2, "the limit is"},
		{[]string{"-m", "ltsa", "-i", roll, "-o", out}, []string{"ORTHANT_MPI_FAULT=panic:0:solve"}, 1, "internal error"},
	} {
		at <- struct{}{}
		all.Go(func() {
			defer func() { <-at }()
			r := ended(t, mpirun(2, c.env, c.args...))
			if said := lines(r.err); r.status != c.status || len(said) != 1 || !strings.Contains(said[0], c.says) {
				t.Errorf("%v: %+v", c.args, r)
			}
		})
	}
	all.Wait()
	if left, _ := filepath.Glob(filepath.Join(folder, "*none.npy*")); len(left) > 0 {
		t.Errorf("left %v", left)
	}
	r := ended(t, mpirun(2, []string{"ORTHANT_MPI_FAULT=restart"}, "-m", "le", "-d", "8", "-i", roll, "-o", out, "-q"))
	if said := lines(r.err); r.status != 3 || len(said) != 1 || !strings.Contains(said[0], "missed its residual") {
		t.Errorf("not converged: %+v", r)
	}
	if _, err := os.Stat(out); err != nil {
		t.Error("not converged: the best embedding found is not written")
	}
}
