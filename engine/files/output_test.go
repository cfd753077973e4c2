package files

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/faults"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// onlyFiles checks the names in a folder; hidden ones count.
func onlyFiles(t *testing.T, folder string, want ...string) {
	t.Helper()
	entries := must.Get(os.ReadDir(folder))(t)
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
}

func wantContent(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s holds %q (error %v), want %q", path, got, err, want)
	}
}

func create(t *testing.T, path string) *Output {
	t.Helper()
	o := must.Get(Create(path, nil))(t)
	t.Cleanup(o.Discard)
	return o
}

func TestOutputReplacesOnCommit(t *testing.T) {
	path := write(t, "y.csv", []byte("old"))
	folder := filepath.Dir(path)
	o := create(t, path)
	entries, _ := os.ReadDir(folder)
	if len(entries) != 2 || !strings.HasPrefix(entries[0].Name(), ".y.csv.tmp-") {
		t.Errorf("while under construction the folder holds %v", entries)
	}
	must.Do(t, o.WriteMatrix(mat.NewDense(1, 2, []float64{1, 2}), Options{}))
	wantContent(t, path, "old")
	must.Do(t, o.Commit())
	wantContent(t, path, "1,2\n")
	onlyFiles(t, folder, "y.csv")
	o.Discard()
	wantContent(t, path, "1,2\n")
	wantError(t, o.Commit(), OpWrite, path, "committed or discarded before")
	wantContent(t, path, "1,2\n")
}

func TestOutputDiscard(t *testing.T) {
	path := write(t, "y.csv", []byte("old"))
	o := create(t, path)
	must.Do(t, o.WriteMatrix(mat.NewDense(1, 2, []float64{1, 2}), Options{}))
	o.Discard()
	o.Discard()
	wantContent(t, path, "old")
	onlyFiles(t, filepath.Dir(path), "y.csv")
	wantError(t, o.Commit(), OpWrite, path, "committed or discarded before")
	wantError(t, o.WriteLabels([]int64{1}), OpWrite, path, "committed or discarded before")
}

func TestOutputMisuse(t *testing.T) {
	for name, use := range map[string]func(o *Output) error{
		"nothing was written": func(o *Output) error { return o.Commit() },
		"written before":      func(o *Output) error { _ = o.WriteLabels([]int64{1}); return o.WriteLabels([]int64{2}) },
		"the matrix is empty": func(o *Output) error { return o.WriteMatrix(&mat.Dense{}, Options{}) },
		"there are no labels": func(o *Output) error { return o.WriteLabels(nil) },
		"is empty: 0 × 2":     func(o *Output) error { return o.WriteIntegers(0, 2, nil) },
		"is empty: 3 × 0":     func(o *Output) error { return o.WriteIntegers(3, -1, nil) },
	} {
		path := write(t, "y.npy", []byte("old"))
		o := create(t, path)
		wantError(t, use(o), OpWrite, path, name)
		wantError(t, o.Commit(), OpWrite, path, name) // the first error stays
		wantContent(t, path, "old")
		onlyFiles(t, filepath.Dir(path), "y.npy")
	}
	path := filepath.Join(t.TempDir(), "p.png")
	o := must.Get(CreateRaw(path, nil))(t)
	wantError(t, o.WriteLabels([]int64{1}), OpWrite, path, "raw bytes")
}

