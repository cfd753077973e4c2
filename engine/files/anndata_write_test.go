package files

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
)

// putCoordinates writes a copy of an .h5ad file with coordinates in obsm.
func putCoordinates(path, source string, y mat.Matrix, o Options) error {
	out, err := CreateCopy(path, Addition{Source: source, Transpose: o.Transpose, Entry: "obsm/X_umap"})
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := out.WriteMatrix(y, o); err != nil {
		return err
	}
	return out.Commit()
}

// putClasses writes a copy of an .h5ad file with a column of classes in obs.
func putClasses(path, source string, classes []int64) error {
	out, err := CreateCopy(path, Addition{Source: source, Entry: "obs/kmeans"})
	if err != nil {
		return err
	}
	defer out.Discard()
	if err := out.WriteLabels(classes); err != nil {
		return err
	}
	return out.Commit()
}

// Copies have what was there, and what was added.
func TestCopyOfH5AD(t *testing.T) {
	folder := hdf5Files(t)
	in := func(name string) string { return filepath.Join(folder, name) }
	y := mat.NewDense(4, 2, []float64{1, 2, 3, 4, 5, 6, 7, 8.5})
	for _, name := range []string{"new.h5ad", "old.h5ad"} {
		before := must.Get(os.ReadFile(in(name)))(t)
		must.Do(t, putCoordinates(in("y.h5ad"), in(name), y, Options{}))
		wantMatrix(t, in("y.h5ad:obsm/X_umap"), 4, 2, y.RawMatrix().Data)
		wantMatrix(t, in("y.h5ad"), 4, 3, cells.RawMatrix().Data)
		must.Do(t, putCoordinates(in("z.h5ad:second"), in("y.h5ad:obsm/X_umap"), y, Options{Float32: true}))
		if _, _, _, is, err := ReadSingle(in("z.h5ad:obsm/second"), Options{}); !is || err != nil {
			t.Errorf("not float32, error %v", err)
		}
		wantMatrix(t, in("z.h5ad:obsm/X_umap"), 4, 2, y.RawMatrix().Data)
		if after := must.Get(os.ReadFile(in(name)))(t); !bytes.Equal(before, after) {
			t.Errorf("%s has changed", name)
		}
	}
	for _, want := range [][]int64{{1, 0, 1, 2}, {7, 300, -2, 7}} {
		must.Do(t, putClasses(in("c.h5ad:obs/found"), in("new.h5ad:layers/dense"), want))
		classes, _, err := ReadTexts(in("c.h5ad:found"), Options{})
		var texts []string
		for _, class := range want {
			texts = append(texts, strings.TrimPrefix(fmt.Sprint(class), "-2"))
		}
		if err != nil || !slices.Equal(classes, texts) {
			t.Errorf("%q, error %v", classes, err)
		}
		if _, names, err := ReadClasses(in("c.h5ad:cell_type"), Options{}); err != nil || len(names) != 3 {
			t.Errorf("%q, error %v", names, err)
		}
	}
}

// More classes take wider codes.
func TestManyClassesInH5AD(t *testing.T) {
	folder := hdf5Files(t)
	for count, size := range map[int]int{127: 1, 128: 2, 1 << 15: 4} {
		a := addition{source: location{file: filepath.Join(folder, "new.h5ad")}, table: "obs", name: "x", rows: count}
		a.stat = must.Get(os.Stat(a.source.file))(t)
		out := must.Get(CreateRaw(filepath.Join(folder, "many.h5ad"), nil))(t)
		v := integers{count, 1, nil, func(i int) []int64 { return []int64{int64(i)} }}
		must.Do(t, writeClasses(out.buffer, location{added: &a}, v))
		out.filled = true
		must.Do(t, out.Commit())
		loc := must.Get(locate(filepath.Join(folder, "many.h5ad")))(t)
		f := must.Get(openHDF5(loc))(t)
		codes := must.Get(must.Get(f.root.Lookup("obs/x/codes"))(t).Dataset())(t)
		if codes.Type.Size != size || !codes.Type.Signed || codes.Shape[0] != uint64(count) {
			t.Errorf("%d classes: %+v", count, codes.Type)
		}
		f.Close()
	}
}

