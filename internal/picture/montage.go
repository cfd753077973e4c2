//go:build !js

package picture

import (
	"errors"
	"fmt"
	"image"
	"math"

	"gonum.org/v1/plot/vg"
	vgdraw "gonum.org/v1/plot/vg/draw"
)

// Montage shows images side by side, such as the components of a factorisation of faces, or
// exemplars.
type Montage struct {
	Title    string
	Images   *Images
	Rows     []int    // of the images, in order; nil: all
	Captions []string // of the rows, below each image; nil: their numbers, from 1
}

// maxShown are the images that a montage shows.
const maxShown = 400

// captionSpace is below each image.
const captionSpace = 13 * vg.Length(1)

func (m *Montage) rows() []int {
	list := m.Rows
	if list == nil {
		n, _ := m.Images.Rows.Dims()
		for i := range n {
			list = append(list, i)
		}
	}
	return list[:min(len(list), maxShown)]
}

// layout is the number of columns and the size of an image on paper.
func (m *Montage) layout() (cols int, width, height vg.Length) {
	ratio := float64(m.Images.Height) / float64(m.Images.Width)
	count := float64(len(m.rows()))
	about := max(int(math.Round(math.Sqrt(count*ratio*1.2))), 1)
	empty := func(cols int) int { return (cols - int(count)%cols) % cols } // places in the last row
	for _, cols = range []int{about, about + 1, about - 1} {
		if cols > 0 && empty(cols) == 0 {
			break
		}
		cols = about
	}
	width = min(max(panelWidth/vg.Length(cols)-4, 24), 110)
	return cols, width, width * vg.Length(ratio)
}

func (m *Montage) size() (width, height vg.Length) {
	cols, w, h := m.layout()
	rows := (len(m.rows()) + cols - 1) / cols
	return max(vg.Length(cols)*(w+4), 150), vg.Length(rows)*(h+captionSpace+3) + m.head()
}

// head is the room of the title.
func (m *Montage) head() vg.Length {
	if m.title() == "" {
		return 0
	}
	return 18
}

// title says, too, what is left out.
func (m *Montage) title() string {
	all, _ := m.Images.Rows.Dims()
	if m.Rows != nil {
		all = len(m.Rows)
	}
	if all > maxShown {
		return fmt.Sprintf("%s: the first %d of %d", m.Title, maxShown, all)
	}
	return m.Title
}

func (m *Montage) check() error {
	if len(m.rows()) == 0 {
		return errors.New("plot: there is no image to show")
	}
	return nil
}

func (m *Montage) draw(c vgdraw.Canvas) {
	if title := m.title(); title != "" {
		c.FillText(centred(11, ink), vg.Point{X: c.Center().X, Y: c.Max.Y - 6}, title)
	}
	cols, width, height := m.layout()
	left := c.Center().X - vg.Length(cols)*(width+4)/2
	for at, i := range m.rows() {
		x := left + vg.Length(at%cols)*(width+4) + 2
		top := c.Max.Y - m.head() - vg.Length(at/cols)*(height+captionSpace+3)
		box := vg.Rectangle{Min: vg.Point{X: x, Y: top - height}, Max: vg.Point{X: x + width, Y: top}}
		c.DrawImage(box, enlarged(m.Images.At(i), float64(width)))
		caption := fmt.Sprint(i + 1)
		if m.Captions != nil {
			caption = m.Captions[i]
		}
		c.FillText(centred(7.5, faint), vg.Point{X: x + width/2, Y: top - height - 6}, shortened(caption, max(int(width)/4, 3)))
	}
}

// enlarged repeats the pixels of an image, so that no viewer blurs them: to four dots a point
// or so.
func enlarged(small image.Image, points float64) image.Image {
	size := small.Bounds().Size()
	by := max(int(math.Round(4*points/float64(size.X))), 1)
	large := image.NewNRGBA(image.Rect(0, 0, size.X*by, size.Y*by))
	for y := range size.Y * by {
		for x := range size.X * by {
			large.Set(x, y, small.At(x/by, y/by))
		}
	}
	return large
}
