package files

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/faults"
)

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
		if err := os.WriteFile(filepath.Join(folder, name), []byte("old"), 0o666); err != nil {
			t.Fatal(err)
		}
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
			wantError(t, err, OpWrite, filepath.Join(folder, threeNames[len(fresh)]), fmt.Sprintf("already replaced: %s%s; not: this one%s; repeat the run",
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
	file, err := Create(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Discard()
	stdout, err := Create("-", closedPipe{})
	if err != nil {
		t.Fatal(err)
	}
	defer stdout.Discard()
	for _, o := range []*Output{file, stdout} {
		if err := o.WriteLabels([]int64{1}); err != nil {
			t.Fatal(err)
		}
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
		if err := os.WriteFile(filepath.Join(folder, name), []byte("half"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	owner, err := disk.Files().OpenFile(filepath.Join(folder, living), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close()
	if err := owner.Lock(); err != nil {
		t.Skip("no locks here:", err)
	}
	save(t, path, mat.NewDense(1, 1, []float64{3}), Options{})
	onlyFiles(t, folder, living, other, "y.csv")
	if err := RemoveLeftovers([]string{path}); err != nil {
		t.Fatal(err)
	}
	onlyFiles(t, folder, living, other, "y.csv")
	owner.Close()
	if err := RemoveLeftovers([]string{path}); err != nil {
		t.Fatal(err)
	}
	onlyFiles(t, folder, other, "y.csv")
}

// An output under construction is nobody's leftover.
func TestOutputsKeepTheirTemporaryFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "y.csv")
	o := create(t, path)
	if o.file.Lock() != nil {
		t.Skip("no locks here")
	}
	if err := RemoveLeftovers([]string{path}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(o.WriteLabels([]int64{1}), o.Commit()); err != nil {
		t.Fatal(err)
	}
	wantContent(t, path, "1\n")
}
