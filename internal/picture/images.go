package picture

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
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

// Shared gives all images the same black and white, from the least and the greatest number
// in some of the rows.
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

// sheets are the images of all samples side by side, on as few large ones as browsers take.
type sheets struct {
	Width  int      `json:"width"` // of one
	Height int      `json:"height"`
	Across int      `json:"across"` // images in a row of a sheet
	Each   int      `json:"each"`   // images of a sheet
	Sheets []string `json:"sheets"` // PNG, as addresses that hold their data
}

const (
	sheetSide = 2048    // pixels
	maxPixels = 1 << 25 // of all images together; larger ones are made smaller
	maxSide   = 128     // of an image
)

// sheets lays the images out. They are reduced where there would be too many pixels.
func (m *Images) sheets() (*sheets, error) {
	n, cols := m.Rows.Dims()
	width, height, halvings := m.Width, m.Height, 0
	for (n*width*height > maxPixels || width > maxSide || height > maxSide) && width > 8 && height > 8 {
		width, height, halvings = width/2, height/2, halvings+1
	}
	s := &sheets{Width: width, Height: height, Across: max(sheetSide/width, 1)}
	s.Each = s.Across * max(sheetSide/height, 1)
	for lo := 0; lo < n; lo += s.Each {
		hi := min(lo+s.Each, n)
		rows := (hi - lo + s.Across - 1) / s.Across
		bounds := image.Rect(0, 0, min(hi-lo, s.Across)*width, rows*height)
		var sheet draw.Image = image.NewGray(bounds)
		if cols > m.Width*m.Height {
			sheet = image.NewNRGBA(bounds)
		}
		for i := lo; i < hi; i++ {
			left, top := (i-lo)%s.Across*width, (i-lo)/s.Across*height
			at := image.Rect(left, top, left+width, top+height)
			one := m.At(i)
			for range halvings {
				one = halved(one)
			}
			draw.Draw(sheet, at, one, image.Point{}, draw.Src)
		}
		var b bytes.Buffer
		if err := png.Encode(&b, sheet); err != nil {
			return nil, err
		}
		s.Sheets = append(s.Sheets, "data:image/png;base64,"+base64.StdEncoding.EncodeToString(b.Bytes()))
	}
	return s, nil
}

// halved is an image of half the side, each pixel the mean of four.
func halved(whole image.Image) image.Image {
	size := whole.Bounds().Size()
	half := image.NewNRGBA(image.Rect(0, 0, size.X/2, size.Y/2))
	for y := range size.Y / 2 {
		for x := range size.X / 2 {
			var sum [3]uint32
			for q := range 4 {
				r, g, b, _ := whole.At(2*x+q%2, 2*y+q/2).RGBA()
				sum[0], sum[1], sum[2] = sum[0]+r, sum[1]+g, sum[2]+b
			}
			half.SetNRGBA(x, y, color.NRGBA{uint8(sum[0] >> 10), uint8(sum[1] >> 10), uint8(sum[2] >> 10), 255})
		}
	}
	return half
}
