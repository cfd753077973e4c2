package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// holed writes a table of rank 3 with noise of a share of each entry (x.csv), the same without a fifth of its entries as text with
// empty fields (holes.csv) and as NaN (holes.npy), which entries there are (known.csv,
// known.mtx), and these alone in coordinates (x.mtx).
func holed(t *testing.T, n, m int, noise float64) *mat.Dense {
	t.Helper()
	random := blas.NewStream(5)
	w, h := mat.NewDense(n, 3, nil), mat.NewDense(3, m, nil)
	random.Uniforms(w.RawMatrix().Data)
	random.Uniforms(h.RawMatrix().Data)
	x := mat.NewDense(n, m, nil)
	x.Mul(w, h)
	x.Apply(func(_, _ int, v float64) float64 { return v * (1 + noise*(2*random.Uniform()-1)) }, x)
	var whole, holes, known, stored, places strings.Builder
	values, count := make([]float64, 0, n*m), 0
	for i := range n {
		for j := range m {
			end := ","
			if j == m-1 {
				end = "\n"
			}
			v := x.At(i, j)
			fmt.Fprintf(&whole, "%v%s", v, end)
			if random.Below(5) == 0 && i%m != j && j%n != i {
				holes.WriteString(end)
				known.WriteString("0" + end)
				values = append(values, math.NaN())
				continue
			}
			count++
			values = append(values, v)
			fmt.Fprintf(&holes, "%v%s", v, end)
			known.WriteString("1" + end)
			fmt.Fprintf(&stored, "%d %d %v\n", i+1, j+1, v)
			fmt.Fprintf(&places, "%d %d 1\n", i+1, j+1)
		}
	}
	head := fmt.Sprintf("%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n", n, m, count)
	write(t, "x.csv", whole.String())
	write(t, "holes.csv", holes.String())
	write(t, "known.csv", known.String())
	write(t, "holes.npy", npy(fmt.Sprintf("(%d, %d)", n, m), values...))
	write(t, "x.mtx", head+stored.String())
	write(t, "known.mtx", head+places.String())
	return x
}

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
		{"--in", "holes.csv", "--set", "missing=weight"},
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
