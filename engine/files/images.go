package files

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/internal/disk"
)

// ImageOptions describe how images become rows. The zero value leaves them unchanged.
type ImageOptions struct {
	Height, Width int  // size to which every image is scaled; 0: all have the same size
	Grey          bool // colours are converted to brightness
}

// Images are pictures, one in each row: the pixels row by row, for coloured ones red, green and
// blue of each pixel, from 0 (black) to 255.
type Images struct {
	X             *mat.Dense
	Names         []string // of the files
	Height, Width int
	Channels      int // 1 grey, 3 colour
}

// imageExtensions are the extensions of images, in lower case.
var imageExtensions = []string{".png", ".jpg", ".jpeg", ".pgm", ".ppm"}

// IsImages reports whether a path denotes images: a folder that is not of 10x, or a file or pattern with the
// extension of an image.
func IsImages(path string) bool {
	if slices.Contains(imageExtensions, strings.ToLower(filepath.Ext(path))) {
		return true
	}
	info, err := disk.Files().Stat(path)
	return err == nil && info.IsDir() && !isTenx(path)
}

// ReadImages reads the images of a folder, of a pattern such as faces/*.png, or a single one, in the
// order of their names: PNG, JPEG, and PGM and PPM, plain and binary. If one has colours,
// all are read as colours; transparent parts become black. An image of another size than the first, or
// a file that is not an image, is an error that names the file, with [OpRead]. The memory of the
// rows counts against MaxBytes.
func ReadImages(path string, o Options, how ImageOptions) (*Images, error) {
	list, err := imageFiles(path)
	if err != nil {
		return nil, failure(path, OpRead, err)
	}
	im := &Images{Names: shortNames(list), Height: how.Height, Width: how.Width, Channels: 1}
	var first picture
	for i, file := range list {
		p, err := readPicture(file)
		if err != nil {
			return nil, failure(file, OpRead, err)
		}
		if i == 0 {
			if first = p; how.Height == 0 {
				im.Height, im.Width = p.height, p.width
			}
			if err := o.budget().checkMatrix(len(list), im.Height*im.Width, 4*float64(p.height)*float64(p.width)); err != nil {
				return nil, failure(path, OpRead, err)
			}
			im.X = mat.NewDense(len(list), im.Height*im.Width, nil)
		}
		if how.Grey {
			p.toGrey()
		}
		if how.Height == 0 && (p.height != first.height || p.width != first.width) {
			return nil, failure(file, OpRead, wording.Errorf("it is %d × %d pixels (height × width) where %s is %d × %d: bring all to one size (‹resize›), such as %dx%d",
				p.height, p.width, filepath.Base(list[0]), first.height, first.width, min(first.height, p.height), min(first.width, p.width)))
		}
		if p.channels == 3 && im.Channels == 1 {
			if err := im.widen(o, i); err != nil {
				return nil, failure(path, OpRead, err)
			}
		}
		p.toChannels(im.Channels)
		copy(im.X.RawRowView(i), p.resized(im.Height, im.Width).pixels)
	}
	return im, nil
}

// ImagesExtent returns the shape of the result of [ReadImages], determined from the first image.
func ImagesExtent(path string, how ImageOptions) (Extent, error) {
	list, err := imageFiles(path)
	if err != nil {
		return Extent{}, failure(path, OpRead, err)
	}
	p, err := readPicture(list[0])
	if err != nil {
		return Extent{}, failure(list[0], OpRead, err)
	}
	if how.Grey {
		p.channels = 1
	}
	if how.Height > 0 {
		p.height, p.width = how.Height, how.Width
	}
	e := Extent{Rows: len(list), Cols: p.height * p.width * p.channels, Entries: -1, Guessed: true}
	e.Peak = e.Bytes()
	return e, nil
}

