package main

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// drawUnits writes samples of which the columns are in very different units, and the same at
// mean 0 and standard deviation 1.
func drawUnits(t *testing.T, n int) {
	t.Helper()
	x, z := mat.NewDense(n, 3, nil), mat.NewDense(n, 3, nil)
	for j, size := range []float64{0.01, 2, 500} {
		var mean, variance float64
		for i := range n {
			v := size * (3 + math.Sin(float64(i*(j+2))) + 0.5*float64(i%3))
			x.Set(i, j, v)
			mean += v / float64(n)
		}
		for i := range n {
			variance += (x.At(i, j) - mean) * (x.At(i, j) - mean) / float64(n)
		}
		for i := range n {
			z.Set(i, j, (x.At(i, j)-mean)/math.Sqrt(variance))
		}
	}
	convert(t, x, "x.npy")
	convert(t, z, "z.npy")
}

// --scale is the scaled data before the method, and a model keeps it.
func TestScaleOnEveryCommand(t *testing.T) {
	inFolder(t, "")
	drawUnits(t, 80)
	for _, method := range []string{"pca", "ltsa", "isomap"} {
		must(t, "embed", "-m", method, "-i", "x.npy", "--scale", "standard", "-o", "y.npy", "--model", "y.model")
		must(t, "embed", "-m", method, "-i", "z.npy", "--scale", "none", "-o", "want.npy", "--model", "want.model")
		if !mat.EqualApprox(matrix(t, "y.npy"), matrix(t, "want.npy"), 1e-7) {
			t.Errorf("%s: another embedding than of the scaled samples", method)
		}
		must(t, "transform", "--model", "y.model", "-i", "x.npy", "-o", "a.npy")
		must(t, "transform", "--model", "want.model", "-i", "z.npy", "-o", "b.npy")
		if !mat.EqualApprox(matrix(t, "a.npy"), matrix(t, "b.npy"), 1e-6) {
			t.Errorf("%s: the model gives other coordinates than of the scaled samples", method)
		}
	}
	must(t, "cluster", "-m", "kmeans", "-i", "x.npy", "--clusters", "3", "--scale", "standard", "-o", "a.npy")
	must(t, "cluster", "-m", "kmeans", "-i", "z.npy", "--clusters", "3", "-o", "b.npy")
	if !mat.Equal(matrix(t, "a.npy"), matrix(t, "b.npy")) {
		t.Error("other clusters than of the scaled samples")
	}
	must(t, "select", "-m", "ipm", "-i", "x.npy", "--count", "3", "--scale", "standard", "-o", "a.npy")
	must(t, "select", "-m", "ipm", "-i", "z.npy", "--count", "3", "-o", "b.npy")
	if !mat.Equal(matrix(t, "a.npy"), matrix(t, "b.npy")) {
		t.Error("other exemplars than of the scaled samples")
	}
	o := must(t, "factorize", "-m", "nmf", "-i", "x.npy", "-r", "2", "--scale", "minmax", "--out-w", "w.npy", "--out-h", "h.npy", "--model", "f.model", "--json").object(t)
	if how := o["params"].(map[string]any)["standardize"]; how != "minmax" {
		t.Errorf("standardize is %v", how)
	}
	if h := mat.Max(matrix(t, "h.npy")); h > 100 {
		t.Errorf("components of entries from 0 to 1 go up to %v", h)
	}
	must(t, "transform", "--model", "f.model", "-i", "x.npy", "-o", "again.npy")
	if !mat.EqualApprox(matrix(t, "again.npy"), matrix(t, "w.npy"), 0.1) {
		t.Error("the model gives other coordinates than the fit")
	}
}

// Where nothing is said about columns that differ much, one line does; and pca prints shares.
func TestUnequalColumnsAreTold(t *testing.T) {
	inFolder(t, "")
	drawUnits(t, 80)
	var b strings.Builder
	b.WriteString("thickness,width,area\n")
	x := matrix(t, "x.npy")
	for i := range 80 {
		fmt.Fprintf(&b, "%v,%v,%v\n", x.At(i, 0), x.At(i, 1), x.At(i, 2))
	}
	write(t, "x.csv", b.String())
	o := must(t, "embed", "-m", "pca", "-i", "x.csv", "-o", "y.npy")
	if strings.Count(o.err, "warning:") != 1 || !strings.Contains(o.err, "column 3 (area) has the standard deviation") || !strings.Contains(o.err, "column 1 (thickness) has") || !strings.Contains(o.err, "--scale standard (or minmax, robust)") {
		t.Error(o.err)
	}
	if !strings.Contains(o.err, "explained  100.00 %, 0.00 % of the variance; together 100.00 %") {
		t.Error(o.err)
	}
	for _, how := range []string{"none", "standard", "log1p"} {
		if o := must(t, "embed", "-m", "pca", "-i", "x.csv", "-o", "y.npy", "--scale", how); strings.Contains(o.err, "warning:") {
			t.Errorf("--scale %s: %s", how, o.err)
		}
	}
	if o := must(t, "embed", "-m", "pca", "-i", "z.npy", "-o", "y.npy"); strings.Contains(o.err, "warning:") {
		t.Error(o.err)
	}
}