func TestOutputRaw(t *testing.T) {
	path := filepath.Join(t.TempDir(), "picture.svg")
	o := must.Get(CreateRaw(path, nil))(t)
	for _, part := range []string{"<svg>", strings.Repeat("x", 1<<17), "</svg>"} {
		if n, err := o.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	must.Do(t, o.Commit())
	wantContent(t, path, "<svg>"+strings.Repeat("x", 1<<17)+"</svg>")
}

func TestOutputPathsThatCannotBeCreated(t *testing.T) {
	folder := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(folder, "d.npy"), 0o777))
	file := write(t, "f", nil)
	for _, c := range []struct{ path, want string }{
		{filepath.Join(folder, "none", "y.npy"), "there is no folder " + filepath.Join(folder, "none")},
		{filepath.Join(folder, "d.npy"), "a folder of that name is in the way"},
		{filepath.Join(folder, "y.parquet"), "this program lacks .parquet files"},
		{filepath.Join(folder, "y.h5"), "of HDF5 files only .h5ad is written, by embed and cluster, as a copy of their input: write .npy or .csv"},
		{filepath.Join(folder, "y.mat:1a"), `"1a" is not a name for a MATLAB variable`},
		{filepath.Join(folder, "y.npz.zst"), "leave out .zst"},
		{filepath.Join(folder, "y.xyz"), `the extension ".xyz" is not one of`},
		{filepath.Join(folder, "y"), "no extension"},
		{filepath.Join(folder, "y.npz:"), "no name of an array"},
		{filepath.Join(folder, "y.npz:a/b"), `"a/b" is not a name for an array`},
	} {
		o, err := Create(c.path, nil)
		if o != nil {
			t.Errorf("%s was created", c.path)
		}
		wantError(t, err, OpCreate, c.path, c.want)
	}
	if runtime.GOOS != "windows" { // which says of both that there is no such file
		for path, want := range map[string]string{filepath.Join(file, "y.npy"): "not a directory", filepath.Join(folder, strings.Repeat("y", 300)+".npy"): "file name too long"} {
			_, err := Create(path, nil)
			wantError(t, err, OpCreate, path, want)
		}
	}
	slash := folder + "/new/"
	_, err := CreateRaw(slash, nil)
	wantError(t, err, OpCreate, slash, "that of a folder")
	_, err = CreateRaw("", nil)
	wantError(t, err, OpCreate, "", "the path is empty")
	_, err = Create("-", nil)
	wantError(t, err, OpCreate, "-", "creating standard output: there is no standard output here")
	onlyFiles(t, folder, "d.npy")
	if _, err := CreateRaw(filepath.Join(folder, strings.Repeat("n", 255)), nil); err != nil {
		t.Errorf("the longest name there is: %v", err)
	}
	DiscardAll()
}

func TestOutputPermissions(t *testing.T) {
	folder := t.TempDir()
	plain := filepath.Join(folder, "plain")
	if err := os.WriteFile(plain, nil, 0o666); err != nil { // subject to the umask
		t.Fatal(err)
	}
	normal, err := os.Stat(plain)
	if err != nil {
		t.Fatal(err)
	}
	fresh := filepath.Join(folder, "fresh.npy")
	private := filepath.Join(folder, "private.npy")
	must.Do(t, os.WriteFile(private, nil, 0o600))
	for path, want := range map[string]os.FileMode{fresh: normal.Mode().Perm(), private: 0o600} {
		save(t, path, hardMatrix(2, 2), Options{})
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want && runtime.GOOS != "windows" { // which has other permissions
			t.Errorf("%s has the mode %v (error %v), want %v", path, info.Mode(), err, want)
		}
	}
	if os.Getuid() <= 0 {
		t.Skip("the rest needs a user whom permissions bind")
	}
	locked := write(t, "locked.npy", []byte("old"))
	must.Do(t, os.Chmod(locked, 0o400))
	_, err = Create(locked, nil)
	wantError(t, err, OpCreate, locked, "permission denied")
	must.Do(t, os.Chmod(folder, 0o500))
	defer os.Chmod(folder, 0o700)
	_, err = Create(filepath.Join(folder, "new.npy"), nil)
	wantError(t, err, OpCreate, filepath.Join(folder, "new.npy"), "no file can be made in the folder")
}

