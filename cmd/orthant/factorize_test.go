package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
)

// positive is a table of nonnegative numbers in two groups of rows.
func positive(rows, cols int) string {
	var b strings.Builder
	for i := range rows {
		for j := range cols {
			v := math.Abs(math.Sin(float64(7*i + 3*j*j)))
			if i%2 == j%2 {
				v += 3
			}
			fmt.Fprintf(&b, "%.6f", v)
			if j < cols-1 {
				b.WriteByte(',')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// counts is a sparse table as MatrixMarket, and the same as CSV.
func counts(t *testing.T, rows, cols int) {
	t.Helper()
	var market, table strings.Builder
	entries := 0
	for i := range rows {
		var row []string
		for j := range cols {
			v := max(0, (7*i+5*j*j+i*j)%11-7)
			row = append(row, fmt.Sprint(v))
			if v > 0 {
				fmt.Fprintf(&market, "%d %d %d\n", i+1, j+1, v)
				entries++
			}
		}
		table.WriteString(strings.Join(row, ",") + "\n")
	}
	write(t, "c.mtx", fmt.Sprintf("%%%%MatrixMarket matrix coordinate integer general\n%d %d %d\n%s", rows, cols, entries, market.String()))
	write(t, "c.csv", table.String())
}

// A factorisation into indicators may end at its default limit with status 0.
func TestFactorizeIndicators(t *testing.T) {
	inFolder(t, "")
	write(t, "x.csv", positive(60, 9))
	for _, method := range []string{"rmnmf", "amrmf", "apmf"} {
		v := must(t, "factorize", "--method", method, "--in", "x.csv", "--rank", "3", "--out-w", "w.npy", "--out-h", "h.npy", "--json", "-q").object(t)
		details := v["details"].(map[string]any)
		for _, key := range []string{"residual_data", "residual_indicators", "residual_graph", "penalty", "spectral_norm"} {
			if _, ok := details[key].(float64); !ok {
				t.Errorf("%s: no details.%s", method, key)
			}
		}
		w, h := matrix(t, "w.npy"), matrix(t, "h.npy")
		var gram mat.Dense
		gram.Mul(w.T(), w)
		if r, m := h.Dims(); r != 3 || m != 9 || math.Abs(mat.Trace(&gram)-3) > 1e-10 || math.Abs(gram.At(0, 1)) > 1e-10 {
			t.Errorf("%s: H is %d × %d, WᵀW %v", method, r, m, gram.RawMatrix().Data)
		}
	}
}

// A tolerance of the method's own that is missed is told, with status 0; one that was
// asked for has status 3. By their general defaults rmnmf and its kin end with a partition, which
// needs no splitting to be closed.
func TestFactorizeMissesItsOwnTolerance(t *testing.T) {
	inFolder(t, "")
	write(t, "x.csv", positive(60, 9))
	for _, method := range []string{"rmnmf", "amrmf", "apmf", "dsmf", "smrmf", "f-smrmf"} {
		line := []string{"factorize", "--method", method, "--in", "x.csv", "--rank", "3", "--out-w", "w.npy", "--json", "-q"}
		if method != "dsmf" {
			line = append(line, "--set", "protocol=paper")
		}
		v := must(t, append(line, "--iterations", "2")...).object(t)
		if text := fmt.Sprint(v["warnings"]); v["converged"] != false || !strings.Contains(text, "more iterations") {
			t.Errorf("%s: converged %v, warnings %v", method, v["converged"], text)
		}
		v = must(t, line...).object(t)
		if told := strings.Contains(fmt.Sprint(v["warnings"]), "more iterations"); told == v["converged"].(bool) {
			t.Errorf("%s, at its defaults: converged %v, warnings %v", method, v["converged"], v["warnings"])
		}
		if o := orthant(t, append(line, "--tolerance", "1e-300")...); o.status != 3 {
			t.Errorf("%s: a tolerance out of reach has status %d", method, o.status)
		}
	}
}

func TestFactorizeIsTheEnginesFactorization(t *testing.T) {
	inFolder(t, "")
	write(t, "x.csv", positive(60, 9))
	must(t, strings.Fields("factorize --method gnmf --in x.csv --rank 3 --seed 5 --set lambda=2 --neighbors 4 --iterations 30 --out-w w.npy --out-h h.npy --threads 1 -q")...)
	lambda := 2.0
	r, err := engine.Factorize(t.Context(), matrix(t, "x.csv"), engine.GNMF{Neighbors: 4, Lambda: &lambda, Updates: engine.Updates{Iterations: 30}}, engine.FactorizeOptions{Rank: 3, Options: engine.Options{Seed: 5}})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(r.W, matrix(t, "w.npy")) || !mat.Equal(r.H, matrix(t, "h.npy")) {
		t.Error("the files differ from what engine.Factorize returns")
	}
}
