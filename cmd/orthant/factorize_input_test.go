package main

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Missing entries, weights of 0 and unstored entries give the same factors, the imputed matrix
// and a model that maps samples without some of their entries.
func TestFactorizeMissing(t *testing.T) {
	inFolder(t, "")
	x := holed(t, 40, 25, 0)
	line := []string{"factorize", "--method", "nmf", "--rank", "3", "--set", "sweeps=1", "-q"}
	v := must(t, with(line, "--in", "holes.csv", "--missing", "weight", "--out-w", "w.npy", "--out-h", "h.npy", "--out-imputed", "full.csv", "--model", "m.model", "--json")...).object(t)
	share := v["details"].(map[string]any)["missing_share"].(float64)
	if share < 0.15 || share > 0.25 || v["out_imputed"] != "full.csv" || v["params"].(map[string]any)["missing"] != "weight" {
		t.Errorf("missing_share %v, out_imputed %v, params %v", share, v["out_imputed"], v["params"])
	}
	full, holes := matrix(t, "full.csv"), strings.Split(strings.ReplaceAll(string(read(t, "holes.csv")), "\n", ","), ",")
	var off, size float64
	for i := range 40 {
		for j := range 25 {
			if e := full.At(i, j) - x.At(i, j); holes[i*25+j] != "" && e != 0 {
				t.Fatalf("row %d, column %d changes by %v", i, j, e)
			} else if holes[i*25+j] == "" {
				off, size = off+e*e, size+x.At(i, j)*x.At(i, j)
			}
		}
	}
	if math.Sqrt(off/size) > 0.05 {
		t.Errorf("imputed entries are off by %v", math.Sqrt(off/size))
	}
	for _, same := range [][]string{
		{"--in", "holes.npy", "--missing", "weight"},
		{"--in", "holes.csv", "--missing", "weight"},
		{"--in", "x.csv", "--entry-weights", "known.csv"},
		{"--in", "x.csv", "--entry-weights", "known.mtx"},
		{"--in", "x.mtx", "--missing", "weight", "--set", "unstored=missing"},
	} {
		must(t, with(with(line, same...), "--out-h", "again.npy")...)
		if !mat.EqualApprox(matrix(t, "again.npy"), matrix(t, "h.npy"), 1e-7) {
			t.Errorf("%v: other components", same)
		}
	}
	must(t, "transform", "--model", "m.model", "--in", "holes.csv", "--out", "w2.npy", "-q")
	var model mat.Dense
	model.Mul(matrix(t, "w2.npy"), matrix(t, "h.npy"))
	model.Sub(&model, x)
	if e := mat.Norm(&model, 2) / mat.Norm(x, 2); e > 0.05 {
		t.Errorf("samples with holes are mapped with the error %v", e)
	}
}
