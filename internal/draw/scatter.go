package draw

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// Scatter is a picture of the first two coordinates of points, or of their only
// one over what colours it: the value, the class, or failing both the number of
// the sample. Rows that are not finite are left out. It has no axes: embeddings
// are known up to scale and turn.
type Scatter struct {
	Points *mat.Dense
	Colors *Coloring // nil: one colour
	Edges  [][2]int  // pairs of rows that are joined by thin lines below the points
}

// at returns where sample i lies.
func (s *Scatter) at(i int) (x, y float64) {
	if _, d := s.Points.Dims(); d > 1 {
		return s.Points.At(i, 0), s.Points.At(i, 1)
	}
	switch {
	case s.Colors == nil:
		x = float64(i + 1)
	case s.Colors.Classes == nil:
		x = s.Colors.Values[i]
	default:
		// A strip a class, over whose width the golden ratio spreads the samples.
		_, spread := math.Modf(float64(i) * math.Phi)
		x = float64(s.Colors.Classes[i]) + 0.6*(spread-0.5)
	}
	return x, s.Points.At(i, 0)
}

// spot is a point on the page.
type spot struct {
	row   int
	x, y  float64
	color color.NRGBA
}

// spots places the points on this many units, with a margin of their radius.
func (s *Scatter) spots(width, height, radius float64) []spot {
	n, _ := s.Points.Dims()
	spots := make([]spot, 0, n)
	xmin, xmax, ymin, ymax := math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for i := range n {
		if x, y := s.at(i); x-x == 0 && y-y == 0 {
			xmin, xmax, ymin, ymax = min(xmin, x), max(xmax, x), min(ymin, y), max(ymax, y)
			spots = append(spots, spot{i, x, y, s.Colors.Of(i)})
		}
	}
	margin := radius + 2
	scale := func(v, low, high, size float64) float64 {
		// Halved first: the range of finite numbers need not be finite.
		if span := high/2 - low/2; span > 0 {
			return margin + (v/2-low/2)/span*(size-2*margin)
		}
		return size / 2
	}
	for i := range spots {
		spots[i].x = scale(spots[i].x, xmin, xmax, width)
		spots[i].y = height - scale(spots[i].y, ymin, ymax, height)
	}
	return spots
}

// edgeColor and edgeWidth are for lines between points: a light grey that is visible
// on a white ground and on a dark one.
var edgeColor = color.NRGBA{R: 0xa8, G: 0xa8, B: 0xb0, A: 0xff}

const edgeWidth = 0.5

// radius is [Radius], less where lines are to show between the points.
func (s *Scatter) radius(points, width, height int) float64 {
	r := Radius(points, float64(width), float64(height))
	if len(s.Edges) > 0 {
		r *= 0.6
	}
	return r
}

// lines are the ends of the edges whose points are drawn; of an edge that is there in
// both directions, or twice, one.
func (s *Scatter) lines(spots []spot) [][2]spot {
	at := map[int]spot{}
	for _, p := range spots {
		at[p.row] = p
	}
	var list [][2]spot
	seen := map[[2]int]bool{}
	for _, e := range s.Edges {
		a, b := min(e[0], e[1]), max(e[0], e[1])
		from, known := at[a]
		to, alsoKnown := at[b]
		if a != b && known && alsoKnown && !seen[[2]int{a, b}] {
			seen[[2]int{a, b}] = true
			list = append(list, [2]spot{from, to})
		}
	}
	return list
}

// Radius shrinks the points of a picture as their number grows: about a quarter
// of the area is covered, within what can be seen.
func Radius(points int, width, height float64) float64 {
	return min(max(math.Sqrt(0.22*width*height/(math.Pi*float64(max(points, 1)))), width/500), width/110)
}

