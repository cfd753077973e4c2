package bench

import (
	"encoding/base64"
	"fmt"
	"hash/fnv"
	"html/template"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/draw"
)

// SavePicture writes a picture into the folder of a run and returns the name of
// its file there, which is what [Record].Pictures holds: an .npy of n × 2
// coordinates, and a third column with what colours them where the picture has
// it. An embedding in one dimension is spread over what colours it, or over the
// samples' numbers. name should be unique in the run.
func SavePicture(dir, name string, p *Picture) (file string, err error) {
	if p == nil || p.Points == nil {
		return "", fmt.Errorf("bench: picture %s has no points", name)
	}
	n, d := p.Points.Dims()
	if p.Color != nil && len(p.Color) != n || p.Labels != nil && len(p.Labels) != n {
		return "", fmt.Errorf("bench: picture %s has %d points, %d colours and %d labels; give one a point", name, n, len(p.Color), len(p.Labels))
	}
	shade := p.Color
	if shade == nil && p.Labels != nil {
		shade = make([]float64, n)
		for i, l := range p.Labels {
			shade[i] = float64(l)
		}
	}
	width := 2
	if shade != nil {
		width = 3
	}
	x := mat.NewDense(n, width, nil)
	for i := range n {
		row := x.RawRowView(i)
		if d > 1 {
			row[0], row[1] = p.Points.At(i, 0), p.Points.At(i, 1)
		} else {
			row[0], row[1] = float64(i+1), p.Points.At(i, 0)
			if shade != nil {
				row[0] = shade[i]
			}
		}
		if shade != nil {
			row[2] = shade[i]
		}
	}
	file = fileName(name) + ".npy"
	out, err := files.Create(filepath.Join(dir, file), nil)
	if err != nil {
		return "", err
	}
	defer out.Discard()
	if err := out.WriteMatrix(x, files.Options{}); err != nil {
		return "", err
	}
	return file, out.Commit()
}

