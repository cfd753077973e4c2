package hdf5

import (
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
)

// open opens a file until the end of the test.
func open(t testing.TB, path string) *File {
	t.Helper()
	r := must.Get(os.Open(path))(t)
	t.Cleanup(func() { r.Close() })
	info := must.Get(r.Stat())(t)
	return must.Get(Open(r, info.Size()))(t)
}

// numbersOf are the elements of an array as float64.
func numbersOf(t testing.TB, d *Dataset) []float64 {
	t.Helper()
	raw := must.Get(d.All())(t)
	var all []float64
	for ; len(raw) >= d.Type.Size; raw = raw[d.Type.Size:] {
		all = append(all, numberOf(d.Type, raw))
	}
	return all
}

func numberOf(t Type, raw []byte) float64 {
	order := t.order()
	var v uint64
	switch t.Size {
	case 1:
		v = uint64(raw[0])
	case 2:
		v = uint64(order.Uint16(raw))
	case 4:
		v = uint64(order.Uint32(raw))
	case 8:
		v = order.Uint64(raw)
	}
	switch {
	case t.Class == Float && t.Size == 2:
		return neighbors.Float16(v).Float64()
	case t.Class == Float && t.Size == 4:
		return float64(math.Float32frombits(uint32(v)))
	case t.Class == Float:
		return math.Float64frombits(v)
	case t.Signed:
		shift := 64 - 8*t.Size
		return float64(int64(v<<shift) >> shift)
	}
	return float64(v)
}

// compare compares every array of a file with the values that h5py read from it.
func compare(t *testing.T, path string) {
	f := open(t, path)
	values := must.Get(os.ReadFile(path + ".values"))(t)
	lines := strings.Fields(string(must.Get(os.ReadFile(path + ".list"))(t)))
	if len(lines) < 3 {
		t.Fatal("no arrays")
	}
	for i := 0; i < len(lines); {
		name, shape := lines[i], ""
		i++
		if strings.Contains(lines[i], ",") || i+1 < len(lines) && isNumber(lines[i+1]) {
			shape = lines[i]
			i++
		}
		offset := must.Get(strconv.Atoi(lines[i]))(t)
		i++
		o, err := f.Lookup(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		d, err := o.Dataset()
		if name == "scaleoffset" {
			continue // its filter is not read
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := strings.ReplaceAll(shapeText(d.Shape), " × ", ","); got != shape {
			t.Errorf("%s: shape %s instead of %s", name, got, shape)
		}
		for k, got := range numbersOf(t, d) {
			if want := math.Float64frombits(binary.LittleEndian.Uint64(values[offset+8*k:])); got != want {
				t.Errorf("%s (%s): element %d is %v instead of %v", name, d.Filters(), k, got, want)
				break
			}
		}
	}
}

func isNumber(text string) bool {
	_, err := strconv.Atoi(text)
	return err == nil
}

// Files of h5py have the values that h5py reads from them, in every layout, index, filter, type and version.
func TestSmallFiles(t *testing.T) {
	paths := must.Get(filepath.Glob("testdata/*.h5"))(t)
	if len(paths) < 5 {
		t.Fatal("files are missing")
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) { compare(t, path) })
	}
}

// Larger files are made where h5py is.
func TestAgainstH5py(t *testing.T) {
	folder := t.TempDir()
	if out, err := exec.Command("/usr/bin/python3", "testdata/arrays.py", folder).CombinedOutput(); err != nil {
		if strings.Contains(string(out), "No module named") || os.IsNotExist(err) {
			t.Skip("h5py is not there")
		}
		t.Fatalf("%v: %s", err, out)
	}
	for _, path := range must.Get(filepath.Glob(folder + "/*.h5"))(t) {
		t.Run(filepath.Base(path), func(t *testing.T) { compare(t, path) })
	}
}