// SVG draws the points on this many units: a path for each of at most 64 colours,
// whose strokes of no length are round dots. It is empty where no point is
// finite.
func (s *Scatter) SVG(width, height int) string {
	n, _ := s.Points.Dims()
	radius := s.radius(n, width, height)
	paths, order := map[color.NRGBA]*strings.Builder{}, []color.NRGBA(nil)
	spots := s.spots(float64(width), float64(height), radius)
	for _, p := range spots {
		shade := p.color
		if s.Colors != nil && s.Colors.Classes == nil {
			shade = nearestShade(shade, s.Colors.Cyclic)
		}
		if paths[shade] == nil {
			paths[shade] = &strings.Builder{}
			order = append(order, shade)
		}
		fmt.Fprintf(paths[shade], "M%.1f %.1fh0", p.x, p.y)
	}
	if len(order) == 0 {
		return ""
	}
	slices.SortFunc(order, func(a, b color.NRGBA) int { return lightness(b) - lightness(a) })
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="scatter" viewBox="0 0 %d %d" fill="none" stroke-linecap="round" stroke-width="%.2f">`, width, height, 2*radius)
	if lines := s.lines(spots); len(lines) > 0 {
		fmt.Fprintf(&b, `<path stroke="%s" stroke-width="%.2f" d="`, Hex(edgeColor), edgeWidth)
		for _, l := range lines {
			fmt.Fprintf(&b, "M%.1f %.1fL%.1f %.1f", l[0].x, l[0].y, l[1].x, l[1].y)
		}
		b.WriteString(`"/>`)
	}
	for _, shade := range order {
		fmt.Fprintf(&b, `<path stroke="%s" d="%s"/>`, Hex(shade), paths[shade])
	}
	b.WriteString(`</svg>`)
	return b.String()
}

// shades are the steps of [Ramp] that an SVG uses, and wheelShades the steps of [Wheel].
var shades, wheelShades = stepsOf(Ramp), stepsOf(Wheel)

func stepsOf(palette func(float64) color.NRGBA) (list [64]color.NRGBA) {
	for i := range list {
		list[i] = palette(float64(i) / (float64(len(list)) - 1))
	}
	return list
}

func nearestShade(c color.NRGBA, cyclic bool) color.NRGBA {
	best, at, shades := math.MaxInt, 0, &shades
	if cyclic {
		shades = &wheelShades
	}
	for i, s := range shades {
		r, g, b := int(s.R)-int(c.R), int(s.G)-int(c.G), int(s.B)-int(c.B)
		if d := r*r + g*g + b*b; d < best {
			best, at = d, i
		}
	}
	return shades[at]
}

func lightness(c color.NRGBA) int { return 2*int(c.R) + 7*int(c.G) + int(c.B) }

// Hex writes a colour as #rrggbb.
func Hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// PNG draws the points on this many pixels, on a transparent ground. It is an error
// where no point is finite.
func (s *Scatter) PNG(width, height int) ([]byte, error) {
	n, _ := s.Points.Dims()
	radius := s.radius(n, width, height)
	spots := s.spots(float64(width), float64(height), radius)
	if len(spots) == 0 {
		return nil, fmt.Errorf("draw: none of %d points has finite coordinates", n)
	}
	canvas := image.NewNRGBA(image.Rect(0, 0, width, height))
	for _, l := range s.lines(spots) {
		steps := int(2*math.Hypot(l[1].x-l[0].x, l[1].y-l[0].y)) + 1
		for q := range steps + 1 {
			at := float64(q) / float64(steps)
			disc(canvas, spot{x: l[0].x + at*(l[1].x-l[0].x), y: l[0].y + at*(l[1].y-l[0].y), color: edgeColor}, edgeWidth/2)
		}
	}
	for _, p := range spots {
		disc(canvas, p, radius)
	}
	var b bytes.Buffer
	encoder := png.Encoder{CompressionLevel: png.BestCompression}
	err := encoder.Encode(&b, canvas)
	return b.Bytes(), err
}

// disc paints a disc with a soft edge over what is there.
func disc(canvas *image.NRGBA, p spot, radius float64) {
	const opacity = 0.85 // lets dense places show
	reach := radius + 1
	area := canvas.Bounds()
	for y := max(int(p.y-reach), area.Min.Y); y <= min(int(p.y+reach), area.Max.Y-1); y++ {
		for x := max(int(p.x-reach), area.Min.X); x <= min(int(p.x+reach), area.Max.X-1); x++ {
			distance := math.Hypot(float64(x)+0.5-p.x, float64(y)+0.5-p.y)
			cover := opacity * min(max(radius+0.5-distance, 0), 1)
			if cover == 0 {
				continue
			}
			at := canvas.PixOffset(x, y)
			under := float64(canvas.Pix[at+3]) / 255
			alpha := cover + under*(1-cover)
			for k, v := range [3]uint8{p.color.R, p.color.G, p.color.B} {
				mixed := (cover*float64(v) + under*(1-cover)*float64(canvas.Pix[at+k])) / alpha
				canvas.Pix[at+k] = uint8(math.Round(mixed))
			}
			canvas.Pix[at+3] = uint8(math.Round(255 * alpha))
		}
	}
}
