package main

import (
	"cmp"
	"image"
	"image/color"
	"slices"
)

// What a picture on a page is brought to: no wider than the text of a page, and of this many
// colours that each pixel takes few bits.
const (
	pageWidth   = 800
	pageColours = 64
)

// narrowed is an opaque picture of at most that many pixels across: each is the mean of
// the pixels that it covers.
func narrowed(im image.Image, width int) *image.RGBA {
	b := im.Bounds()
	w, h := min(width, b.Dx()), b.Dy()
	if b.Dx() > width {
		h = (b.Dy()*width + b.Dx()/2) / b.Dx()
	}
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			// The pixels in part covered count whole: the difference is not seen.
			x0, x1 := x*b.Dx()/w, ((x+1)*b.Dx()+w-1)/w
			y0, y1 := y*b.Dy()/h, ((y+1)*b.Dy()+h-1)/h
			var sum [3]int
			for j := y0; j < y1; j++ {
				for i := x0; i < x1; i++ {
					c := color.RGBAModel.Convert(im.At(b.Min.X+i, b.Min.Y+j)).(color.RGBA)
					sum[0], sum[1], sum[2] = sum[0]+int(c.R), sum[1]+int(c.G), sum[2]+int(c.B)
				}
			}
			n := (x1 - x0) * (y1 - y0)
			out.SetRGBA(x, y, color.RGBA{uint8(sum[0] / n), uint8(sum[1] / n), uint8(sum[2] / n), 255})
		}
	}
	return out
}

// counted is a colour and how many pixels have it.
type counted struct {
	rgb    [3]uint8
	pixels int
}

// fewColours is the picture in at most that many colours, by median cut (Heckbert 1982):
// the box of colours that is widest, counted by the root of its pixels so that rare colours
// are not lost, is halved until there are enough.
func fewColours(im *image.RGBA, most int) *image.Paletted {
	times := map[[3]uint8]int{}
	for i := 0; i < len(im.Pix); i += 4 {
		times[[3]uint8(im.Pix[i:i+3])]++
	}
	var all []counted
	for rgb, n := range times {
		all = append(all, counted{rgb, n})
	}
	slices.SortFunc(all, func(a, b counted) int { return slices.Compare(a.rgb[:], b.rgb[:]) })
	boxes := [][]counted{all}
	for len(boxes) < most {
		widest, axis, score := -1, 0, 0
		for i, box := range boxes {
			for a := range 3 {
				if s := spread(box, a) * root(box); len(box) > 1 && s > score {
					widest, axis, score = i, a, s
				}
			}
		}
		if widest < 0 {
			break
		}
		box := boxes[widest]
		slices.SortStableFunc(box, func(a, b counted) int { return cmp.Compare(a.rgb[axis], b.rgb[axis]) })
		half, at := 0, 0
		for total := pixels(box); at < len(box)-1 && 2*half < total; at++ {
			half += box[at].pixels
		}
		at = max(at, 1)
		boxes = append(boxes, box[at:])
		boxes[widest] = box[:at]
	}
	index := map[[3]uint8]uint8{}
	var palette color.Palette
	for i, box := range boxes {
		palette = append(palette, mean(box))
		for _, c := range box {
			index[c.rgb] = uint8(i)
		}
	}
	out := image.NewPaletted(im.Rect, palette)
	for i := range out.Pix {
		out.Pix[i] = index[[3]uint8(im.Pix[4*i:4*i+3])]
	}
	return out
}

func spread(box []counted, axis int) int {
	lo, hi := uint8(255), uint8(0)
	for _, c := range box {
		lo, hi = min(lo, c.rgb[axis]), max(hi, c.rgb[axis])
	}
	return int(hi) - int(lo)
}

func pixels(box []counted) (n int) {
	for _, c := range box {
		n += c.pixels
	}
	return n
}

// root is about the fourth root of the pixels, as a whole number.
func root(box []counted) int {
	r := 1
	for n := pixels(box); r*r*r*r < n; {
		r++
	}
	return r
}

func mean(box []counted) color.RGBA {
	var sum [3]int
	for _, c := range box {
		for a := range 3 {
			sum[a] += int(c.rgb[a]) * c.pixels
		}
	}
	n := pixels(box)
	return color.RGBA{uint8((sum[0] + n/2) / n), uint8((sum[1] + n/2) / n), uint8((sum[2] + n/2) / n), 255}
}