func TestTextsAndAttributes(t *testing.T) {
	for _, version := range []string{"earliest", "latest"} {
		f := open(t, "testdata/types-"+version+".h5")
		for name, want := range map[string]string{"texts": "täxt 0 täxt 1 täxt 2 täxt 3 täxt 4", "fixed": "abc0 abc1 abc2 abc3 abc4"} {
			o := must.Get(f.Lookup(name))(t)
			d := must.Get(o.Dataset())(t)
			if got := strings.Join(must.Get(d.Texts())(t), " "); got != want {
				t.Errorf("%s: %q", name, got)
			}
		}
		wide := must.Get(f.Lookup("wide"))(t)
		if names := must.Get(wide.Members())(t); len(names) != 20 || !slices.Contains(names, "name017") {
			t.Errorf("%q", names)
		}
		for i := range 12 {
			a := must.Get(wide.Attribute("attribute" + strconv.Itoa(i)))(t)
			if a.Text() != "value "+strconv.Itoa(i) {
				t.Errorf("attribute %d is %q", i, a.Text())
			}
		}
		if a := must.Get(wide.Attribute("none"))(t); a.Text() != "" {
			t.Errorf("%v", a)
		}
		chunked := open(t, "testdata/chunks-"+version+".h5")
		o := must.Get(chunked.Lookup("texts"))(t)
		if texts := must.Get(must.Get(o.Dataset())(t).Texts())(t); len(texts) != 50 || texts[49] != "cell 49" {
			t.Errorf("%q", texts)
		}
	}
}

// What is not read is refused, with the reason.
func TestRefusals(t *testing.T) {
	for name, want := range map[string]string{
		"nowhere": "no such object", "loop": "circles", "gone": "no such object", "other": "another file", "cube": "3 dimensions", "a/b": "is a group", "a/b/c/d/e": "is no group",
	} {
		f := open(t, "testdata/types-earliest.h5")
		o, err := f.Lookup(name)
		if err == nil {
			var d *Dataset
			if d, err = o.Dataset(); err == nil {
				_, err = d.Reader()
			}
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	f := open(t, "testdata/chunks-latest.h5")
	o := must.Get(f.Lookup("scaleoffset"))(t)
	if _, err := o.Dataset(); err == nil || !strings.Contains(err.Error(), "h5repack") {
		t.Errorf("error %v", err)
	}
}

// A filter that is not read is named, with a remedy that works.
func TestFiltersThatAreNotRead(t *testing.T) {
	for id, want := range map[int]string{4: "szip", 6: "scaleoffset", 32001: "blosc", 32026: "blosc2", 40000: "number 40000"} {
		b := []byte{2, 1, byte(id), byte(id >> 8), 0, 0, 0, 0, 0, 0}
		_, err := readFilters(&cursor{b: b})
		if err == nil || !strings.Contains(err.Error(), "its filter "+want+" is not read here") || strings.Contains(err.Error(), "HDF5_PLUGIN_PATH") != (id >= 256) {
			t.Errorf("%d: error %v", id, err)
		}
	}
	folder := t.TempDir()
	packed, plain := filepath.Join(folder, "szip.h5"), filepath.Join(folder, "gzip.h5")
	for _, args := range [][]string{{"-f", "SZIP=8,NN", "-l", "x:CHUNK=4x3", "testdata/user.h5", packed}, {"-f", "GZIP=4", packed, plain}} {
		if out, err := exec.Command("h5repack", args...).CombinedOutput(); err != nil {
			t.Skipf("h5repack cannot write szip here: %v, %s", err, out)
		}
	}
	want := numbersOf(t, must.Get(must.Get(open(t, "testdata/user.h5").Lookup("x"))(t).Dataset())(t))
	o := must.Get(open(t, packed).Lookup("x"))(t)
	if _, err := o.Dataset(); err == nil || !strings.Contains(err.Error(), "szip") {
		t.Errorf("error %v", err)
	}
	d := must.Get(must.Get(open(t, plain).Lookup("x"))(t).Dataset())(t)
	if got := numbersOf(t, d); !slices.Equal(got, want) || d.Filters() != "gzip" {
		t.Errorf("%s: %v", d.Filters(), got)
	}
}

// A reader gives the same bytes in pieces of any size, and from any row.
func TestReaderInPieces(t *testing.T) {
	f := open(t, "testdata/chunks-earliest.h5")
	o := must.Get(f.Lookup("all_f4_both_4"))(t)
	d := must.Get(o.Dataset())(t)
	all := must.Get(d.All())(t)
	for _, size := range []int{1, 7, 20, 60, 100, 1000} {
		r := must.Get(d.Reader())(t)
		r.step = 4
		for _, row := range []int{0, 3, 4, 8} {
			r.Seek(row)
			var got []byte
			p := make([]byte, size)
			for {
				n, err := r.Read(p)
				if got = append(got, p[:n]...); err != nil {
					break
				}
			}
			if !slices.Equal(got, all[row*r.rowBytes:]) {
				t.Errorf("pieces of %d bytes from row %d differ", size, row)
			}
		}
	}
}
