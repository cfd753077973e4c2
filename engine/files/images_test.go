package files

import (
	"bufio"
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
)

// painted is an image of which pixel (x, y) has a colour.
func painted(w, h int, at func(x, y int) color.Color) image.Image {
	im := image.NewNRGBA(image.Rect(3, 5, 3+w, 5+h)) // bounds need not begin at 0
	for y := range h {
		for x := range w {
			im.Set(3+x, 5+y, at(x, y))
		}
	}
	return im
}

func pngOf(t *testing.T, im image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	must.Do(t, png.Encode(&b, im))
	return b.Bytes()
}

func grey(x, y int) color.Color { return color.Gray{uint8(10*y + x)} }

func TestReadImages(t *testing.T) {
	folder := t.TempDir()
	put := func(name string, content []byte) { writeIn(t, folder, name, content) }
	put("b.png", pngOf(t, painted(3, 2, grey)))
	put("a.pgm", []byte("P5\n# a comment\n3 2\n255\n\x00\x01\x02\x0a\x0b\x0c"))
	put("c.pgm", []byte("P2 3 2 15\n0 3 15\n1 2 3\n"))
	put("d.ppm", []byte("P3 3 2 1000 1000 1000 1000 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"))
	put("notes.txt", []byte("no image"))
	put(".hidden.png", []byte("no image"))
	im := must.Get(ReadImages(folder, Options{}, ImageOptions{}))(t)
	if !slices.Equal(im.Names, []string{"a.pgm", "b.png", "c.pgm", "d.ppm"}) || im.Height != 2 || im.Width != 3 || im.Channels != 1 {
		t.Fatalf("%v, %d × %d × %d", im.Names, im.Height, im.Width, im.Channels)
	}
	want := []float64{0, 1, 2, 10, 11, 12, 0, 1, 2, 10, 11, 12, 0, 51, 255, 17, 34, 51, 255, 0, 0, 0, 0, 0}
	sameBits(t, im.X.RawMatrix().Data, want)
	if names := im.PixelNames(); !slices.Equal(names, []string{"r1c1", "r1c2", "r1c3", "r2c1", "r2c2", "r2c3"}) {
		t.Error(names)
	}

	// One with colours makes all coloured, whatever came before.
	put("e.png", pngOf(t, painted(3, 2, func(x, y int) color.Color { return color.NRGBA{uint8(x), uint8(y), 200, 255} })))
	im = must.Get(ReadImages(filepath.Join(folder, "[be].png"), Options{}, ImageOptions{}))(t)
	if im.Channels != 3 {
		t.Fatalf("%d channels", im.Channels)
	}
	sameBits(t, im.X.RawRowView(0)[:6], []float64{0, 0, 0, 1, 1, 1})
	sameBits(t, im.X.RawRowView(1)[:6], []float64{0, 0, 200, 1, 0, 200})
	if names := im.PixelNames(); names[1] != "r1c1green" || len(names) != 18 {
		t.Error(names)
	}
	im = must.Get(ReadImages(filepath.Join(folder, "e.png"), Options{}, ImageOptions{Grey: true}))(t)
	if want := 0.299*1 + 0.587*0 + 0.114*200; im.Channels != 1 || math.Abs(im.X.At(0, 1)-want) > 1e-12 {
		t.Errorf("%d channels, %v", im.Channels, im.X.RawRowView(0))
	}
}

func TestReadJPEGAndDeepPNG(t *testing.T) {
	folder := t.TempDir()
	var b bytes.Buffer
	flat := image.NewGray(image.Rect(0, 0, 8, 8))
	for i := range flat.Pix {
		flat.Pix[i] = 90
	}
	must.Do(t, jpeg.Encode(&b, flat, nil))
	writeIn(t, folder, "x.JPG", b.Bytes())
	deep := image.NewGray16(image.Rect(0, 0, 8, 8))
	for x := range 8 {
		deep.SetGray16(x, 0, color.Gray16{uint16(1000 * x)})
	}
	writeIn(t, folder, "y.png", pngOf(t, deep))
	im := must.Get(ReadImages(folder, Options{}, ImageOptions{}))(t)
	if im.Channels != 1 || math.Abs(im.X.At(0, 9)-90) > 1 || im.X.At(1, 3) != 3000.0/257 {
		t.Errorf("%d channels, %v and %v", im.Channels, im.X.At(0, 9), im.X.At(1, 3))
	}
}

// A side that shrinks takes means of areas, one that grows straight lines; a flat image stays
// flat, and brightness stays what it was.
func TestResized(t *testing.T) {
	p := picture{2, 4, 1, []float64{1, 3, 5, 7, 11, 13, 15, 17}}
	sameBits(t, p.resized(1, 2).pixels, []float64{7, 11})
	sameBits(t, p.resized(2, 4).pixels, p.pixels)
	thirds := p.resized(2, 3).pixels[:3]
	for i, want := range []float64{(1 + 3.0/3) / (4.0 / 3), (3*2.0/3 + 5*2.0/3) / (4.0 / 3), (5.0/3 + 7) / (4.0 / 3)} {
		if math.Abs(thirds[i]-want) > 1e-12 {
			t.Errorf("%v", thirds)
		}
	}
	line := picture{1, 2, 1, []float64{0, 8}}
	sameBits(t, line.resized(1, 4).pixels, []float64{0, 2, 6, 8})
	sameBits(t, picture{1, 1, 3, []float64{1, 2, 3}}.resized(1, 2).pixels, []float64{1, 2, 3, 1, 2, 3})
	for _, size := range []int{1, 2, 3, 5, 7, 16, 40} {
		flat := picture{7, 7, 1, slices.Repeat([]float64{6}, 49)}.resized(size, size)
		for _, v := range flat.pixels {
			if math.Abs(v-6) > 1e-12 || len(flat.pixels) != size*size {
				t.Fatalf("%d: %v", size, flat.pixels)
			}
		}
	}
}

