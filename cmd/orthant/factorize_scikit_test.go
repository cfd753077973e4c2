package main

import (
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
	write(t, "h.csv", strings.Repeat("1,1,1,1,1\n", 2))
	for line, want := range map[string]string{
		"nmf --set order=w-first --set extrapolate=true":           "nmf: order=w-first goes with no extrapolation; leave out extrapolate, or choose order=basis-first",
		"nmf-kl --set order=w-first --set normalise=each":          "nmf-kl: order=w-first leaves the scale of the factors alone; choose normalise=none or end with it",
		"gnmf --set order=w-first":                                 "gnmf: order is w-first; give one of auto, basis-first, codes-first",
		"nmf --set fixed=h":                                        "nmf: fixed=h needs H, the factor that stays (--init-h); give it, or choose fixed=none",
		"nmf-kl --set fixed=w --init-h h.csv":                      "nmf-kl: fixed=w needs W, the factor that stays (--init-w); give it, or choose fixed=none",
		"nmf --set fixed=w --init-w w.csv":                         "nmf: the fixed W is 59 × 2; give 60 × 2",
		"nmf --init-w w.csv":                                       "nmf: the start W is 59 × 2; give 60 × 2",
		"nmf --set fixed=h --init-h w.csv":                         "nmf: the fixed H is 59 × 2; give 2 × 5",
		"nmf --set fixed=both --init-h h.csv":                      "nmf: fixed is both; give one of none, w, h",
		"nmf --set fixed=h --init-h h.csv --set extrapolate=true":  "nmf: fixed=h goes with no extrapolation; leave out extrapolate",
		"nmf --set fixed=h --init-h h.csv --set order=codes-first": "nmf: order=codes-first scales the start, and fixed=h keeps a factor as it is; choose order=basis-first or w-first",
		"nmf-kl --set fixed=h --init-h h.csv --set normalise=end":  "nmf-kl: fixed=h keeps a factor as it is; choose normalise=none or auto",
		"rmnmf --init-h h.csv":                                     "rmnmf: a start needs both W and H; W is missing (--init-w, --init-h)",
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
