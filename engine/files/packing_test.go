package files

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
)

func packedBytes(t testing.TB, p packing, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := p.pack(&b)
	if err == nil {
		_, err = w.Write(content)
	}
	must.Do(t, errors.Join(err, w.Close()))
	return b.Bytes()
}

var packings = map[packing]string{gzipped: ".gz", zstandard: ".zst"}

// Every reader sees the content of a compressed file, and standard input shows its
// packing by its first bytes.
func TestPackedInputs(t *testing.T) {
	m := randomMatrix(200, 3)
	npy := must.Get(os.ReadFile(written(t, m, "x.npy", Options{})))(t)
	for p, ext := range packings {
		packed := packedBytes(t, p, npy)
		for name, stdin := range map[string]io.Reader{"pipe": bytes.NewReader(packed), "redirected": opened(t, write(t, "x.npy", packed))} {
			back, err := ReadMatrix("-", Options{Stdin: stdin})
			if err != nil || !mat.Equal(back, m) {
				t.Errorf("%s %s: error %v", name, p, err)
			}
		}
		r := must.Get(OpenRows("-", Options{Stdin: bytes.NewReader(packed)}))(t)
		data := must.Get(inBlocks(r, 17))(t)
		sameBits(t, data, m.RawMatrix().Data)
		if err := r.Close(); err != nil {
			t.Error(err)
		}
		labels, err := ReadLabels(write(t, "y.csv"+ext, packedBytes(t, p, []byte("3\n-1\n"))), Options{})
		if err != nil || len(labels) != 2 || labels[1] != -1 {
			t.Errorf("labels %v, error %v", labels, err)
		}
		a, err := ReadSparse(write(t, "x.mtx"+ext, packedBytes(t, p, []byte("%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 5\n"))), Options{})
		if err != nil || a.NNZ() != 1 || a.At(1, 0) != 5 {
			t.Errorf("%v, error %v", a, err)
		}
		two := bytes.Join([][]byte{packedBytes(t, p, []byte("1,2\n")), packedBytes(t, p, []byte("3,4\n"))}, nil)
		wantMatrix(t, write(t, "x.csv"+ext, two), 2, 2, []float64{1, 2, 3, 4})
	}
}

func opened(t *testing.T, path string) *os.File {
	t.Helper()
	f := must.Get(os.Open(path))(t)
	t.Cleanup(func() { f.Close() })
	return f
}

func TestPackedFaults(t *testing.T) {
	csv := []byte(strings.Repeat("1,2,3\n", 5000))
	for p, ext := range packings {
		good := packedBytes(t, p, csv)
		flipped := bytes.Clone(good)
		flipped[len(flipped)-6] ^= 1 // of the checksum
		for _, c := range []struct {
			name string
			file []byte
			want string
		}{
			{"truncated", good[:len(good)-1], "the " + p.String() + " data end early (truncated?)"},
			{"half", good[:len(good)/2], "the " + p.String() + " data end early (truncated?)"},
			{"not packed", csv, "these are not " + p.String() + " data"},
			{"empty", nil, "the file is empty"},
			{"packed nothing", packedBytes(t, p, nil), "the file is empty"},
			{"trailing", append(bytes.Clone(good), "some more text"...), "these are not " + p.String() + " data, or something else follows them"},
			{"damaged", flipped, p.String() + " data"},
			{"a fault inside", packedBytes(t, p, []byte("1,2\n3,x\n")), `line 2, column 2: "x" is not a number`},
		} {
			path := write(t, "x.csv"+ext, c.file)
			_, err := ReadMatrix(path, Options{})
			wantError(t, err, OpRead, path, c.want)
			if r, err := OpenRows(path, Options{}); err == nil {
				_, err = inBlocks(r, 100)
				wantError(t, err, OpRead, path, c.want)
				r.Close()
			}
		}
		path := write(t, "x.csv", good)
		_, err := ReadMatrix(path, Options{})
		wantError(t, err, OpRead, path, "the file is compressed by "+p.String()+": add "+ext+" to its name")
		path = write(t, "x.npy"+ext, good)
		_, err = ReadMatrix(path, Options{})
		wantError(t, err, OpRead, path, "not an .npy file")
	}
}

// No truncation of any packed format may pass for a shorter file.
func TestPackedEveryTruncation(t *testing.T) {
	m := randomMatrix(30, 2)
	for _, name := range []string{"x.csv.gz", "x.csv.zst", "x.npy.gz", "x.npy.zst", "x.mtx.gz", "x.mat.zst"} {
		whole := must.Get(os.ReadFile(written(t, m, name, Options{})))(t)
		path := filepath.Join(t.TempDir(), name)
		for n := range whole {
			must.Do(t, os.WriteFile(path, whole[:n], 0o666))
			if _, err := ReadMatrix(path, Options{}); err == nil {
				t.Errorf("%s: no error with %d of %d bytes", name, n, len(whole))
			}
		}
	}
}

