package draw

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"

	"gonum.org/v1/gonum/mat"
)

// Montage shows images side by side on a grid about as wide as it is high, such as the
// components of a factorisation of faces. Each is grey from its own least value, or 0
// where that is higher, to its greatest: black to white.
type Montage struct {
	Images *mat.Dense // an image a row, its pixels column by column
	Height int        // of an image, in pixels
}

// Dots a pixel of the images takes, and between two images; and shades of grey, which are
// few, as a page holds many pictures.
const (
	montageZoom   = 3
	montageGap    = 3
	montageShades = 64
)

// montagePalette has the ground, which is clear, and the shades.
var montagePalette = func() color.Palette {
	list := color.Palette{color.NRGBA{}}
	for i := range montageShades {
		list = append(list, color.Gray{Y: uint8(255 * i / (montageShades - 1))})
	}
	return list
}()

// layout is the number of rows and columns of the grid, and the width of an image.
func (m Montage) layout() (rows, cols, width int) {
	n, pixels := m.Images.Dims()
	cols = int(math.Ceil(math.Sqrt(float64(n))))
	return (n + cols - 1) / cols, cols, pixels / m.Height
}

// Size is the width and height of the picture in dots.
func (m Montage) Size() (width, height int) {
	rows, cols, across := m.layout()
	side := func(count, pixels int) int { return count*(pixels*montageZoom+montageGap) - montageGap }
	return side(cols, across), side(rows, m.Height)
}

// PNG draws the images, on a transparent ground. It is an error where their pixels are no
// columns of Height.
func (m Montage) PNG() ([]byte, error) {
	n, pixels := m.Images.Dims()
	if m.Height < 1 || pixels%m.Height != 0 {
		return nil, fmt.Errorf("draw: images of %d pixels have no columns of %d", pixels, m.Height)
	}
	_, cols, across := m.layout()
	width, height := m.Size()
	canvas := image.NewPaletted(image.Rect(0, 0, width, height), montagePalette)
	for i := range n {
		row := m.Images.RawRowView(i)
		low, high := min(mat.Min(m.Images.RowView(i)), 0), mat.Max(m.Images.RowView(i))
		left, top := i%cols*(across*montageZoom+montageGap), i/cols*(m.Height*montageZoom+montageGap)
		for at, v := range row {
			shade := uint8(1)
			if high > low {
				shade += uint8(math.Round((montageShades - 1) * (v - low) / (high - low)))
			}
			x, y := left+at/m.Height*montageZoom, top+at%m.Height*montageZoom
			for dot := range montageZoom * montageZoom {
				canvas.SetColorIndex(x+dot%montageZoom, y+dot/montageZoom, shade)
			}
		}
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err := encoder.Encode(&b, canvas)
	return b.Bytes(), err
}
