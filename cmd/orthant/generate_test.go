package main

import (
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A folder of images has the numbers of the matrix of the same seed.
func TestGenerateImages(t *testing.T) {
	inFolder(t, "")
	args := strings.Fields("generate faces --samples 70 --set persons=2 --set size=12")
	o := must(t, append(args, "--out", "faces/", "--out-params", "t.npy")...)
	if !strings.Contains(o.err, "faces/, t.npy") {
		t.Error(o.err)
	}
	must(t, append(args, "--out", "x.npy")...)
	must(t, "embed", "-m", "pca", "-i", "faces", "-o", "a.csv")
	must(t, "embed", "-m", "pca", "-i", "x.npy", "-o", "b.npy")
	if !mat.Equal(matrix(t, "a.csv:pca1,pca2"), matrix(t, "b.npy")) {
		t.Error("the images differ from the matrix")
	}
	if y := lines(t, "a.csv"); !strings.HasPrefix(y[1], "face-001.png,") || !strings.HasPrefix(y[70], "face-070.png,") {
		t.Errorf("%q … %q", y[1], y[70])
	}
	for line, want := range map[string]string{
		"generate faces --samples 3 --out faces/":      "the folder faces/, which holds files already; name another one, or empty it",
		"generate swiss-roll --samples 30 --out roll/": "samples of swiss-roll are no images; give a file, such as x.npy",
		"generate faces --samples 3 --out x.npy/":      "not a directory",
	} {
		o := orthant(t, strings.Fields(line)...)
		if o.status != exitUsage || !strings.Contains(o.err, want) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: status %d, %s", line, o.status, o.err)
		}
	}
	if _, err := os.Stat("roll"); err == nil {
		t.Error("a refused folder was made")
	}
	// An empty folder that is there is taken.
	if err := os.Mkdir("empty", 0o777); err != nil {
		t.Fatal(err)
	}
	must(t, "generate", "faces", "--samples", "3", "--out", "empty/")
}