func TestOutputFollowsLinks(t *testing.T) {
	path := write(t, "y.csv", []byte("old"))
	from := filepath.Join(t.TempDir(), "link.csv")
	link(t, path, from)
	save(t, from, mat.NewDense(1, 1, []float64{3}), Options{})
	wantContent(t, path, "3\n")
	if info, err := os.Lstat(from); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link has become %v (error %v)", info, err)
	}
	o := create(t, path)
	_, err := Create(from, nil)
	wantError(t, err, OpCreate, from, "another output is being written to the same file")
	o.Discard()
	save(t, from, mat.NewDense(1, 1, []float64{4}), Options{})
	wantContent(t, path, "4\n")
}

func TestOutputToStandardOutput(t *testing.T) {
	var stdout bytes.Buffer
	o := must.Get(Create("-", &stdout))(t)
	m := hardMatrix(20, 3)
	must.Do(t, o.WriteMatrix(m, Options{}))
	if stdout.Len() > 0 {
		t.Error("standard output was written before Commit")
	}
	must.Do(t, o.Commit())
	back := must.Get(ReadMatrix("-", Options{Stdin: &stdout}))(t)
	sameBits(t, back.RawMatrix().Data, m.RawMatrix().Data)
	o = must.Get(Create("-", &stdout))(t)
	must.Do(t, o.WriteMatrix(m, Options{}))
	o.Discard()
	if err := o.Commit(); err == nil || stdout.Len() > 0 {
		t.Errorf("after Discard: error %v, %d bytes on standard output", err, stdout.Len())
	}
}

// TestOutputFullDisk writes to the device that is always full.
func TestOutputFullDisk(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil || runtime.GOOS == "windows" {
		t.Skip("there is no /dev/full here")
	}
	defer full.Close()
	o := must.Get(Create("-", full))(t)
	must.Do(t, o.WriteMatrix(hardMatrix(3, 3), Options{}))
	err = o.Commit()
	wantError(t, err, OpWrite, "-", "writing standard output: no space left on device")
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v is not ENOSPC", err)
	}

	for _, name := range []string{"y.npy", "y.npz", "y.csv", "y.mtx", "y.mat", "y.npy.gz", "y.csv.zst"} {
		to := filepath.Join(t.TempDir(), name)
		link(t, "/dev/full", to)
		for _, rows := range []int{3, 30000} { // fails on Commit, and in the midst
			o := create(t, to)
			err := o.WriteMatrix(hardMatrix(rows, 3), Options{})
			if err == nil {
				err = o.Commit()
			}
			wantError(t, err, OpWrite, to, "no space left on device")
			wantError(t, o.Commit(), OpWrite, to, "no space left on device")
		}
		onlyFiles(t, filepath.Dir(to), name)
	}
}

// TestOutputWriteFailure has the temporary file fail under the writer.
func TestOutputWriteFailure(t *testing.T) {
	for _, rows := range []int{3, 30000} {
		path := write(t, "y.npy", []byte("old"))
		o := create(t, path)
		o.file.Close()
		err := o.WriteMatrix(hardMatrix(rows, 3), Options{})
		if err == nil {
			err = o.Commit()
		}
		wantError(t, err, OpWrite, path, "file already closed")
		wantContent(t, path, "old")
		onlyFiles(t, filepath.Dir(path), "y.npy")
	}
	// The target becomes a folder while the work goes on.
	path := filepath.Join(t.TempDir(), "y.npy")
	o := create(t, path)
	must.Do(t, o.WriteMatrix(hardMatrix(2, 2), Options{}))
	must.Do(t, os.Mkdir(path, 0o777))
	inTheWay := "file exists"
	if runtime.GOOS == "windows" {
		inTheWay = syscall.Errno(5).Error() // ERROR_ACCESS_DENIED
	}
	wantError(t, o.Commit(), OpWrite, path, inTheWay)
	onlyFiles(t, filepath.Dir(path), "y.npy")
}

