package draw

import (
	"bytes"
	"image/png"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
)

// Five images of 2 × 3 pixels lie on two rows of three; pixels go down the columns, and
// each image has its own scale.
func TestMontage(t *testing.T) {
	x := mat.NewDense(5, 6, nil)
	x.SetRow(0, []float64{0, 1, 2, 3, 4, 5})
	x.SetRow(4, []float64{-10, 10, 0, 0, 0, 0})
	m := Montage{Images: x, Height: 2}
	width, height := m.Size()
	if width != 3*9+2*3 || height != 2*6+3 {
		t.Fatalf("%d × %d dots", width, height)
	}
	data := must.Get(m.PNG())(t)
	picture := must.Get(png.Decode(bytes.NewReader(data)))(t)
	for _, c := range []struct {
		x, y  int
		shade uint32
		clear bool
	}{
		{0, 0, 0, false}, {1, 4, 52, false}, {4, 1, 101, false}, {8, 5, 255, false}, // the first image
		{10, 1, 0, true}, {13, 1, 0, false}, // a gap, an image of zeros
		{12, 9, 0, false}, {13, 14, 255, false}, {16, 10, 129, false}, // the last image, from -10 to 10
		{30, 12, 0, true}, // nothing is there
	} {
		r, _, _, a := picture.At(c.x, c.y).RGBA()
		if clear := a == 0; clear != c.clear || !clear && r>>8 != c.shade {
			t.Errorf("(%d, %d) is %d, alpha %d", c.x, c.y, r>>8, a>>8)
		}
	}
	for _, h := range []int{0, 4} {
		if _, err := (Montage{Images: x, Height: h}).PNG(); err == nil {
			t.Errorf("images of 6 pixels have no columns of %d", h)
		}
	}
}