// fileName makes a name that every file system takes; where that changes it, a
// hash keeps it apart from others.
func fileName(name string) string {
	clean := strings.Map(func(r rune) rune {
		if r < 128 && (r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' || strings.ContainsRune("-_=+.", r)) {
			return r
		}
		return '-'
	}, strings.TrimLeft(name, "."))
	const longest = 100
	if clean == name && len(name) <= longest {
		return clean
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	return fmt.Sprintf("%.*s-%08x", longest, clean, h.Sum32())
}

// A picture is drawn on pictureWidth × pictureHeight units, as a bitmap of twice
// as many pixels where an SVG would be the larger.
const (
	pictureWidth  = 360
	pictureHeight = 270
	svgPoints     = 3000
)

// drawnFigure is a picture as the page shows it.
type drawnFigure struct {
	Caption string
	Link    string // the anchor of its record
	Image   template.HTML
	Key     template.HTML
	Absent  string // why there is no picture
}

// drawFigure reads the picture of a record and draws it.
func (v *suiteView) drawFigure(f Figure) drawnFigure {
	drawn := drawnFigure{Caption: f.Caption, Link: v.link(f.Case)}
	r := v.records.Get(f.Case)
	file := ""
	if r != nil {
		file = r.Pictures[f.Picture]
	}
	switch {
	case r == nil:
		drawn.Absent = "not drawn: the case " + f.Case + " did not run"
	case file == "":
		drawn.Absent = "not drawn: the record has no picture " + f.Picture
	case !filepath.IsLocal(filepath.FromSlash(file)):
		drawn.Absent = "not drawn: its file is outside the folder of the run"
	}
	if drawn.Absent != "" {
		return drawn
	}
	if f.Height > 0 {
		var err error
		if drawn.Image, err = montageImage(filepath.Join(v.dir, filepath.FromSlash(file)), f.Height, f.Caption); err != nil {
			drawn.Absent = "not drawn: " + err.Error()
		}
		return drawn
	}
	s, err := readScatter(filepath.Join(v.dir, filepath.FromSlash(file)))
	if err == nil && r.Pictures[f.Edges] != "" && filepath.IsLocal(filepath.FromSlash(r.Pictures[f.Edges])) {
		s.Edges, err = readEdges(filepath.Join(v.dir, filepath.FromSlash(r.Pictures[f.Edges])), s.Points)
	}
	if err == nil && s.Colors != nil {
		s.Colors.Cyclic = f.Cyclic
	}
	if err == nil {
		drawn.Image, err = scatterImage(s, f.Caption)
	}
	if err != nil {
		drawn.Absent = "not drawn: " + err.Error()
		return drawn
	}
	drawn.Key = scatterKey(s.Colors)
	return drawn
}

// readScatter reads what [SavePicture] wrote. A third column of a few whole
// numbers are classes, any other are values; what is not finite is left out.
func readScatter(path string) (*draw.Scatter, error) {
	x, err := files.ReadMatrix(path, files.Options{AllowNonFinite: true})
	if err != nil {
		return nil, err
	}
	n, cols := x.Dims()
	kept := make([]float64, 0, n*cols)
	for i := range n {
		if row := x.RawRowView(i); !slices.ContainsFunc(row, notFinite) {
			kept = append(kept, row...)
		}
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("%s has no finite point", filepath.Base(path))
	}
	x = mat.NewDense(len(kept)/cols, cols, kept)
	s := &draw.Scatter{Points: x}
	if cols < 3 {
		return s, nil
	}
	values := mat.Col(nil, 2, x)
	labels := make([]int64, len(values))
	for i, v := range values {
		if v != math.Trunc(v) || math.Abs(v) > 1<<53 {
			s.Colors = draw.ByValues(values)
			return s, nil
		}
		labels[i] = int64(v)
	}
	s.Colors = draw.ByLabels(labels)
	return s, nil
}

// readEdges reads the pairs of points of a picture, which [SavePicture] wrote like any
// other.
func readEdges(path string, points *mat.Dense) ([][2]int, error) {
	x, err := files.ReadMatrix(path, files.Options{})
	if err != nil {
		return nil, err
	}
	n, _ := points.Dims()
	rows, cols := x.Dims()
	edges := make([][2]int, rows)
	for i := range edges {
		for k := range 2 {
			v := -1.0
			if k < cols {
				v = x.At(i, k)
			}
			if v != math.Trunc(v) || v < 0 || v >= float64(n) {
				return nil, fmt.Errorf("%s: row %d joins no two of the %d points", filepath.Base(path), i+1, n)
			}
			edges[i][k] = int(v)
		}
	}
	return edges, nil
}

func notFinite(v float64) bool { return v-v != 0 }

// scatterImage draws the points inline: as SVG where they are few, else as PNG.
func scatterImage(s *draw.Scatter, about string) (template.HTML, error) {
	if n, _ := s.Points.Dims(); n <= svgPoints {
		return template.HTML(s.SVG(pictureWidth, pictureHeight)), nil // made of numbers only
	}
	png, err := s.PNG(2*pictureWidth, 2*pictureHeight)
	if err != nil {
		return "", err
	}
	return template.HTML(fmt.Sprintf(`<img width="%d" height="%d" alt="%s" src="data:image/png;base64,%s">`,
		pictureWidth, pictureHeight, template.HTMLEscapeString(about), base64.StdEncoding.EncodeToString(png))), nil
}

// scatterKey says what the colours mean: the classes, or the ends of the ramp.
func scatterKey(c *draw.Coloring) template.HTML {
	var b strings.Builder
	switch {
	case c == nil:
	case c.Classes != nil:
		for i, name := range c.Names {
			fmt.Fprintf(&b, `<span class="class"><i style="background:%s"></i>%s</span>`, draw.Hex(draw.ClassColors[i]), template.HTMLEscapeString(name))
		}
	case c.High > c.Low:
		const stops = 9
		var colors []string
		for i := range stops {
			colors = append(colors, draw.Hex(c.Shade(float64(i)/(stops-1))))
		}
		fmt.Fprintf(&b, `<span class="ramp">%s<i style="background:linear-gradient(90deg,%s)"></i>%s</span>`,
			draw.Number(c.Low, 3), strings.Join(colors, ","), draw.Number(c.High, 3))
	}
	return template.HTML(b.String())
}

// maxImages bounds the images of a picture that are kept: of more, none could be made out.
const maxImages = 100

// imageMatrix is what is kept of images: the first maxImages.
func (p *Picture) imageMatrix() (*mat.Dense, error) {
	n, pixels := p.Images.Dims()
	n = min(n, maxImages)
	for i := range n {
		for _, v := range p.Images.RawRowView(i) {
			if notFinite(v) {
				return nil, fmt.Errorf("image %d of a picture has a pixel that is not finite", i)
			}
		}
	}
	return mat.DenseCopyOf(p.Images.Slice(0, n, 0, pixels)), nil
}

// montageImage draws the images in a file side by side, inline.
func montageImage(path string, height int, about string) (template.HTML, error) {
	x, err := files.ReadMatrix(path, files.Options{})
	if err != nil {
		return "", err
	}
	m := draw.Montage{Images: x, Height: height}
	png, err := m.PNG()
	if err != nil {
		return "", err
	}
	width, tall := m.Size()
	return template.HTML(fmt.Sprintf(`<img width="%d" height="%d" alt="%s" src="data:image/png;base64,%s">`,
		pictureWidth, pictureWidth*tall/width, template.HTMLEscapeString(about), base64.StdEncoding.EncodeToString(png))), nil
}