func TestDiscardAll(t *testing.T) {
	folder := t.TempDir()
	done := filepath.Join(folder, "done.npy")
	save(t, done, hardMatrix(2, 2), Options{})
	var outputs []*Output
	for _, name := range []string{"a.npy", "b.csv", "c.npz"} {
		o := create(t, filepath.Join(folder, name))
		must.Do(t, o.WriteMatrix(hardMatrix(2, 2), Options{}))
		outputs = append(outputs, o)
	}
	DiscardAll()
	onlyFiles(t, folder, "done.npy")
	for _, o := range outputs {
		if o.Commit() == nil {
			t.Error("an output was committed after DiscardAll")
		}
	}
	onlyFiles(t, folder, "done.npy")
	DiscardAll()
	// The targets are free again.
	save(t, filepath.Join(folder, "a.npy"), hardMatrix(2, 2), Options{})
	onlyFiles(t, folder, "a.npy", "done.npy")
}

// TestDiscardAllDuringWrites interrupts writers: every target is whole or not
// there at all, and no temporary file stays.
func TestDiscardAllDuringWrites(t *testing.T) {
	folder := t.TempDir()
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			path := filepath.Join(folder, string(rune('a'+w))+".npy")
			for range 20 {
				o, err := Create(path, nil)
				if err != nil {
					t.Error(err)
					return
				}
				if o.WriteMatrix(hardMatrix(100, 5), Options{}) == nil {
					_ = o.Commit()
				}
			}
		})
	}
	stop := make(chan struct{})
	go func() {
		defer close(stop)
		for range 50 {
			DiscardAll()
			runtime.Gosched()
		}
	}()
	wg.Wait()
	<-stop
	DiscardAll()
	entries := must.Get(os.ReadDir(folder))(t)
	for _, e := range entries {
		wantMatrix(t, filepath.Join(folder, e.Name()), 100, 5, hardMatrix(100, 5).RawMatrix().Data)
	}
}

func TestWriteSparse(t *testing.T) {
	a := must.Get(sparse.FromTriplets(3, 4, []sparse.Triplet{{Row: 0, Col: 3, Val: 0.1}, {Row: 2, Col: 1, Val: -2}}))(t)
	for _, name := range []string{"a.mtx", "a.npy", "a.csv"} {
		path := filepath.Join(t.TempDir(), name)
		save(t, path, a, Options{})
		wantMatrix(t, path, 3, 4, []float64{0, 0, 0, 0.1, 0, 0, 0, 0, 0, -2, 0, 0})
		b, err := ReadSparse(path, Options{})
		if err != nil || b.NNZ() != 2 || !mat.Equal(a, b) {
			t.Errorf("%s: %v, error %v", name, b, err)
		}
	}
	path := filepath.Join(t.TempDir(), "a.mtx")
	save(t, path, a, Options{})
	wantContent(t, path, "%%MatrixMarket matrix coordinate real general\n3 4 2\n1 4 0.1\n3 2 -2\n")
}

func TestIntegers(t *testing.T) {
	v := []int64{1, -2, math.MaxInt64, math.MinInt64, 1<<53 + 1, 0}
	for _, name := range []string{"y.npy", "y.npz", "y.npz:labels"} {
		path := filepath.Join(t.TempDir(), name)
		o := create(t, path)
		must.Do(t, o.WriteLabels(v))
		must.Do(t, o.Commit())
		got, err := ReadLabels(path, Options{})
		if err != nil || !slices.Equal(got, v) {
			t.Errorf("%s: %v, error %v", name, got, err)
		}
	}
	path := filepath.Join(t.TempDir(), "y.npy")
	o := create(t, path)
	must.Do(t, o.WriteLabels(v))
	must.Do(t, o.Commit())
	b, _ := os.ReadFile(path)
	if want := "{'descr': '<i8', 'fortran_order': False, 'shape': (6,), }"; !bytes.Contains(b, []byte(want)) {
		t.Errorf("the header is %q, want %q", b[:128], want)
	}
	for name, want := range map[string]string{
		"i.csv": "1,2,3\n4,5,-6\n", "i.tsv": "1\t2\t3\n4\t5\t-6\n",
		"i.mtx": "%%MatrixMarket matrix array integer general\n2 3\n1\n4\n2\n5\n3\n-6\n",
	} {
		path := filepath.Join(t.TempDir(), name)
		o := create(t, path)
		must.Do(t, o.WriteIntegers(2, 3, byRows(3, 1, 2, 3, 4, 5, -6)))
		must.Do(t, o.Commit())
		wantContent(t, path, want)
		wantMatrix(t, path, 2, 3, []float64{1, 2, 3, 4, 5, -6})
	}
}