// widen converts the rows so far to colours.
func (im *Images) widen(o Options, done int) error {
	n, m := im.X.Dims()
	if err := o.budget().checkMatrix(n, 3*m, 8*float64(n)*float64(m)); err != nil {
		return err
	}
	wide := mat.NewDense(n, 3*m, nil)
	for i := range done {
		for j, v := range im.X.RawRowView(i) {
			for c := range 3 {
				wide.Set(i, 3*j+c, v)
			}
		}
	}
	im.X, im.Channels = wide, 3
	return nil
}

// imageFiles lists the files that a path denotes.
func imageFiles(path string) (list []string, err error) {
	info, err := disk.Files().Stat(path)
	switch {
	case err == nil && !info.IsDir():
		return []string{path}, nil
	case err == nil:
		names, err := namesIn(path)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if !strings.HasPrefix(name, ".") && slices.Contains(imageExtensions, strings.ToLower(filepath.Ext(name))) {
				list = append(list, filepath.Join(path, name))
			}
		}
		if len(list) == 0 {
			return nil, fmt.Errorf("the folder holds no images (%s)", strings.Join(imageExtensions, ", "))
		}
	case !strings.ContainsAny(path, "*?["):
		return nil, err
	default:
		if list, err = Glob(path); err != nil {
			if errors.Is(err, filepath.ErrBadPattern) {
				err = errors.New("it is not a pattern: a [ wants its ]")
			}
			return nil, err
		}
		list = slices.DeleteFunc(list, func(file string) bool {
			info, err := disk.Files().Stat(file)
			return err == nil && info.IsDir() || strings.HasPrefix(filepath.Base(file), ".")
		})
		if len(list) == 0 {
			return nil, fmt.Errorf("the pattern matches no file: %w", fs.ErrNotExist)
		}
	}
	slices.Sort(list)
	return list, nil
}

// shortNames returns names that distinguish the files, without folders if
// possible.
func shortNames(list []string) []string {
	names, seen := make([]string, len(list)), map[string]bool{}
	for i, file := range list {
		names[i] = filepath.Base(file)
		if seen[names[i]] {
			return slices.Clone(list)
		}
		seen[names[i]] = true
	}
	return names
}

// PixelNames returns the names of the columns of images: r1c1, r1c2 … by row and column,
// followed by the channel if there are three.
func (im *Images) PixelNames() []string {
	var names []string
	for i := range im.Height {
		for j := range im.Width {
			name := fmt.Sprintf("r%dc%d", i+1, j+1)
			if im.Channels == 1 {
				names = append(names, name)
				continue
			}
			names = append(names, name+"red", name+"green", name+"blue")
		}
	}
	return names
}

// MeansImage reports whether a file is one of the images that a path denotes, or would be one
// if it existed.
func MeansImage(path, file string) bool {
	if strings.HasPrefix(filepath.Base(file), ".") {
		return false
	}
	info, err := disk.Files().Stat(path)
	switch absolute, failed := filepath.Abs(path); {
	case err == nil && info.IsDir():
		folder, failed := Resolve(path)
		if failed == nil && folder == filepath.Dir(file) && slices.Contains(imageExtensions, strings.ToLower(filepath.Ext(file))) {
			return true
		}
	case err != nil && failed == nil:
		if matched, _ := filepath.Match(absolute, file); matched {
			return true
		}
	}
	there, err := disk.Files().Stat(file)
	if err != nil {
		return false
	}
	list, _ := imageFiles(path) // an error here is reported by the reader of the images
	return slices.ContainsFunc(list, func(image string) bool {
		info, err := disk.Files().Stat(image)
		return err == nil && os.SameFile(info, there)
	})
}

// imagesAtOnce is the number of images open at a time.
const imagesAtOnce = 64

// WriteImages writes each row of x (n × height·width, pixels row by row) as a grey PNG
// image into a folder, which is made where it is missing. names are the n files in it.
// Pixels are rounded, and those beyond 0 (black) and 255 (white) become these; NaN is an
// error. Each image is whole, or not there; an error may leave the first ones. Errors are
// an [*Error] with [OpWrite] or [OpCreate]. Time and space are proportional to the pixels.
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
