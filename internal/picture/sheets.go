package picture

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/draw"
	"image/png"
)

// sheets are the images of all samples side by side, on as few large ones as browsers take.
type sheets struct {
	Width  int      `json:"width"` // of one
	Height int      `json:"height"`
	Across int      `json:"across"` // images in a row of a sheet
	Each   int      `json:"each"`   // images of a sheet
	Sheets []string `json:"sheets"` // PNG, as addresses that hold their data
}

const (
	sheetSide  = 2048    // pixels
	mostPixels = 1 << 25 // of all images together; larger ones are made smaller
	mostSide   = 128     // of an image
)

// sheets lays the images out. They are reduced where there would be too many pixels.
func (m *Images) sheets() (*sheets, error) {
	n, cols := m.Rows.Dims()
	width, height, halvings := m.Width, m.Height, 0
	for (n*width*height > mostPixels || width > mostSide || height > mostSide) && width > 8 && height > 8 {
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