// byRows gives rows of integers, each until the next.
func byRows(cols int, v ...int64) func(i int) []int64 {
	row := make([]int64, cols)
	return func(i int) []int64 {
		copy(row, v[i*cols:(i+1)*cols])
		return row
	}
}

var threeNames = []string{"a.csv", "b.csv", "c.csv"}

// writeThree writes three outputs to a folder as one.
func writeThree(folder string) error {
	var outputs []*Output
	for _, name := range threeNames {
		o, err := Create(filepath.Join(folder, name), nil)
		if err != nil {
			return err
		}
		defer o.Discard()
		if err := o.WriteMatrix(mat.NewDense(1, 1, []float64{3}), Options{}); err != nil {
			return err
		}
		outputs = append(outputs, o)
	}
	return CommitAll(outputs...)
}

// oldThree makes the folder as it was the day before.
func oldThree(t *testing.T, folder string) {
	t.Helper()
	for _, name := range threeNames {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte("old"), 0o666))
	}
}

// newOnes lists which of the three are new; each must be whole.
func newOnes(t *testing.T, folder string) (list []string) {
	t.Helper()
	for _, name := range threeNames {
		switch text, err := os.ReadFile(filepath.Join(folder, name)); {
		case err == nil && string(text) == "3\n":
			list = append(list, name)
		case err != nil || string(text) != "old":
			t.Errorf("%s holds %q (%v)", name, text, err)
		}
	}
	return list
}

// Nothing is renamed before all is on the disk, and the folder is brought there last.
func TestCommitAllWritesBeforeItRenames(t *testing.T) {
	folder := t.TempDir()
	oldThree(t, folder)
	system := faults.Nth(0, faults.Passing)
	restore := disk.Swap(system)
	err := writeThree(folder)
	restore()
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, call := range system.Calls() {
		what, name, _ := strings.Cut(call, " ")
		if what == "fsync" || what == "rename" {
			name, _, _ = strings.Cut(strings.TrimPrefix(name, "."), ".tmp-")
			order = append(order, what+" "+name)
		}
	}
	want := []string{"fsync a.csv", "fsync b.csv", "fsync c.csv", "rename a.csv", "rename b.csv", "rename c.csv", "fsync " + filepath.Base(folder)}
	if !slices.Equal(order, want) {
		t.Errorf("called %q, want %q", order, want)
	}
}

// Whichever call fails, the targets are all as before or all new, but between two
// renames, where the error says which are what.
func TestCommitAllWithFaults(t *testing.T) {
	folder := t.TempDir()
	var err error
	apart := 0
	calls := faults.Every(t, faults.Passing, func() {
		oldThree(t, folder)
		err = writeThree(folder)
	}, func(call string) {
		onlyFiles(t, folder, threeNames...)
		fresh := newOnes(t, folder)
		switch {
		case err == nil:
			if len(fresh) != 3 || !strings.Contains(call, "lock") && !strings.Contains(call, "readdir") {
				t.Errorf("no error, and new are %q", fresh)
			}
		case len(fresh) == 3:
			wantError(t, err, OpWrite, filepath.Join(folder, "a.csv"), "it is in its place, but a power failure may undo that")
		case len(fresh) > 0:
			apart++
			path := func(names []string) string { // all but the first, after a comma each
				var list string
				for _, name := range names[1:] {
					list += ", " + filepath.Join(folder, name)
				}
				return list
			}
			wantError(t, err, OpWrite, filepath.Join(folder, threeNames[len(fresh)]), fmt.Sprintf("already replaced: %s%s; not: this one%s. Repeat the run",
				filepath.Join(folder, fresh[0]), path(fresh), path(threeNames[len(fresh):])))
		}
	})
	if err != nil || apart != 2 || len(calls) < 20 {
		t.Errorf("%d calls, %d apart, in the end %v", len(calls), apart, err)
	}
	if fresh := newOnes(t, folder); len(fresh) != 3 {
		t.Errorf("new are %q", fresh)
	}
}

