package main

import (
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/must"
)

// The sections of all methods and the tutorial show pictures that their own commands draw, the
// pages of the methods no others, and those in docs/images are small.
func TestPagesShowWhatTheirCommandsDraw(t *testing.T) {
	const largest = 60_000 // bytes
	root := golden.Root(t)
	list := must.Get(illustrated(root))(t)
	if want := len(engine.Methods()) + 1; len(list) != want {
		t.Errorf("%d illustrated sections, not %d", len(list), want)
	}
	shownOn := map[string]int{}
	for _, x := range list {
		shown, own := pictures(x.text), drawn(x.text)
		if len(own) == 0 || !slices.Equal(shown, own) {
			t.Errorf("%s: %s shows %q, of which its commands draw %q", x.page, x.name, shown, own)
		}
		shownOn[x.page] += len(shown)
		for _, address := range shown {
			path := filepath.Join(filepath.Dir(x.page), filepath.FromSlash(address))
			f, err := os.Open(path)
			if err != nil {
				t.Errorf("%v: run make images", err)
				continue
			}
			c, err := png.DecodeConfig(f)
			if err != nil || c.Width > pageWidth {
				t.Errorf("%s: %d pixels wide, %v", path, c.Width, err)
			}
			if info, err := f.Stat(); err != nil || info.Size() > largest {
				t.Errorf("%s has more than %d bytes (%v)", path, largest, err)
			}
			f.Close()
		}
	}
	for page, shown := range shownOn {
		text := must.Get(os.ReadFile(page))(t)
		if all := len(pictures(string(text))); all != shown {
			t.Errorf("%s shows %d pictures, %d of them in the sections of methods", page, all, shown)
		}
	}
}

// A picture of few colours keeps each of them; of many, none is far from what it was.
func TestFewColours(t *testing.T) {
	im := image.NewRGBA(image.Rect(0, 0, 64, 64))
	for i := range 64 * 64 {
		im.SetRGBA(i%64, i/64, color.RGBA{uint8(i % 64 * 4), uint8(i / 64 * 4), 7, 255})
	}
	im.SetRGBA(5, 5, color.RGBA{0, 0, 255, 255}) // one pixel unlike all others
	out := fewColours(im, 64)
	if len(out.Palette) != 64 {
		t.Errorf("%d colours", len(out.Palette))
	}
	for i := range 64 * 64 {
		x, y := i%64, i/64
		have, want := color.RGBAModel.Convert(out.At(x, y)).(color.RGBA), im.RGBAAt(x, y)
		for _, d := range []int{int(have.R) - int(want.R), int(have.G) - int(want.G), int(have.B) - int(want.B)} {
			if max(d, -d) > 40 {
				t.Fatalf("at %d, %d: %v for %v", x, y, have, want)
			}
		}
	}
	few := image.NewRGBA(image.Rect(0, 0, 3, 1))
	for x, c := range []uint8{0, 9, 255} {
		few.SetRGBA(x, 0, color.RGBA{c, c, c, 255})
	}
	exact := fewColours(few, 64)
	for x, c := range []uint8{0, 9, 255} {
		if r, _, _, _ := exact.At(x, 0).RGBA(); uint8(r>>8) != c {
			t.Errorf("colour %d became %d", c, r>>8)
		}
	}
}

func TestNarrowed(t *testing.T) {
	im := image.NewGray(image.Rect(0, 0, 200, 50))
	for i := range im.Pix {
		im.Pix[i] = uint8(i % 200)
	}
	out := narrowed(im, 100)
	if b := out.Bounds(); b.Dx() != 100 || b.Dy() != 25 {
		t.Errorf("%v", b)
	}
	if c := out.RGBAAt(40, 3); c.R != 80 || c.A != 255 {
		t.Errorf("the mean of 80 and 81 is %v", c)
	}
	if b := narrowed(im, 800).Bounds(); b.Dx() != 200 || b.Dy() != 50 {
		t.Errorf("a small picture became %v", b)
	}
}
