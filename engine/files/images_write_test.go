package files

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// What is written is read again, rounded and within 0 to 255; more images than are open at
// a time.
func TestImagesAreWritten(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new", "images")
	n := imagesAtOnce + 3
	x, names := mat.NewDense(n, 6, nil), make([]string, n)
	for i := range n {
		x.SetRow(i, []float64{float64(i), -7, 255.4, 300, 0.5, 128.2})
		names[i] = "a" + strings.Repeat("b", i) + ".png"
	}
	if err := WriteImages(folder, names, x, 2, 3); err != nil {
		t.Fatal(err)
	}
	im, err := ReadImages(folder, Options{}, ImageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if im.Height != 2 || im.Width != 3 || im.Channels != 1 || len(im.Names) != n {
		t.Fatalf("%d images of %d × %d", len(im.Names), im.Height, im.Width)
	}
	for i := range n {
		if want := []float64{float64(i), 0, 255, 255, 1, 128}; !slices.Equal(im.X.RawRowView(i), want) {
			t.Errorf("image %d: %v, want %v", i, im.X.RawRowView(i), want)
		}
	}
}

func TestImagesAreNotWritten(t *testing.T) {
	folder := t.TempDir()
	for _, c := range []struct {
		x     *mat.Dense
		names []string
		want  string
	}{
		{mat.NewDense(2, 5, nil), []string{"a.png", "b.png"}, "2 × 5 numbers are not 2 images of 2 × 3 pixels"},
		{mat.NewDense(2, 6, nil), []string{"a.png"}, "are not 1 images"},
		{mat.NewDense(2, 6, []float64{5: 1, 11: math.NaN()}), []string{"a.png", "b.png"}, "b.png: a pixel is NaN"},
	} {
		if err := WriteImages(folder, c.names, c.x, 2, 3); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %q", err, c.want)
		}
	}
	onlyFiles(t, folder)
}
