package tabletest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/files"
)

// Damage expects an error of every truncation of a file, and nothing worse of
// changed bytes. It writes to the path.
func Damage(t *testing.T, path string, good []byte) {
	t.Helper()
	for n := range good {
		Put(t, path, good[:n])
		if _, err := files.ReadMatrix(path, files.Options{}); err == nil {
			t.Errorf("no error with %d of %d bytes", n, len(good))
		}
		bad := bytes.Clone(good)
		bad[n] ^= 0x55
		Put(t, path, bad)
		_, _ = files.ReadMatrix(path, files.Options{MaxBytes: 1 << 20, AllowNonFinite: true})
	}
}

// ReadDamaged reads what is left of a file: a matrix comes of it, or an error of one line, and no
// more memory than the limit is taken for it in all.
func ReadDamaged(t testing.TB, path string, content []byte) {
	t.Helper()
	Put(t, path, content)
	before := allocated()
	m, err := files.ReadMatrix(path, files.Options{MaxBytes: damagedBytes, AllowNonFinite: true})
	if took := allocated() - before; took > damagedBytes {
		t.Errorf("%d bytes of a file took %d MiB (error %v)", len(content), took>>20, err)
	}
	if err == nil {
		if rows, cols := m.Dims(); rows == 0 || cols == 0 {
			t.Errorf("%d × %d without an error", rows, cols)
		}
		return
	}
	if of := (*files.Error)(nil); !errors.As(err, &of) || of.Path != path {
		t.Errorf("the error does not name the file: %v", err)
	}
	if text := err.Error(); strings.ContainsAny(text, "\n\r") || strings.Contains(text, "goroutine ") {
		t.Errorf("the error is not a line: %q", text)
	}
}

// damagedBytes is the memory in which damaged files are read.
const damagedBytes = 200 << 20

// allocated counts the bytes that the heap has given out.
func allocated() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(s)
	return s[0].Value.Uint64()
}

// Lengths writes lengths far beyond the file over it: of 4 and 8 bytes at every fourth byte, where
// headers have them, and of variable length at every one.
func Lengths(t *testing.T, path string, good []byte) {
	t.Helper()
	for at := range good {
		if at%4 == 0 {
			ReadDamaged(t, path, damaged(good, nil, at, math.MaxInt32, 4, len(good)))
			ReadDamaged(t, path, damaged(good, nil, at, 1<<40, 8, len(good)))
			ReadDamaged(t, path, damaged(good, nil, at, math.MaxInt64, 8, len(good)))
		}
		bad := bytes.Clone(good)
		copy(bad[at:], []byte{0xff, 0xff, 0xff, 0xff, 0x0f})
		ReadDamaged(t, path, bad)
	}
}

// damaged is a file with some bits changed, a length of 4 or 8 bytes written over a place, and its
// end cut off. Three bytes of flips are a place, of two bytes, and a mask.
func damaged(good, flips []byte, at int, length uint64, width, size int) []byte {
	bad := bytes.Clone(good)
	for ; len(flips) > 2; flips = flips[3:] {
		bad[int(binary.LittleEndian.Uint16(flips))%len(bad)] ^= flips[2]
	}
	var number [8]byte
	binary.LittleEndian.PutUint64(number[:], length)
	copy(bad[at:], number[:width])
	return bad[:size]
}

// FuzzDamage damages files that are whole: the fuzzer chooses which, and where and how.
func FuzzDamage(f *testing.F, extension string, good [][]byte) {
	for which := range good {
		f.Add(uint8(which), []byte{}, uint32(0), uint64(0), uint8(0), uint32(0))
		f.Add(uint8(which), []byte{9, 0, 0x80}, uint32(0), uint64(0), uint8(0), uint32(0))
		f.Add(uint8(which), []byte{}, uint32(8), uint64(math.MaxInt32), uint8(4), uint32(0))
		f.Add(uint8(which), []byte{}, uint32(16), uint64(math.MaxInt64), uint8(8), uint32(1))
	}
	path := filepath.Join(f.TempDir(), "x"+extension)
	f.Fuzz(func(t *testing.T, which uint8, flips []byte, at uint32, length uint64, width uint8, cut uint32) {
		whole := good[int(which)%len(good)]
		n := len(whole)
		ReadDamaged(t, path, damaged(whole, flips, int(at)%n, length, []int{0, 4, 8, 2}[width&3], n-int(cut)%n))
	})
}

// Fuzz reads whatever the fuzzer makes of the seeds: a matrix or an error comes of it.
func Fuzz(f *testing.F, extension string) {
	path := filepath.Join(f.TempDir(), "x"+extension)
	f.Fuzz(func(t *testing.T, content []byte) {
		Put(t, path, content)
		m, err := files.ReadMatrix(path, files.Options{MaxBytes: 1 << 24, AllowNonFinite: true})
		if err == nil {
			if rows, cols := m.Dims(); rows == 0 || cols == 0 {
				t.Fatalf("%d × %d without an error", rows, cols)
			}
		}
	})
}
