package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// What scikit-learn's factorisations have and this program takes from them is refused in one
// line where it does not go with other parameters.
func TestFactorizeLikeScikitLearnRefuses(t *testing.T) {
	inFolder(t, "60")
	write(t, "p.csv", positive(60, 5))
	write(t, "w.csv", strings.Repeat("1,1\n", 59))
	write(t, "holes.csv", "1,2,0\n3,4,5\n")
	write(t, "minus.csv", "1,2,4\n3,-4,5\n")
	write(t, "h.csv", strings.Repeat("1,1,1,1,1\n", 2))
	for line, want := range map[string]string{
		"nmf --set order=w-first --set extrapolate=true":            "nmf: --set order=w-first goes with no extrapolation; leave out extrapolate, or choose --set order=basis-first",
		"nmf-kl --set order=w-first --set normalise=each":           "nmf-kl: --set order=w-first leaves the scale of the factors alone; choose --set normalise=none or end with it",
		"gnmf --set order=w-first":                                  "gnmf: order is w-first; give one of auto, basis-first, codes-first",
		"nmf --set fixed=h":                                         "nmf: --set fixed=h needs H, the factor that stays (--init-h); give it, or choose --set fixed=none",
		"nmf-kl --set fixed=w --init-h h.csv":                       "nmf-kl: --set fixed=w needs W, the factor that stays (--init-w); give it, or choose --set fixed=none",
		"nmf --set fixed=w --init-w w.csv":                          "nmf: the fixed W is 59 × 2; give 60 × 2",
		"nmf --init-w w.csv":                                        "nmf: the start W is 59 × 2; give 60 × 2",
		"nmf --set fixed=h --init-h w.csv":                          "nmf: the fixed H is 59 × 2; give 2 × 5",
		"nmf --set fixed=both --init-h h.csv":                       "nmf: fixed is both; give one of none, w, h",
		"nmf --set fixed=h --init-h h.csv --set extrapolate=true":   "nmf: --set fixed=h goes with no extrapolation; leave out extrapolate",
		"nmf --set fixed=h --init-h h.csv --set order=codes-first":  "nmf: --set order=codes-first scales the start, and --set fixed=h keeps a factor as it is; choose --set order=basis-first or w-first",
		"nmf-kl --set fixed=h --init-h h.csv --set normalise=end":   "nmf-kl: --set fixed=h keeps a factor as it is; choose --set normalise=none or auto",
		"rmnmf --init-h h.csv":                                      "rmnmf: a start needs both W and H; W is missing (--init-w, --init-h)",
		"nmf-beta --set beta=0 --in holes.csv":                      "nmf-beta: row 1, column 3 (counting from 1) is 0, where the divergence with --set beta=0 is infinite; choose a beta above 0, or add a small number to all entries",
		"nmf-beta --set beta=-1 --set shift=columns --in minus.csv": "nmf-beta: row 2, column 2 (counting from 1) is 0 once the data are shifted, where the divergence with --set beta=-1 is infinite; choose a beta above 0, or add a small number to all entries",
		"nmf-beta --set beta=nan":                                   `nmf-beta: beta is "nan"; give a number`,
		"nmf-beta --set beta=kl":                                    `nmf-beta: beta is "kl"; give a number`,
		"nmf-beta --set stop=violation":                             "nmf-beta: stop is violation; give one of change, relative-decrease",
		"nmf-beta --set init=nndsvd":                                "nmf-beta: init is nndsvd; give one of random, nndsvda, nndsvdar",
	} {
		o := orthant(t, append([]string{"factorize", "--in", "p.csv", "--rank", "2", "--out-w", "w.npy", "--method"}, strings.Fields(line)...)...)
		if o.status != exitUsage || o.err != "orthant factorize: "+want+"\n" {
			t.Errorf("%s: status %d, %q; want %q", line, o.status, o.err, want)
		}
		if _, err := os.Stat("w.npy"); err == nil {
			t.Fatalf("%s: a file is left", line)
		}
	}
}

// A model keeps β: new samples with a zero are refused by their place where β ≤ 0, and
// β = 2 and 1 are nmf and nmf-kl, byte by byte.
func TestFactorizeByBeta(t *testing.T) {
	inFolder(t, "60")
	write(t, "p.csv", positive(60, 5))
	write(t, "holes.csv", "1,2,3,4,5\n3,4,5,0,1\n")
	must(t, "factorize", "--method", "nmf-beta", "--set", "beta=0", "--in", "p.csv", "--rank", "2", "--iterations", "50", "--model", "m.model", "-q")
	must(t, "transform", "--model", "m.model", "--in", "p.csv", "--out", "y.npy", "-q")
	o := orthant(t, "transform", "--model", "m.model", "--in", "holes.csv", "--out", "y.npy")
	want := "row 2 (counting from 1) has 0 in column 4, where the divergence with --set beta=0 is infinite; add a small number to all entries, or fit with beta above 0\n"
	if o.status != exitUsage || !strings.HasSuffix(o.err, want) || strings.Count(o.err, "\n") != 1 {
		t.Errorf("status %d, %q", o.status, o.err)
	}
	for beta, other := range map[string][]string{"1": {"nmf-kl"}, "2": {"nmf", "--set", "solver=mu"}} {
		line := []string{"--in", "p.csv", "--rank", "2", "--iterations", "50", "--out-w", "w.npy", "--out-h", "h.npy", "-q"}
		must(t, append([]string{"factorize", "--method", "nmf-beta", "--set", "beta=" + beta}, line...)...)
		w, h := read(t, "w.npy"), read(t, "h.npy")
		must(t, append(append([]string{"factorize", "--method"}, other...), line...)...)
		if !bytes.Equal(w, read(t, "w.npy")) || !bytes.Equal(h, read(t, "h.npy")) {
			t.Errorf("beta=%s is not %s", beta, other[0])
		}
	}
}

// A given factor stays in the files too, and the other is learned from a start of its own.
func TestFactorizeWithOneFactor(t *testing.T) {
	inFolder(t, "60")
	write(t, "p.csv", positive(60, 5))
	must(t, "factorize", "--method", "nmf", "--in", "p.csv", "--rank", "2", "--out-h", "h.npy", "-q")
	for _, method := range []string{"nmf", "nmf-kl", "nmf-beta"} {
		must(t, "factorize", "--method", method, "--in", "p.csv", "--rank", "2", "--init-h", "h.npy", "--set", "fixed=h", "--out-w", "w.npy", "--out-h", "again.npy", "-q")
		if !bytes.Equal(read(t, "h.npy"), read(t, "again.npy")) {
			t.Errorf("%s: H is another", method)
		}
		must(t, "factorize", "--method", method, "--in", "p.csv", "--rank", "2", "--init-w", "w.npy", "--set", "fixed=w", "--out-w", "again.npy", "--out-h", "x.npy", "-q")
		if !bytes.Equal(read(t, "w.npy"), read(t, "again.npy")) {
			t.Errorf("%s: W is another", method)
		}
		must(t, "factorize", "--method", method, "--in", "p.csv", "--rank", "2", "--init-h", "h.npy", "--out-h", "x.npy", "-q")
		if bytes.Equal(read(t, "h.npy"), read(t, "x.npy")) {
			t.Errorf("%s: a start of H alone stayed", method)
		}
	}
}
