package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// The backend native gives the same bytes at every instruction level, through whole
// methods: an embedding, a nonnegative one, a factorisation and a clustering.
func TestLevelsChangeNoByte(t *testing.T) {
	levels := blas.ISALevels()
	if len(levels) < 2 {
		t.Skipf("this processor or build has %s alone", levels[0])
	}
	dir := inFolder(t, "300")
	for _, line := range [][]string{
		{"embed", "--method", "neml", "--in", "x.npy", "--out", "y.npy"},
		{"embed", "--method", "le", "--in", "x.npy", "--out", "y.npy"},
		{"embed", "--method", "isomap", "--in", "x.npy", "--out", "y.npy"},
		{"embed", "--method", "nlle", "--in", "x.npy", "--out", "y.npy", "--iterations", "30"},
		{"factorize", "--method", "nmf", "--in", "h.npy", "--rank", "2", "--out-w", "y.npy", "--iterations", "30"},
		{"cluster", "--method", "spectral", "--in", "x.npy", "--clusters", "3", "--out", "y.npy"},
	} {
		if line[0] == "factorize" {
			must(t, "embed", "--method", "nlle", "--in", "x.npy", "--dim", "5", "--out", "h.npy", "--iterations", "5") // nonnegative data
		}
		var first []byte
		for _, level := range levels {
			cmd := process(t, dir, append(line, "--backend", "native", "--quiet")...)
			cmd.Env = append(cmd.Env, "ORTHANT_ISA="+level)
			if text, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("%v at %s: %v: %s", line, level, err, text)
			}
			got, err := os.ReadFile(filepath.Join(dir, "y.npy"))
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			} else if !bytes.Equal(got, first) {
				t.Errorf("%v: other bytes at %s than at %s", line[:3], level, levels[0])
			}
		}
	}
}