// What a process leaves that can do nothing any more is removed by the next one that
// writes the same outputs.
func TestCommitAllAfterAnEnd(t *testing.T) {
	folder := t.TempDir()
	var err error
	left := 0
	faults.Every(t, faults.Lasting, func() {
		oldThree(t, folder)
		err = writeThree(folder)
	}, func(string) {
		if entries, other := os.ReadDir(folder); other != nil || err == nil {
			t.Errorf("errors %v and %v", other, err)
		} else if len(entries) > 3 {
			left++
		}
		newOnes(t, folder)
		if err := writeThree(folder); err != nil {
			t.Error(err)
		}
		onlyFiles(t, folder, threeNames...)
		if fresh := newOnes(t, folder); len(fresh) != 3 {
			t.Errorf("new are %q", fresh)
		}
	})
	if left == 0 {
		t.Error("nothing was ever left")
	}
}

// Standard output comes after all files are on the disk and before they are renamed.
func TestCommitAllWithStandardOutput(t *testing.T) {
	path := write(t, "y.csv", []byte("old"))
	file := must.Get(Create(path, nil))(t)
	defer file.Discard()
	stdout := must.Get(Create("-", closedPipe{}))(t)
	defer stdout.Discard()
	for _, o := range []*Output{file, stdout} {
		must.Do(t, o.WriteLabels([]int64{1}))
	}
	wantError(t, CommitAll(file, stdout), OpWrite, "-", "broken pipe")
	wantContent(t, path, "old")
	onlyFiles(t, filepath.Dir(path), "y.csv")
}

type closedPipe struct{}

func (closedPipe) Write([]byte) (int, error) { return 0, syscall.EPIPE }

// A temporary file belongs to the process that has its lock.
func TestTemporaryFilesOfOthers(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "y.csv")
	dead, living, other := ".y.csv.tmp-00000001", ".y.csv.tmp-00000002", ".z.csv.tmp-00000003"
	for _, name := range []string{dead, living, other} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte("half"), 0o666))
	}
	owner := must.Get(disk.Files().OpenFile(filepath.Join(folder, living), os.O_RDWR, 0))(t)
	defer owner.Close()
	if err := owner.Lock(); err != nil {
		t.Skip("no locks here:", err)
	}
	save(t, path, mat.NewDense(1, 1, []float64{3}), Options{})
	onlyFiles(t, folder, living, other, "y.csv")
	must.Do(t, RemoveLeftovers([]string{path}))
	onlyFiles(t, folder, living, other, "y.csv")
	owner.Close()
	must.Do(t, RemoveLeftovers([]string{path}))
	onlyFiles(t, folder, other, "y.csv")
}

// An output under construction is nobody's leftover.
func TestOutputsKeepTheirTemporaryFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "y.csv")
	o := create(t, path)
	if o.file.Lock() != nil {
		t.Skip("no locks here")
	}
	must.Do(t, RemoveLeftovers([]string{path}))
	must.Do(t, errors.Join(o.WriteLabels([]int64{1}), o.Commit()))
	wantContent(t, path, "1\n")
}
