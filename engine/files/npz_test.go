package files

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// archiveEntry is a file within a zip archive under test.
type archiveEntry struct {
	name   string
	method uint16
	data   []byte
}

func zipFile(t testing.TB, entries ...archiveEntry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, e := range entries {
		f := must.Get(w.CreateHeader(&zip.FileHeader{Name: e.name, Method: e.method}))(t)
		must.Get(f.Write(e.data))(t)
	}
	must.Do(t, w.Close())
	return b.Bytes()
}

func pair(a, b float64) []byte {
	return npyArray("<f8", "False", "(2,)", encoded(binary.LittleEndian, []float64{a, b}))
}

func TestNPZ(t *testing.T) {
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		one := write(t, "one.npz", zipFile(t, archiveEntry{"README", method, []byte("hi")}, archiveEntry{"X.npy", method, pair(1, 2)}))
		wantMatrix(t, one, 2, 1, []float64{1, 2})
		wantMatrix(t, one+":X", 2, 1, []float64{1, 2})
		two := write(t, "two.npz", zipFile(t, archiveEntry{"X.npy", method, pair(1, 2)}, archiveEntry{"y.npy", method, pair(3, 4)}))
		wantMatrix(t, two+":y", 2, 1, []float64{3, 4})
		labels, err := ReadLabels(two+":X", Options{})
		if err != nil || len(labels) != 2 || labels[1] != 2 {
			t.Errorf("labels %v, error %v", labels, err)
		}
	}
	// Data that unfolds further than is taken on trust.
	zeros := npyArray("|u1", "True", "(3000, 700)", make([]byte, 3000*700))
	wantMatrix(t, write(t, "z.npz", zipFile(t, archiveEntry{"z.npy", zip.Deflate, zeros})), 3000, 700, make([]float64, 3000*700))
}

func TestNPZFaults(t *testing.T) {
	good := zipFile(t, archiveEntry{"X.npy", zip.Store, pair(1, 2)})
	bad := bytes.Clone(good)
	bad[len("PK..")+26+len("X.npy")+len(pair(1, 2))-1] ^= 1 // the last byte of data
	secret := bytes.Clone(good)
	secret[bytes.Index(secret, []byte("PK\x01\x02"))+8] |= 1
	odd := bytes.Clone(good)
	odd[bytes.Index(odd, []byte("PK\x01\x02"))+10] = 99
	// A directory that claims far more data than the archive has bytes.
	liar := bytes.Clone(good)
	binary.LittleEndian.PutUint32(liar[bytes.Index(liar, []byte("PK\x01\x02"))+24:], 1<<31)
	npy := func(name string) archiveEntry { return archiveEntry{name, zip.Store, pair(1, 2)} }
	for _, c := range []struct {
		name  string
		file  []byte
		array string
		want  string
	}{
		{"empty", nil, "", "the file is empty"},
		{"text", []byte("not an archive at all"), "", "not an .npz (zip) archive"},
		{"npy", pair(1, 2), "", "name it .npy"},
		{"truncated", good[:len(good)-30], "", "not an .npz (zip) archive, or a truncated one"},
		{"no array", zipFile(t, archiveEntry{"a.txt", zip.Store, []byte("x")}), "", "the archive holds no array"},
		{"nothing", zipFile(t), "", "the archive holds no array"},
		{"which", zipFile(t, npy("X.npy"), npy("y.npy")), "", "the archive holds 2 arrays (X, y): name one, as in file.npz:X"},
		{"wrong name", zipFile(t, npy("X.npy"), npy("y.npy")), ":z", `the archive has no array "z"; it has X, y`},
		{"wrong name of one", good, ":z", `the archive has no array "z"; it has X`},
		{"SciPy", zipFile(t, npy("indices.npy"), npy("indptr.npy"), npy("data.npy"), npy("shape.npy")), "", "scipy.sparse.save_npz"},
		{"bad entry", zipFile(t, archiveEntry{"X.npy", zip.Deflate, []byte("junk")}), "", `array "X": not an .npy file`},
		{"empty entry", zipFile(t, archiveEntry{"X.npy", zip.Deflate, nil}), "", `array "X": the file is empty`},
		{"short entry", zipFile(t, archiveEntry{"X.npy", zip.Deflate, pair(1, 2)[:len(pair(1, 2))-3]}), "", "ends after 13 of 16 data bytes"},
		{"long entry", zipFile(t, archiveEntry{"X.npy", zip.Deflate, append(pair(1, 2), 0)}), "", "holds several arrays"},
		{"bomb", zipFile(t, archiveEntry{"X.npy", zip.Deflate, npyArray("<f8", "False", "(1000000000000,)", make([]byte, 1<<20))}), "", "declares 7.276 TiB of data, and what is compressed there unfolds to 1 MiB at most"},
		{"checksum", bad, "", "checksum is wrong"},
		{"encrypted", secret, "", "it is encrypted"},
		{"method", odd, "", "compression (method 99) is not supported"},
		{"lying directory", liar, "", `array "X": `},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, "x.npz", c.file) + c.array
			_, err := ReadMatrix(path, Options{})
			wantError(t, err, OpRead, path, c.want)
			_, err = ReadLabels(path, Options{})
			wantError(t, err, OpRead, path, c.want)
		})
	}
	folder := filepath.Join(t.TempDir(), "d.npz")
	must.Do(t, os.Mkdir(folder, 0o777))
	_, err := ReadMatrix(folder, Options{})
	wantError(t, err, OpRead, folder, "must be a regular file")
}

func TestNPZEveryDamage(t *testing.T) {
	good := zipFile(t, archiveEntry{"X.npy", zip.Deflate, pair(1, 2)})
	read := func(b []byte) ([]float64, error) {
		return fromZip(bytes.NewReader(b), int64(len(b)), "", func(s source) ([]float64, error) {
			m, err := readNPYMatrix(s, budget{})
			if err != nil {
				return nil, err
			}
			return m.RawMatrix().Data, nil
		})
	}
	for n := range good {
		if _, err := read(good[:n]); err == nil {
			t.Errorf("no error with %d of %d bytes", n, len(good))
		}
		// A changed byte may not matter, but it must never change the numbers.
		bad := bytes.Clone(good)
		bad[n] ^= 0x55
		if v, err := read(bad); err == nil {
			sameBits(t, v, []float64{1, 2})
		}
	}
}

func TestNPZBytesAreReproducible(t *testing.T) {
	var files [2][]byte
	for i := range files {
		path := filepath.Join(t.TempDir(), "x.npz:scores")
		save(t, path, hardMatrix(5, 4), Options{})
		b := must.Get(os.ReadFile(path[:len(path)-len(":scores")]))(t)
		files[i] = b
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Error("the same array gave different bytes")
	}
	r := must.Get(zip.NewReader(bytes.NewReader(files[0]), int64(len(files[0]))))(t)
	if len(r.File) != 1 || r.File[0].Name != "scores.npy" {
		t.Errorf("entries %v", r.File)
	}
}