func TestScaleRefusals(t *testing.T) {
	inFolder(t, "")
	drawUnits(t, 40)
	write(t, "s.mtx", "%%MatrixMarket matrix coordinate real general\n4 3 5\n1 1 1.5\n2 3 2\n3 2 1\n4 1 2\n4 3 1\n")
	write(t, "below.csv", "a,b\n1,2\n3,-2\n4,5\n")
	write(t, "d.csv", "0,1,2,3\n1,0,1,2\n2,1,0,1\n3,2,1,0\n")
	for _, c := range []struct{ line, want string }{
		{"embed -m pca -i x.npy --scale zscore -o y.npy", "none, standard, minmax, unit, robust, log1p"},
		{"embed -m pca -i x.npy --scale unit --set standardize=robust -o y.npy", "contradict each other"},
		{"embed -m pca -i s.mtx --scale standard -d 1 -o y.npy", "--scale standard takes something off every column, which fills the zeros of sparse data; take unit or log1p"},
		{"factorize -m nmf -r 2 -i x.npy --scale standard --out-w y.npy", "--scale standard makes negative entries, and the method takes none; take minmax (each column from 0 to 1) or unit"},
		{"cluster -m gnmf --clusters 2 -i x.npy --scale robust -o y.npy", "--scale robust makes negative entries"},
		{"embed -m pca -d 1 -i below.csv --scale log1p -o y.npy", "row 2, column 2 (counting from 1) is -2"},
	} {
		o := orthant(t, strings.Fields(c.line)...)
		if o.status != exitUsage || !strings.Contains(o.err, c.want) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: status %d, %s\nwant %s", c.line, o.status, o.err, c.want)
		}
	}
	if o := must(t, "embed", "-m", "isomap", "-k", "2", "-d", "1", "--distances", "d.csv", "--scale", "standard", "-o", "y.npy"); !strings.Contains(o.err, "--scale standard does nothing") {
		t.Error(o.err)
	}
	for _, how := range []string{"unit", "log1p"} {
		o := must(t, "factorize", "-m", "nmf", "-r", "2", "-i", "s.mtx", "--scale", how, "--out-w", "w.npy", "--json").object(t)
		if o["sparse"] != true {
			t.Errorf("--scale %s made sparse samples dense", how)
		}
	}
}

// evaluate --scale measures beside the scaled samples, and leaves alone what does not read them.
func TestEvaluateScale(t *testing.T) {
	inFolder(t, "")
	drawUnits(t, 80)
	must(t, "embed", "-m", "pca", "-i", "z.npy", "-o", "y.npy")
	write(t, "l.csv", strings.Repeat("0\n1\n", 40))
	separate := strings.Fields("evaluate --metric nn-error --in x.npy --labels l.csv --set projection=separate --set method=pca")
	if a, b := must(t, append(separate, "--scale", "standard")...).out, must(t, append(separate, "--set", "standardize=standard")...).out; a != b {
		t.Errorf("the method of each split has --scale: %s, and standardize: %s", a, b)
	}
	for _, more := range []string{"", "--metric trustworthiness"} {
		line := append([]string{"evaluate", "--embedding", "y.npy", "-q"}, strings.Fields(more)...)
		got := must(t, append(line, "--in", "x.npy", "--scale", "standard")...).out
		want := must(t, append(line, "--in", "z.npy")...).out
		for i, field := range strings.Fields(got) {
			var a, b float64
			if _, err := fmt.Sscan(field, &a); err != nil {
				continue
			}
			if fmt.Sscan(strings.Fields(want)[i], &b); math.Abs(a-b) > 1e-6 {
				t.Errorf("%s: %s, of the scaled samples %s", more, got, want)
			}
		}
	}
	if o := must(t, "evaluate", "--metric", "nn-error", "--embedding", "y.npy", "--labels", "l.csv", "--scale", "unit"); !strings.Contains(o.err, "--scale does nothing") {
		t.Errorf("%s", o.err)
	}
	for how, want := range map[string]string{"best": `--scale is "best"; give one of none, standard`, "log1p": "entries above -1"} {
		write(t, "n.csv", strings.Repeat("-2,1\n1,0\n", 40))
		if o := orthant(t, "evaluate", "--in", "n.csv", "--embedding", "y.npy", "--scale", how); o.status != exitUsage || !strings.Contains(o.err, want) {
			t.Errorf("--scale %s: %d %s", how, o.status, o.err)
		}
	}
}