// A small file that unfolds to a large one stays within the limit.
func TestPackedBombs(t *testing.T) {
	const limit = 1 << 20
	size := 16 << 20
	if testing.Short() {
		size = 8 << 20
	}
	zeros := func(w io.Writer, before, unit string) error {
		if _, err := io.WriteString(w, before); err != nil {
			return err
		}
		chunk := strings.Repeat(unit, (1<<20)/len(unit))
		for range size / len(chunk) {
			if _, err := io.WriteString(w, chunk); err != nil {
				return err
			}
		}
		return nil
	}
	var head bytes.Buffer
	_ = writeNPYHeader(&head, "|u1", []int{size, 1})
	for _, c := range []struct{ name, before, unit, want string }{
		{"x.npy", head.String(), "\x00", "memory limit"},
		{"x.csv", "", "0\n", "memory limit"},
		{"x.csv", "", "0", "line 1 is longer than 256 KiB, more than a fourth of what there is room for, and the memory limit is 1 MiB: raise it"},
		{"x.csv", "", "\n", "is empty"},
		{"x.mtx", "%%MatrixMarket matrix array integer general\n" + fmt.Sprint(size/2) + " 1\n", "0\n", "memory limit"},
		{"x.mtx", "%%MatrixMarket matrix coordinate integer general\n1 1 " + fmt.Sprint(size/6) + "\n", "1 1 0\n", "memory limit"},
		{"x.mtx", "", "0", "memory limit"},
	} {
		for p, ext := range packings {
			path := filepath.Join(t.TempDir(), c.name+ext)
			f := must.Get(os.Create(path))(t)
			w, err := p.pack(f)
			if err == nil {
				err = zeros(w, c.before, c.unit)
			}
			must.Do(t, errors.Join(err, w.Close(), f.Close()))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err = ReadMatrix(path, Options{MaxBytes: limit})
			runtime.ReadMemStats(&after)
			if c.unit == "\n" && err == nil {
				t.Errorf("%s: no error", path)
			} else if c.unit != "\n" {
				wantError(t, err, OpRead, path, c.want)
			}
			// Buffers, and a decoder's window of up to 8 MiB that is kept twice.
			if took := after.TotalAlloc - before.TotalAlloc; took > 40<<20 {
				t.Errorf("%s: %d MiB allocated", path, took>>20)
			}
		}
	}
}

// The bytes are those that the tools of the formats read, and theirs are read.
func TestPackedByTools(t *testing.T) {
	m := randomMatrix(50, 3)
	for ext, tool := range map[string]string{".gz": "gzip", ".zst": "zstd"} {
		program, err := exec.LookPath(tool)
		if err != nil {
			t.Logf("left out: %s is not installed", tool)
			continue
		}
		plain, _ := os.ReadFile(written(t, m, "x.csv", Options{}))
		got, err := exec.Command(program, "-dc", written(t, m, "x.csv"+ext, Options{})).Output()
		if err != nil || !bytes.Equal(got, plain) {
			t.Errorf("%s reads %d bytes, error %v", tool, len(got), err)
		}
		theirs := must.Get(exec.Command(program, "-c", write(t, "x.csv", plain)).Output())(t)
		wantMatrix(t, write(t, "x.csv"+ext, theirs), 50, 3, m.RawMatrix().Data)
	}
}

// A header that claims more than a compressed file can hold is refused before anything of the file is unfolded: by
// the sizes that frames and blocks of zstd declare, by the ratio of deflate, and by the length of an archive's entry.
func TestClaimsBeyondWhatIsPacked(t *testing.T) {
	claims := func(rows int) []byte {
		var b bytes.Buffer
		must.Do(t, writeNPYHeader(&b, "<f8", []int{rows, 10}))
		return b.Bytes()
	}
	zeros := make([]byte, 3<<20)
	stored := func(content []byte) []byte { // a frame without the size of its content
		var b bytes.Buffer
		w, err := zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
		if err == nil {
			for i := 0; i < len(content) && err == nil; i += 1 << 20 {
				if _, err = w.Write(content[i:min(i+1<<20, len(content))]); err == nil {
					err = w.Flush()
				}
			}
		}
		must.Do(t, errors.Join(err, w.Close()))
		return b.Bytes()
	}
	whole := append(claims(1<<20), zeros...) // 80 MiB declared, 3 there
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	w, err := z.Create("x.npy")
	if err == nil {
		_, err = w.Write(whole)
	}
	must.Do(t, errors.Join(err, z.Close()))
	for name, content := range map[string][]byte{
		"frames.npy.zst": packedBytes(t, zstandard, whole), "blocks.npy.zst": stored(whole), "two.npy.zst": append(packedBytes(t, zstandard, whole[:100]), stored(whole[100:])...),
		"x.npy.gz": packedBytes(t, gzipped, append(claims(1<<40), zeros...)), "x.npz": archive.Bytes(),
	} {
		path := write(t, name, content)
		for how, open := range map[string]func() error{
			"rows":   func() error { _, err := OpenRows(path, Options{}); return err },
			"blocks": func() error { _, err := OpenBlocks(path, Options{}); return err },
			"whole":  func() error { _, err := ReadMatrix(path, Options{}); return err },
		} {
			if err := open(); err == nil || !strings.Contains(err.Error(), "unfolds to") {
				t.Errorf("%s, %s: %v", name, how, err)
			}
		}
	}
	// What is there is read, however it was written.
	right := append(claims(len(zeros)/80), zeros[:len(zeros)/80*80]...)
	for name, content := range map[string][]byte{
		"x.npy.zst": packedBytes(t, zstandard, right), "y.npy.zst": stored(right), "z.npy.zst": append(stored(right[:5000]), packedBytes(t, zstandard, right[5000:])...),
		"skipped.npy.zst": append([]byte{0x50, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3}, packedBytes(t, zstandard, right)...), "x.npy.gz": packedBytes(t, gzipped, right),
	} {
		path := write(t, name, content)
		r, err := OpenRows(path, Options{})
		if err == nil {
			_, err = inBlocks(r, 997)
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if m, err := ReadMatrix(path, Options{}); err != nil || m.RawMatrix().Rows != len(zeros)/80 {
			t.Errorf("%s: %v", name, err)
		}
	}
}
