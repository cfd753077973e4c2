package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// TestOneGraphServesMany embeds, clusters and factorises by the graph of one search, to the
// byte as they do by searches of their own.
func TestOneGraphServesMany(t *testing.T) {
	inFolder(t, "300")
	o := must(t, "neighbors", "--in", "x.npy", "--neighbors", "12", "--out", "g.npz", "--json")
	if v := o.object(t); v["out"] != "g.npz" || v["neighbors"] != 12.0 {
		t.Errorf("reported %v", v)
	}
	must(t, "neighbors", "--in", "x.npy", "--neighbors", "12", "--out", "g.mtx")
	for _, graph := range []string{"g.npz", "g.mtx"} {
		for _, c := range []string{
			"embed --method le", "embed --method isomap", "cluster --method spectral --clusters 3",
			"embed --method lle --in x.npy", "embed --method neml --in x.npy", "embed --method npp --in x.npy",
		} {
			args := strings.Fields(c)
			searched := args
			if !strings.Contains(c, "--in") {
				searched = append(append([]string{}, args...), "--in", "x.npy")
			}
			must(t, append(append([]string{}, searched...), "--out", "a.npy")...)
			must(t, append(append([]string{}, args...), "--graph", graph, "--out", "b.npy")...)
			a, err := os.ReadFile("a.npy")
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile("b.npy")
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a, b) {
				t.Errorf("%s by %s differs", c, graph)
			}
		}
	}
}