func TestCopiesThatCannotBe(t *testing.T) {
	folder := hdf5Files(t)
	y := mat.NewDense(4, 2, make([]float64, 8))
	in := func(name string) string { return filepath.Join(folder, name) }
	must.Do(t, putCoordinates(in("has.h5ad"), in("new.h5ad"), y, Options{}))
	write(t, "x.csv", []byte("1,2\n"))
	for _, c := range []struct {
		path, source, want string
		o                  Options
	}{
		{"y.h5", "new.h5ad", "only .h5ad is written", Options{}},
		{"y.h5ad", "", "there is none", Options{}},
		{"y.h5ad", "x.csv", "x.csv is not one: write .npy or .csv", Options{}},
		{"y.h5ad", "plain.h5:group/x", "lacks the tables obs and var", Options{}},
		{"y.h5ad", "missing.h5ad", must.NoFile(), Options{}},
		{"y.h5ad", "new.h5ad", "not the samples here", Options{Transpose: true}},
		{"y.h5ad", "has.h5ad", "X_umap already: give the new one another name, as in b.h5ad:X_umap_2", Options{}},
		{"y.h5ad:a/b", "new.h5ad", "leave out slashes", Options{}},
		{"y.h5ad:..", "new.h5ad", "not a name", Options{}},
	} {
		source := c.source
		if source != "" {
			source = in(source)
		}
		if err := putCoordinates(in(c.path), source, y, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %s: error %v", c.path, c.source, err)
		}
	}
	if err := putCoordinates(in("y.h5ad"), in("new.h5ad"), y.Slice(0, 3, 0, 2), Options{}); err == nil || !strings.Contains(err.Error(), "3 rows in place of the 4 rows of obs") {
		t.Errorf("error %v", err)
	}
	if err := putClasses(in("y.h5ad"), in("old.h5ad"), []int64{1, 2, 3, 4}); err == nil || !strings.Contains(err.Error(), "anndata.read_h5ad(") {
		t.Errorf("error %v", err)
	}
	out := must.Get(CreateCopy(in("y.h5ad"), Addition{Source: in("has.h5ad"), Entry: "obsm/X"}))(t)
	must.Do(t, os.WriteFile(in("has.h5ad"), nil, 0o666))
	if err := out.WriteMatrix(y, Options{}); err == nil || !strings.Contains(err.Error(), "has changed since it was read") {
		t.Errorf("error %v", err)
	}
	if _, err := os.Stat(in("y.h5ad")); !os.IsNotExist(err) {
		t.Errorf("a file was left: %v", err)
	}
}

// Copies of files that anndata and h5py write in all their ways are read by them, with all that was there.
func TestCopiesByAnnData(t *testing.T) {
	folder := t.TempDir()
	script := must.Get(filepath.Abs("testdata/hdf5/copies.py"))(t)
	run := func(what string) {
		t.Helper()
		if _, err := os.Stat("/usr/bin/python3"); err != nil || runtime.GOOS == "windows" {
			t.Skip("there is no Python here")
		}
		python := exec.Command("/usr/bin/python3", script, what, folder)
		python.Dir = folder
		if out, err := python.CombinedOutput(); err != nil {
			if strings.Contains(string(out), "No module named") || os.IsNotExist(err) {
				t.Skip("anndata is not there")
			}
			t.Fatalf("%v: %s", err, out)
		} else if what == "check" && strings.Count(string(out), "equal:") < 30 {
			t.Fatalf("%s", out)
		}
	}
	run("make")
	for _, path := range must.Get(filepath.Glob(folder + "/*.h5ad"))(t) {
		name := strings.TrimSuffix(path, ".h5ad")
		y := mat.NewDense(5, 2, nil)
		for i := range 10 {
			y.Set(i/2, i%2, float64(i)/4)
		}
		err := putCoordinates(name+"-y.h5ad", path, y, Options{})
		if strings.Contains(name, "paged") {
			if err == nil || !strings.Contains(err.Error(), "h5repack -S") {
				t.Errorf("%s: error %v", path, err)
			}
			continue
		}
		if err == nil {
			err = putClasses(name+"-c.h5ad", name+"-y.h5ad", []int64{0, 1, 0, 2, 1})
		}
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	run("check")
}

// Copies of damaged files are refused, or have what the file has.
func TestCopiesOfDamagedFiles(t *testing.T) {
	folder := hdf5Files(t)
	draw := rand.New(rand.NewPCG(5, 6))
	for _, path := range []string{"new.h5ad", "old.h5ad"} {
		whole := must.Get(os.ReadFile(filepath.Join(folder, path)))(t)
		for range 200 {
			b := bytes.Clone(whole)
			for range 1 + draw.IntN(3) {
				b[draw.IntN(len(b))] ^= byte(1 << draw.IntN(8))
			}
			copyDamaged(t, folder, b)
		}
	}
}

func copyDamaged(t *testing.T, folder string, b []byte) {
	bent, to := fuzzed(t, folder, ".h5ad", b), filepath.Join(folder, "to.h5ad")
	y := mat.NewDense(4, 2, []float64{1, 2, 3, 4, 5, 6, 7, 8.5})
	err := putCoordinates(to, bent, y, Options{})
	if err == nil {
		wantMatrix(t, to+":obsm/X_umap", 4, 2, y.RawMatrix().Data)
	}
	oneLineError(t, ".h5ad", err)
	if err = putClasses(to, bent, []int64{0, 1, 2, 0}); err == nil {
		_, _, err = ReadClasses(to+":obs/kmeans", Options{})
	}
	oneLineError(t, ".h5ad", err)
}

func FuzzCopyOfH5AD(f *testing.F) {
	folder := hdf5Files(f)
	for _, name := range []string{"new.h5ad", "old.h5ad"} {
		f.Add(must.Get(os.ReadFile(filepath.Join(folder, name)))(f))
	}
	f.Fuzz(func(t *testing.T, b []byte) { copyDamaged(t, folder, b) })
}
