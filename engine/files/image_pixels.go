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
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/internal/disk"
)

// picture is an image as numbers from 0 to 255, row by row, with 1 or 3 for each pixel.
type picture struct {
	height, width, channels int
	pixels                  []float64
}

// maxPixels bounds what the header of an image may claim.
const maxPixels = 1 << 26

// checkSize refuses invalid image sizes.
func checkSize(height, width int) error {
	if height < 1 || width < 1 || height > maxPixels/width {
		return fmt.Errorf("an image of %d × %d pixels is empty, or larger than any that is read (%d pixels)", height, width, maxPixels)
	}
	return nil
}

// readPicture reads an image. An image whose pixels all have no colour is grey, however it is stored.
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
	if err == nil && format != "png" && format != "jpeg" { // another package may have registered more formats
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

// pictureOf returns the pixels of a decoded image.
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

// toGrey converts colours to brightness with the weights of ITU-R BT.601.
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

// decodePNM decodes PGM and PPM: a magic number, width, height and the largest level as
// words of text with comments between them, then the levels, as text (P2, P3) or binary (P5,
// P6), with two bytes each, the higher first, where the largest is above 255.
func decodePNM(r *bufio.Reader) (picture, error) {
	magic := make([]byte, 2)
	if _, err := io.ReadFull(r, magic); err != nil {
		return picture{}, errors.New("the image ends early (truncated?)")
	}
	channels := map[string]int{"P2": 1, "P5": 1, "P3": 3, "P6": 3}[string(magic)]
	if channels == 0 {
		return picture{}, errors.New("it is no PGM or PPM image")
	}
	var about [3]int
	for i := range about {
		v, err := pnmNumber(r, maxPixels)
		if err != nil {
			return picture{}, err
		}
		about[i] = v
	}
	width, height, most := about[0], about[1], about[2]
	if err := checkSize(height, width); err != nil {
		return picture{}, err
	}
	if most < 1 || most > 65535 {
		return picture{}, fmt.Errorf("its largest level is %d, which is not from 1 to 65535: the image is damaged", most)
	}
	p := picture{height, width, channels, nil}
	next := func() (int, error) { return pnmNumber(r, most) }
	if magic[1] >= '5' {
		next = func() (int, error) { return pnmByte(r, most) }
	}
	grey := true
	for range height * width * channels {
		v, err := next()
		if err != nil {
			return picture{}, err
		}
		p.pixels = append(p.pixels, float64(v)*255/float64(most))
		if n := len(p.pixels); channels == 3 && n%3 == 0 {
			grey = grey && p.pixels[n-1] == p.pixels[n-2] && p.pixels[n-2] == p.pixels[n-3]
		}
	}
	if channels == 3 && grey {
		for i := range height * width {
			p.pixels[i] = p.pixels[3*i]
		}
		p.channels, p.pixels = 1, p.pixels[:height*width]
	}
	return p, nil
}

// pnmByte reads a binary level.
func pnmByte(r *bufio.Reader, most int) (int, error) {
	high := byte(0)
	low, err := r.ReadByte()
	if err == nil && most > 255 {
		high = low
		low, err = r.ReadByte()
	}
	v := int(high)<<8 | int(low)
	if err != nil {
		return 0, errors.New("the image ends early (truncated?)")
	}
	if v > most {
		return 0, fmt.Errorf("a level is %d where %d is said to be the largest: the image is damaged", v, most)
	}
	return v, nil
}

// pnmNumber reads a sequence of digits and the one character after it. Blanks, and comments to
// the end of a line, may precede it.
func pnmNumber(r *bufio.Reader, most int) (int, error) {
	var digits []byte
	for {
		c, err := r.ReadByte()
		switch {
		case err != nil && len(digits) == 0:
			return 0, errors.New("the image ends early (truncated?)")
		case err != nil || len(digits) > 0 && isSpace(c):
			v, err := strconv.Atoi(string(digits))
			if err != nil || v > most {
				return 0, fmt.Errorf("%s is not a number from 0 to %d: the image is damaged", excerpt(digits), most)
			}
			return v, nil
		case isSpace(c):
		case c == '#' && len(digits) == 0:
			if _, err := r.ReadString('\n'); err != nil {
				return 0, errors.New("the image ends early (truncated?)")
			}
		case len(digits) > 10:
			return 0, fmt.Errorf("%s is not a number from 0 to %d: the image is damaged", excerpt(digits), most)
		default:
			digits = append(digits, c)
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

// resized scales a picture to another size, one side after the other: a side that shrinks
// by the mean over the area of each new pixel, a side that grows by linear interpolation between the
// centres of pixels.
func (p picture) resized(height, width int) picture {
	if p.height == height && p.width == width {
		return p
	}
	c := p.channels
	across := picture{p.height, width, c, make([]float64, p.height*width*c)}
	for x, mix := range mixtures(p.width, width) {
		for y := range p.height {
			for k := range c {
				var sum float64
				for i, w := range mix.weights {
					sum += w * p.pixels[(y*p.width+mix.first+i)*c+k]
				}
				across.pixels[(y*width+x)*c+k] = sum
			}
		}
	}
	down := picture{height, width, c, make([]float64, height*width*c)}
	for y, mix := range mixtures(p.height, height) {
		row := down.pixels[y*width*c : (y+1)*width*c]
		for i, w := range mix.weights {
			from := across.pixels[(mix.first+i)*width*c:]
			for j := range row {
				row[j] += w * from[j]
			}
		}
	}
	return down
}

// mixture lists the old pixels whose weighted mean is a new pixel.
type mixture struct {
	first   int
	weights []float64 // of sum 1
}

// mixtures are the mixtures of all new pixels of a side.
func mixtures(from, to int) []mixture {
	all := make([]mixture, to)
	ratio := float64(from) / float64(to)
	for i := range all {
		if to < from {
			all[i] = areaMixture(float64(i)*ratio, float64(i+1)*ratio, from)
			continue
		}
		at := min(max((float64(i)+0.5)*ratio-0.5, 0), float64(from-1))
		first := min(int(at), max(from-2, 0))
		if all[i].first = first; from == 1 {
			all[i].weights = []float64{1}
		} else {
			all[i].weights = []float64{1 - (at - float64(first)), at - float64(first)}
		}
	}
	return all
}

// areaMixture is the mean over lo ≤ x < hi.
func areaMixture(lo, hi float64, from int) mixture {
	m := mixture{first: int(lo)}
	for j := m.first; j < from && float64(j) < hi; j++ {
		if share := math.Min(hi, float64(j+1)) - math.Max(lo, float64(j)); share > 0 || len(m.weights) > 0 {
			m.weights = append(m.weights, max(share, 0)/(hi-lo))
		} else {
			m.first++
		}
	}
	return m
}
