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
	for line, want := range map[string]string{
		"nmf --set order=w-first --set extrapolate=true":  "nmf: order=w-first goes with no extrapolation; leave out extrapolate, or choose order=basis-first",
		"nmf-kl --set order=w-first --set normalise=each": "nmf-kl: order=w-first leaves the scale of the factors alone; choose normalise=none or end with it",
		"gnmf --set order=w-first":                        "gnmf: order is w-first; give one of auto, basis-first, codes-first",
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
