package main

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// drawImages makes a folder of n grey images, and the matrix of their pixels.
func drawImages(t *testing.T, folder string, n, height, width int) *mat.Dense {
	t.Helper()
	if err := os.MkdirAll(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	x := mat.NewDense(n, height*width, nil)
	for i := range n {
		pixels := make([]byte, height*width)
		for j := range pixels {
			pixels[j] = byte(37*i*j + 11*j + 90*(i%3))
			x.Set(i, j, float64(pixels[j]))
		}
		write(t, fmt.Sprintf("%s/f%02d.pgm", folder, i), fmt.Sprintf("P5 %d %d 255\n%s", width, height, pixels))
	}
	return x
}

// Images of a folder or a pattern are samples, and their files name the rows.
func TestImagesAreSamples(t *testing.T) {
	inFolder(t, "")
	x := drawImages(t, "faces", 12, 4, 3)
	write(t, "faces/notes.txt", "no image")
	convert(t, x, "x.npy")
	must(t, "embed", "-m", "pca", "-i", "x.npy", "-o", "want.npy")
	for _, in := range []string{"faces", "faces/*.pgm"} {
		o := must(t, "embed", "-m", "pca", "-i", in, "-o", "y.csv", "--model", "f.model")
		if !mat.Equal(matrix(t, "y.csv:pca1,pca2"), matrix(t, "want.npy")) {
			t.Errorf("%s: another embedding than of the pixels", in)
		}
		if y := lines(t, "y.csv"); y[0] != "image,pca1,pca2" || !strings.HasPrefix(y[12], "f11.pgm,") {
			t.Errorf("%s: %q … %q", in, y[0], y[12])
		}
		if !strings.Contains(o.err, "12 of 4 × 3 pixels, grey") {
			t.Errorf("%s: %s", in, o.err)
		}
	}
	must(t, "transform", "--model", "f.model", "-i", "faces/f0*.pgm", "-o", "z.csv")
	if z, y := lines(t, "z.csv"), lines(t, "y.csv"); len(z) != 11 || z[1] != y[1] {
		t.Errorf("transformed %q, embedded %q", z[1], y[1])
	}
	must(t, "factorize", "-m", "nmf", "-i", "faces", "-r", "2", "--resize", "2x2", "--out-w", "w.csv", "--out-h", "h.csv")
	if h := lines(t, "h.csv"); h[0] != "r1c1,r1c2,r2c1,r2c2" {
		t.Errorf("components %q", h[0])
	}
	must(t, "cluster", "-m", "kmeans", "-i", "faces", "--clusters", "3", "-o", "c.csv")
	must(t, "select", "-m", "dpp", "-i", "faces", "--count", "2", "-o", "s.csv")
	if s := lines(t, "s.csv"); s[0] != "image,row" || !strings.Contains(s[1], ".pgm,") {
		t.Errorf("exemplars %q", s)
	}
	if v := value(t, "evaluate", "-m", "trustworthiness", "--in", "faces", "--embedding", "y.csv", "-k", "3"); !(v > 0 && v <= 1) {
		t.Errorf("trustworthiness %v", v)
	}
	write(t, "jobs.jsonl", `{"command": "embed", "method": "pca", "in": "faces/*.pgm", "resize": "2x2", "out": "j.csv"}`+"\n")
	must(t, "batch", "jobs.jsonl", "--out", "out")
	must(t, "embed", "-m", "pca", "-i", "faces", "--resize", "2x2", "-o", "j.csv")
	if string(read(t, "j.csv")) != string(read(t, "out/j.csv")) {
		t.Error("a job of images differs")
	}
}

func TestImageRefusals(t *testing.T) {
	inFolder(t, "20")
	drawImages(t, "faces", 6, 4, 3)
	drawImages(t, "mixed", 3, 4, 3)
	drawImages(t, "mixed/more", 1, 5, 3)
	if err := os.Rename("mixed/more/f00.pgm", "mixed/z.pgm"); err != nil {
		t.Fatal(err)
	}
	must(t, "embed", "-m", "pca", "-i", "faces", "-o", "y.npy", "--model", "f.model")
	for _, c := range []struct{ line, want string }{
		{"embed -m pca -i mixed -o y.npy", "z.pgm: it is 5 × 3 pixels (height × width) where f00.pgm is 4 × 3: bring all to one size (--resize), such as 4x3"},
		{"embed -m pca -i faces --columns 1,2 -o y.npy", "--columns, --drop and --id are for tables, and faces means images; leave them out"},
		{"embed -m pca -i faces --id name -o y.npy", "--columns, --drop and --id are for tables"},
		{"embed -m pca -i faces --labels :kind -o y.npy", ":kind means a column of --in, which is no table here"},
		{"embed -m pca -i faces/*.png -o y.npy", "the pattern matches no file"},
		{"embed -m pca -i nowhere/ -o y.npy", "nowhere"},
		{"transform --model f.model -i faces --resize 2x2 -o y.npy", "bring them to the size of the fit (--resize HxW), grey or coloured as there (--grey)"},
		{"factorize -m nmf -r 2 --set solver=minibatch -i faces --out-w w.npy", "solver=minibatch reads samples batch by batch from a file, and faces means images; take another solver"},
	} {
		o := orthant(t, strings.Fields(c.line)...)
		if o.status != exitUsage || !strings.Contains(o.err, c.want) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: status %d, %s\nwant %s", c.line, o.status, o.err, c.want)
		}
	}
}
