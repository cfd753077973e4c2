package main

import (
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/sparse"
)

// chain writes the distances of n samples in a row, d.npy, and the affinities of those next to each other, w.mtx.
func chain(t *testing.T, n int) {
	t.Helper()
	d, w := mat.NewDense(n, n, nil), &sparse.CSR{Rows: n, Cols: n, Ptr: []int{0}}
	for i := range n {
		for j := range n {
			d.Set(i, j, math.Abs(float64(i-j)))
			if i-j == 1 || j-i == 1 {
				w.Col, w.Val = append(w.Col, int32(j)), append(w.Val, 1)
			}
		}
		w.Ptr = append(w.Ptr, len(w.Col))
	}
	save(t, "d.npy", d)
	save(t, "w.mtx", w)
}

func TestSharedFilesAreReadOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g")
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &sharedFiles{kept: map[string]*sharedFile{}}
	a, b := &job{args: []string{"--graph=" + path}}, &job{args: []string{"--graph=" + path, "--out=y"}}
	s.expect(a)
	s.expect(b)
	reads := 0
	read := func() (int, error) { reads++; return reads, nil }
	if _, err := sharing(s, path, func() (int, error) { return 0, os.ErrClosed }); err == nil {
		t.Error("the error of a reader was lost")
	}
	for range 3 {
		if v, err := sharing(s, path, read); v != 1 || err != nil {
			t.Errorf("read %d, %v", v, err)
		}
	}
	if err := os.WriteFile(path, []byte("longer"), 0o644); err != nil {
		t.Fatal(err)
	}
	if v, _ := sharing(s, path, read); v != 2 {
		t.Errorf("a file that changed gave %d", v)
	}
	s.release(a)
	if s.kept[path] == nil {
		t.Error("dropped before its last user")
	}
	if s.release(b); s.kept[path] != nil {
		t.Error("kept after its last user")
	}
}
