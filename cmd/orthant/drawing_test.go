package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// Every command that makes something to look at draws it, in each format, and needs no other
// output.
func TestPlotOfAllCommands(t *testing.T) {
	inFolder(t, "80")
	must(t, strings.Fields("generate gaussians --samples 80 --set dims=12 --out g.npy --out-labels l.npy -q")...)
	must(t, strings.Fields("embed --method pca --in x.npy --out y.npy -q")...)
	for flags, words := range map[string][]string{
		"cluster --method kmeans --clusters 3 --in g.npy":                                    {"kmeans  ·  80 samples  ·  3 clusters", "principal component 1"},
		"cluster --method kmeans --clusters 3 --in x.npy --embedding y.npy":                  {"coordinate 1"},
		"cluster --method lnp --clusters 2 --in x.npy --image 1x3":                           {"lnp  ·  80 samples"},
		"select --method dpp --count 6 --in g.npy":                                           {"dpp  ·  6 exemplars of 80 samples", "principal component 2"},
		"select --method dpp --count 6 --in g.npy --image 3x4":                               {"principal component 2"},
		"factorize --method nmf --rank 4 --in g.npy --set shift=columns --image 3x4,columns": {"nmf  ·  80 samples  ·  4 components", "convergence"},
		"factorize --method nmf --rank 4 --in g.npy --set shift=columns":                     {"component 3", "objective"},
		"embed --method pca --dim 6 --in g.npy --labels l.npy":                               {"eigenvalues", "the first 5 of 6"},
		"compare --methods pca,mds --in g.npy --labels l.npy":                                {"g.npy  ·  trustworthiness after each name"},
	} {
		for _, format := range []string{"png", "svg", "pdf", "html"} {
			must(t, append(strings.Fields(flags), "--plot", "p."+format, "-q")...)
			text := string(read(t, "p."+format))
			if len(text) < 2000 {
				t.Errorf("%s: a .%s of %d bytes", flags, format, len(text))
			}
			for _, word := range words {
				if format == "svg" && !strings.Contains(text, ">"+word) {
					t.Errorf("%s: the picture lacks %q", flags, word)
				}
			}
		}
	}
}

// madePage is what a page of HTML holds.
type madePage struct {
	Samples int
	Panels  []struct {
		Marked []int
		SVG, Y string
	}
	Images struct {
		Width, Height int
		Sheets        []string
	}
}

func pageOf(t *testing.T, path string) (page madePage, text string) {
	t.Helper()
	_, after, _ := strings.Cut(string(read(t, path)), `id="data">`)
	text, _, _ = strings.Cut(after, "</script>")
	if err := json.Unmarshal([]byte(text), &page); err != nil {
		t.Fatal(err)
	}
	return page, text
}

// A folder of images has a shape: every picture shows them without being told.
func TestPlotKnowsTheShapeOfImages(t *testing.T) {
	inFolder(t, "")
	drawImages(t, "faces", 14, 4, 3)
	for _, command := range []string{
		"embed --method pca", "cluster --method kmeans --clusters 3", "select --method dpp --count 3", "compare --methods pca,mds",
	} {
		must(t, append(strings.Fields(command), "--in", "faces", "--plot", "p.html", "-q")...)
		if page, text := pageOf(t, "p.html"); page.Images.Height != 4 || page.Images.Width != 3 || page.Samples != 14 {
			t.Errorf("%s: %.200s", command, text)
		}
		if o := must(t, append(strings.Fields(command), "--in", "faces", "--plot", "p.png")...); strings.Contains(o.err, "--image") {
			t.Errorf("%s: %s", command, o.err)
		}
	}
	must(t, strings.Fields("factorize --method nmf --rank 2 --in faces --plot told.svg --image 4x3 -q")...)
	must(t, strings.Fields("factorize --method nmf --rank 2 --in faces --plot own.svg -q")...)
	if string(read(t, "told.svg")) != string(read(t, "own.svg")) {
		t.Error("components of a folder of images are drawn in another way than with --image")
	}
}

// Principal components in a picture are those of the samples as the method took them.
func TestPlotOfScaledSamples(t *testing.T) {
	inFolder(t, "")
	write(t, "x.csv", strings.Repeat("1,2000,3\n2,1000,5\n3,5000,1\n4,4000,4\n5,3000,2\n9,1500,8\n", 4))
	drawn := func(command, scale string) string {
		must(t, append(strings.Fields(command), "--in", "x.csv", "--scale", scale, "--plot", "p.html", "-q")...)
		page, _ := pageOf(t, "p.html")
		return page.Panels[len(page.Panels)-1].Y
	}
	for _, scale := range []string{"none", "standard"} {
		want := drawn("select --method dpp --count 2", scale)
		if got := drawn("cluster --method kmeans --clusters 2", scale); got != want {
			t.Errorf("--scale %s: clusters and exemplars stand elsewhere", scale)
		}
		if other := drawn("cluster --method kmeans --clusters 2", "robust"); other == want {
			t.Errorf("--scale %s: drawn as with --scale robust", scale)
		}
	}
}

// The page of HTML has the images of the samples and marks the exemplars.
func TestPlotHTMLHasImages(t *testing.T) {
	inFolder(t, "")
	must(t, strings.Fields("generate gaussians --samples 50 --set dims=12 --out g.npy -q")...)
	o := must(t, strings.Fields("select --method dpp --count 4 --in g.npy --out i.csv --plot p.html --image 3x4 --json -q")...)
	page, text := pageOf(t, "p.html")
	if page.Samples != 50 || page.Images.Width != 4 || page.Images.Height != 3 || len(page.Images.Sheets) != 1 || len(page.Panels) != 2 || len(page.Panels[1].Marked) != 4 || page.Panels[0].SVG == "" {
		t.Errorf("%.300s", text)
	}
	if o.object(t)["plot"] != "p.html" {
		t.Error("the report does not name the picture")
	}
}
