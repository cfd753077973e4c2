package files

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // decoded by its first bytes
	_ "image/png"  // likewise
	"io"
	"path/filepath"
	"strings"

	"github.com/orthant-go/orthant/internal/disk"
)

// picture is an image as numbers from 0 to 255, row by row, with 1 or 3 for each pixel.
type picture struct {
	height, width, channels int
	pixels                  []float64
}

// mostPixels bounds what the header of an image may claim.
const mostPixels = 1 << 26

// checkSize refuses sizes of no image.
func checkSize(height, width int) error {
	if height < 1 || width < 1 || height > mostPixels/width {
		return fmt.Errorf("an image of %d × %d pixels is empty, or larger than any that is read (%d pixels)", height, width, mostPixels)
	}
	return nil
}

// readPicture reads an image. One whose pixels have no colour is grey, however it is stored.
func readPicture(path string) (picture, error) {
	f, err := disk.Open(path)
	if err != nil {
		return picture{}, err
	}
	defer f.Close()
	switch strings.ToLower(filepath.Ext(path)) {
	case ".pgm", ".ppm":
		return decodePNM(bufio.NewReader(f))
	}
	return decodePicture(f)
}

// decodePicture decodes PNG and JPEG.
func decodePicture(f io.ReadSeeker) (picture, error) {
	about, format, err := image.DecodeConfig(bufio.NewReader(f))
	if err == nil && format != "png" && format != "jpeg" { // a package of the program may know more of them
		err = image.ErrFormat
	}
	if err != nil {
		return picture{}, notDecoded(err)
	}
	if err := checkSize(about.Height, about.Width); err != nil {
		return picture{}, err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return picture{}, err
	}
	decoded, _, err := image.Decode(bufio.NewReader(f))
	if err != nil {
		return picture{}, notDecoded(err)
	}
	return pictureOf(decoded), nil
}

func notDecoded(err error) error {
	if errors.Is(err, image.ErrFormat) {
		return errors.New("it is no PNG or JPEG image")
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return errors.New("the image ends early (truncated?)")
	}
	return fmt.Errorf("the image is damaged: %w", err)
}

// pictureOf takes the pixels of a decoded image.
func pictureOf(decoded image.Image) picture {
	b := decoded.Bounds()
	p := picture{b.Dy(), b.Dx(), 3, make([]float64, 0, 3*b.Dy()*b.Dx())}
	grey := true
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, b := levels(decoded.At(x, y))
			grey = grey && r == g && g == b
			p.pixels = append(p.pixels, r, g, b)
		}
	}
	if grey {
		for i := range p.height * p.width {
			p.pixels[i] = p.pixels[3*i]
		}
		p.channels, p.pixels = 1, p.pixels[:p.height*p.width]
	}
	return p
}

// levels are red, green and blue from 0 to 255; 16 bits a channel keep their fractions.
func levels(c color.Color) (r, g, b float64) {
	const full = 257 // 65535 / 255
	red, green, blue, _ := c.RGBA()
	return float64(red) / full, float64(green) / full, float64(blue) / full
}

// toGrey makes brightness of colours, by the weights of ITU-R BT.601.
func (p *picture) toGrey() {
	if p.channels == 1 {
		return
	}
	for i := range p.height * p.width {
		p.pixels[i] = 0.299*p.pixels[3*i] + 0.587*p.pixels[3*i+1] + 0.114*p.pixels[3*i+2]
	}
	p.channels, p.pixels = 1, p.pixels[:p.height*p.width]
}

// toChannels repeats a grey level for each channel.
func (p *picture) toChannels(channels int) {
	if p.channels == channels {
		return
	}
	wide := make([]float64, 0, channels*len(p.pixels))
	for _, v := range p.pixels {
		for range channels {
			wide = append(wide, v)
		}
	}
	p.channels, p.pixels = channels, wide
}
