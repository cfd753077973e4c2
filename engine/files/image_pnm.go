package files

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
)

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
		v, err := pnmNumber(r, mostPixels)
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

// pnmNumber reads a word of digits and the one character behind it; what comes before it
// may be blank, or a comment to the end of its line.
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
				return 0, fmt.Errorf("%s is no number from 0 to %d: the image is damaged", excerpt(digits), most)
			}
			return v, nil
		case isSpace(c):
		case c == '#' && len(digits) == 0:
			if _, err := r.ReadString('\n'); err != nil {
				return 0, errors.New("the image ends early (truncated?)")
			}
		case len(digits) > 10:
			return 0, fmt.Errorf("%s is no number from 0 to %d: the image is damaged", excerpt(digits), most)
		default:
			digits = append(digits, c)
		}
	}
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
