package files

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/disk"
)

// imagesAtOnce is how many images are open at a time.
const imagesAtOnce = 64

// WriteImages writes each row of x (n × height·width, pixels row by row) as a grey PNG
// image into a folder, which is made where it is missing. names are the n files in it.
// Pixels are rounded, and those beyond 0 (black) and 255 (white) become these; NaN is an
// error. Each image is whole, or not there; an error may leave the first ones. Errors are
// an [*Error] with [OpWrite] or [OpCreate]. Time and space are those of the pixels.
func WriteImages(folder string, names []string, x *mat.Dense, height, width int) error {
	n, m := x.Dims()
	if len(names) != n || height < 1 || width < 1 || m != height*width {
		return failure(folder, OpWrite, fmt.Errorf("%d × %d numbers are not %d images of %d × %d pixels", n, m, len(names), height, width))
	}
	if err := disk.MakeFolders(filepath.Clean(folder)); err != nil {
		return failure(folder, OpCreate, err)
	}
	for lo := 0; lo < n; lo += imagesAtOnce {
		var outs []*Output
		for i := lo; i < min(lo+imagesAtOnce, n); i++ {
			o, err := writeImage(filepath.Join(folder, names[i]), x.RawRowView(i), height, width)
			if err != nil {
				for _, o := range outs {
					o.Discard()
				}
				return err
			}
			outs = append(outs, o)
		}
		if err := CommitAll(outs...); err != nil {
			return err
		}
	}
	return nil
}

func writeImage(path string, row []float64, height, width int) (*Output, error) {
	o, err := CreateRaw(path, nil)
	if err != nil {
		return nil, err
	}
	im := image.NewGray(image.Rect(0, 0, width, height))
	for j, v := range row {
		if math.IsNaN(v) {
			return nil, o.fail(errors.New("a pixel is NaN"))
		}
		im.SetGray(j%width, j/width, color.Gray{Y: uint8(math.Round(min(max(v, 0), 255)))})
	}
	if err := png.Encode(o, im); err != nil {
		return nil, o.fail(err)
	}
	return o, nil
}
