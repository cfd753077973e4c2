package datasets

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// imageSide is the height and width of the images that a block is put on.
const imageSide = 32

// Corruption is one of the two noise models for images of You et al. 2015: exactly
// one of Level and Side is set.
type Corruption struct {
	// Level is the share of the entries that salt and pepper replaces, half of them by
	// 0 and half by Maximum, each entry on its own; 0 < Level ≤ 1.
	Level float64
	// Side is the side of a white square at a random place of a 32 × 32 image, whose
	// entries become Maximum; 1 ≤ Side ≤ 32.
	Side int
	// Maximum is the value of a white pixel: 255 for bytes, 1 where images lie in
	// [0, 1].
	Maximum float64
	// Seed of the choice of images and of their noise.
	Seed uint64
}

// Corrupted returns the images, of n, that a seed chooses: ⌊n/5⌋ of them, ascending.
func Corrupted(n int, seed uint64) []int {
	stream := blas.NewStream(seed)
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	chosen := order[:n/5]
	for i := range chosen {
		j := i + stream.Below(n-i)
		order[i], order[j] = order[j], order[i]
	}
	slices.Sort(chosen)
	return chosen
}

// Corrupt returns a copy of the images, one a row, in which a fifth is corrupted, and
// which ones. Choice and noise follow the project's fixed protocol: every
// image has a random stream of its own, so that the noise of an image does not
// depend on the others. Errors are about a corruption that is not one of the two, a
// maximum that is not finite and positive, or a block for images that are not
// 32 × 32.
func Corrupt(images mat.Matrix, c Corruption) (*mat.Dense, []int, error) {
	n, m := images.Dims()
	if err := c.check(m); err != nil {
		return nil, nil, err
	}
	out := mat.DenseCopyOf(images)
	chosen := Corrupted(n, c.Seed)
	for _, i := range chosen {
		stream := blas.NewStream(blas.NewStream(c.Seed*1000003 + uint64(i)).Uint64())
		if row := out.RawRowView(i); c.Side > 0 {
			c.block(row, stream)
		} else {
			c.saltAndPepper(row, stream)
		}
	}
	return out, chosen, nil
}

func (c Corruption) check(m int) error {
	switch {
	case (c.Level != 0) == (c.Side != 0):
		return fmt.Errorf("datasets: corruption by level %v and side %d; give one of the two", c.Level, c.Side)
	case c.Side == 0 && !(c.Level > 0 && c.Level <= 1):
		return fmt.Errorf("datasets: salt and pepper of level %v; give a share above 0 and at most 1", c.Level)
	case c.Side < 0 || c.Side > imageSide:
		return fmt.Errorf("datasets: a block of side %d; give 1 to %d", c.Side, imageSide)
	case c.Side > 0 && m != imageSide*imageSide:
		return fmt.Errorf("datasets: a block for images of %d pixels; it is defined for %d × %d", m, imageSide, imageSide)
	case !(c.Maximum > 0) || math.IsInf(c.Maximum, 1):
		return fmt.Errorf("datasets: corruption with the maximum %v; give the value of a white pixel, such as 255 or 1", c.Maximum)
	}
	return nil
}

// saltAndPepper draws one number for every entry.
func (c Corruption) saltAndPepper(row []float64, stream *blas.Stream) {
	for j := range row {
		switch u := stream.Uniform(); {
		case u < c.Level/2:
			row[j] = 0
		case u < c.Level:
			row[j] = c.Maximum
		}
	}
}

// block draws the square's first row and column of pixels.
func (c Corruption) block(row []float64, stream *blas.Stream) {
	down, right := stream.Below(imageSide+1-c.Side), stream.Below(imageSide+1-c.Side)
	for y := range c.Side {
		for x := range c.Side {
			row[(down+y)*imageSide+right+x] = c.Maximum
		}
	}
}
