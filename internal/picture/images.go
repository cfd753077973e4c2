package picture

import (
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// Images are rows that are images: grey with a number a pixel, or colour with three, red,
// green and blue.
type Images struct {
	Rows          mat.Matrix
	Height, Width int
	Columns       bool // pixels come column by column, not row by row

	from, to float64 // black and white, where all images have the same; equal: each has its own
}

// ParseImages reads the shape of images: 32x32 for height and width, with ",columns" where their
// pixels come column by column.
func ParseImages(text string) (Images, error) {
	shape, order, ordered := strings.Cut(text, ",")
	high, wide, two := strings.Cut(shape, "x")
	height, err := strconv.Atoi(high)
	width, other := strconv.Atoi(wide)
	if !two || err != nil || other != nil || height < 1 || width < 1 || height > 1<<15 || width > 1<<15 || ordered && order != "columns" && order != "rows" {
		return Images{}, fmt.Errorf("give height and width, such as 32x32, or 32x32,columns where the pixels come column by column")
	}
	return Images{Height: height, Width: width, Columns: order == "columns"}, nil
}

// Of are images of that shape in rows. It is an error where the rows are not as long.
func (m Images) Of(rows mat.Matrix) (*Images, error) {
	if _, cols := rows.Dims(); cols != m.Height*m.Width && cols != 3*m.Height*m.Width {
		return nil, fmt.Errorf("images of %d × %d have %d pixels (in colour %d numbers), and the data have %d columns", m.Height, m.Width, m.Height*m.Width, 3*m.Height*m.Width, cols)
	}
	m.Rows = rows
	return &m, nil
}

// Shared gives all images the same black and white, those of the least and the greatest number
// among some of the rows.
func (m *Images) Shared(rows []int) *Images {
	same := *m
	same.from, same.to = math.Inf(1), math.Inf(-1)
	for _, i := range rows {
		low, high := m.spread(i)
		same.from, same.to = min(same.from, low), max(same.to, high)
	}
	return &same
}

// spread is the least and the greatest finite number of a row.
func (m *Images) spread(i int) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	_, cols := m.Rows.Dims()
	for j := range cols {
		if v := m.Rows.At(i, j); v-v == 0 {
			low, high = min(low, v), max(high, v)
		}
	}
	return low, high
}

// At draws the image of row i: black at the least number and white at the greatest. Numbers that
// are not negative are black at 0.
func (m *Images) At(i int) image.Image {
	low, high := m.from, m.to
	if low == high {
		if low, high = m.spread(i); low > 0 {
			low = 0
		}
	}
	canvas := image.NewNRGBA(image.Rect(0, 0, m.Width, m.Height))
	_, cols := m.Rows.Dims()
	depth := cols / (m.Height * m.Width)
	level := func(pixel, channel int) uint8 {
		v := m.Rows.At(i, pixel*depth+channel)
		if v-v != 0 || !(high > low) {
			return 0
		}
		return uint8(math.Round(255 * min(max((v-low)/(high-low), 0), 1)))
	}
	for y := range m.Height {
		for x := range m.Width {
			pixel := y*m.Width + x
			if m.Columns {
				pixel = x*m.Height + y
			}
			shade := color.NRGBA{A: 255}
			if shade.R = level(pixel, 0); depth == 3 {
				shade.G, shade.B = level(pixel, 1), level(pixel, 2)
			} else {
				shade.G, shade.B = shade.R, shade.R
			}
			canvas.SetNRGBA(x, y, shade)
		}
	}
	return canvas
}