func TestImageFaults(t *testing.T) {
	whole := pngOf(t, painted(3, 2, grey))
	for name, c := range map[string]struct {
		content []byte
		want    string
	}{
		"x.png":         {[]byte("text"), "it is no PNG or JPEG image"},
		"cut.png":       {whole[:len(whole)-30], "the image is damaged: png"},
		"x.pgm":         {[]byte("P7 2 2 255\n"), "it is no PGM or PPM image"},
		"empty.pgm":     {nil, "ends early"},
		"short.pgm":     {[]byte("P5 3 2 255\nabc"), "ends early"},
		"wide.pgm":      {[]byte("P5 100000 100000 255\n"), "larger than any that is read"},
		"huge.pgm":      {[]byte("P5 99999999999999 1 255\n"), "is damaged"},
		"level.pgm":     {[]byte("P2 1 1 15\n16\n"), "is not a number from 0 to 15"},
		"byte.pgm":      {[]byte("P5 1 1 15\n\xff"), "a level is 255 where 15"},
		"most.pgm":      {[]byte("P5 1 1 0\n\x00"), "which is not from 1 to 65535"},
		"letters.pgm":   {[]byte("P2 1 x 15\n16\n"), "is not a number"},
		"nothing.ppm":   {[]byte("P3 0 1 15\n16\n"), "is empty"},
		"unending.pgm":  {[]byte("P2 # no end"), "ends early"},
		"long word.pgm": {[]byte("P2 00000000000000000001 1 1 1"), "is not a number"},
	} {
		path := write(t, name, c.content)
		_, err := ReadImages(path, Options{}, ImageOptions{})
		wantError(t, err, OpRead, path, c.want)
	}
	folder := t.TempDir()
	_, err := ReadImages(folder, Options{}, ImageOptions{})
	wantError(t, err, OpRead, folder, "the folder holds no images")
	writeIn(t, folder, "a.png", whole)
	writeIn(t, folder, "b.png", pngOf(t, painted(4, 4, grey)))
	_, err = ReadImages(folder, Options{}, ImageOptions{})
	wantError(t, err, OpRead, filepath.Join(folder, "b.png"), "it is 4 × 4 pixels (height × width) where a.png is 2 × 3: bring all to one size (ImageOptions.Height and Width), such as 2x3")
	if im, err := ReadImages(folder, Options{}, ImageOptions{Height: 2, Width: 2}); err != nil || im.Height != 2 {
		t.Errorf("%v", err)
	}
	_, err = ReadImages(folder, Options{MaxBytes: 64}, ImageOptions{Height: 200, Width: 200})
	if err == nil || !IsTooLarge(err) {
		t.Errorf("beyond the limit: %v", err)
	}
	none := filepath.Join(folder, "*.jpg")
	_, err = ReadImages(none, Options{}, ImageOptions{})
	wantError(t, err, OpRead, none, "the pattern matches no file")
	bad := filepath.Join(folder, "[.png")
	_, err = ReadImages(bad, Options{}, ImageOptions{})
	wantError(t, err, OpRead, bad, "it is not a pattern")
	for path, is := range map[string]bool{folder: true, "faces/*.png": true, "x.JPEG": true, "x.npy": false, "none": false} {
		if IsImages(path) != is {
			t.Errorf("%s: %t", path, !is)
		}
	}
}

// Files with the same name in several folders are distinguished by their folders.
func TestImageNames(t *testing.T) {
	if got := shortNames([]string{"a/x.png", "b/x.png"}); !slices.Equal(got, []string{"a/x.png", "b/x.png"}) {
		t.Error(got)
	}
	if got := shortNames([]string{"a/x.png", "b/y.png"}); !slices.Equal(got, []string{"x.png", "y.png"}) {
		t.Error(got)
	}
}

func FuzzPNM(f *testing.F) {
	f.Add([]byte("P5\n# a comment\n3 2\n255\n\x00\x01\x02\x0a\x0b\x0c"))
	f.Add([]byte("P3 1 1 1000 7 8 9"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := decodePNM(bufio.NewReader(bytes.NewReader(b)))
		if err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q is not a line", err)
			}
			return
		}
		if len(p.pixels) != p.height*p.width*p.channels {
			t.Fatal(fmt.Sprint(p))
		}
		for _, v := range p.pixels {
			if !(v >= 0 && v <= 255) {
				t.Fatalf("a level of %v", v)
			}
		}
	})
}

// writeIn writes a file into a folder.
func writeIn(t *testing.T, folder, name string, content []byte) {
	t.Helper()
	must.Do(t, os.WriteFile(filepath.Join(folder, name), content, 0o666))
}

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
	must.Do(t, WriteImages(folder, names, x, 2, 3))
	im := must.Get(ReadImages(folder, Options{}, ImageOptions{}))(t)
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
		must.Refuse(t, c.want)(WriteImages(folder, c.names, c.x, 2, 3))
	}
	onlyFiles(t, folder)
}
