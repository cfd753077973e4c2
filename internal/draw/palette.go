package draw

import (
	"cmp"
	"image/color"
	"maps"
	"math"
	"slices"
	"strconv"
)

// Coloring gives every sample a colour: by class with a legend, or by value with
// a colour bar. nil is one colour for all.
type Coloring struct {
	Classes []int // of each sample, an index into Names; nil: by value
	Names   []string
	Styles  []int     // of each class: its colour, over and over, and its shape, or [NoClass]; nil: in order
	Values  []float64 // NaN: none, which is grey
	Low     float64
	High    float64
	Cyclic  bool // Low and High are one value, as angles are
}

// ClassColors can be distinguished in print and by most colour-blind eyes: neighbours
// in the list differ in lightness as well as in hue.
var ClassColors = []color.NRGBA{
	{0x2f, 0x6f, 0xb0, 0xff}, {0xe0, 0x7b, 0x1f, 0xff}, {0x2e, 0x8b, 0x57, 0xff}, {0xc8, 0x32, 0x3c, 0xff},
	{0x7d, 0x55, 0xa8, 0xff}, {0x8a, 0x5a, 0x3c, 0xff}, {0xe0, 0x6c, 0xad, 0xff}, {0x58, 0x5f, 0x69, 0xff},
	{0xb5, 0xa1, 0x1c, 0xff}, {0x23, 0xa8, 0xb8, 0xff}, {0x1b, 0x2a, 0x6b, 0xff}, {0x9a, 0xcb, 0x5f, 0xff},
}

// ByLabels colours classes where there are few, and otherwise the labels'
// values: many labels are a scale. The label −1 may be noise ([HasNoise]).
func ByLabels(labels []int64) *Coloring {
	distinct := slices.Clone(labels)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	if len(distinct) > len(ClassColors) {
		values := make([]float64, len(labels))
		for i, l := range labels {
			values[i] = float64(l)
		}
		return ByValues(values)
	}
	c := &Coloring{Classes: make([]int, len(labels))}
	for _, l := range distinct {
		c.Names = append(c.Names, strconv.FormatInt(l, 10))
	}
	for i, l := range labels {
		c.Classes[i], _ = slices.BinarySearch(distinct, l)
	}
	if HasNoise(distinct) {
		for k := range distinct {
			c.Styles = append(c.Styles, k-1)
		}
		c.Names[0], c.Styles[0] = "noise", NoClass
	}
	return c
}

// HasNoise reports whether −1 among distinct labels, in ascending order, means no class, as in clusterings. The labels −1 and 1 alone are two
// classes.
func HasNoise(distinct []int64) bool {
	return len(distinct) > 0 && distinct[0] == -1 && !(len(distinct) == 2 && distinct[1] == 1)
}

// Gap is the colour of samples without a value.
var Gap = color.NRGBA{0xc4, 0xc8, 0xce, 0xff}

// ByValues colours by value, along [Ramp]. A NaN is no value.
func ByValues(values []float64) *Coloring {
	c := &Coloring{Values: values, Low: math.Inf(1), High: math.Inf(-1)}
	for _, v := range values {
		if v == v {
			c.Low, c.High = min(c.Low, v), max(c.High, v)
		}
	}
	if c.Low > c.High {
		c.Low, c.High = 0, 0
	}
	return c
}

// Gap reports whether sample i has no value or no class.
func (c *Coloring) Gap(i int) bool {
	switch {
	case c == nil:
		return false
	case c.Classes != nil:
		return c.Style(c.Classes[i]) == NoClass
	}
	return math.IsNaN(c.Values[i])
}

// Style is the number of the colour and the shape of a class: the colours of all rounds are
// [ClassColors], and each round has another shape.
func (c *Coloring) Style(class int) int {
	if c.Styles == nil {
		return class
	}
	return c.Styles[class]
}

// StyleLike gives each class the style of the class of another colouring of the same samples with which it has most samples in common: the
// pairs with most come first, and no style is given twice. Classes without a partner take the first styles that are left.
func (c *Coloring) StyleLike(other *Coloring) {
	if c.Classes == nil || other == nil || other.Classes == nil {
		return
	}
	common := map[[2]int]int{}
	for i, class := range c.Classes {
		if !c.Gap(i) && !other.Gap(i) {
			common[[2]int{class, other.Classes[i]}]++
		}
	}
	pairs := slices.SortedFunc(maps.Keys(common), func(a, b [2]int) int {
		return cmp.Or(cmp.Compare(common[b], common[a]), cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1]))
	})
	const free = -2
	styles, taken := make([]int, len(c.Names)), map[int]bool{}
	for k := range styles {
		if styles[k] = free; c.Style(k) == NoClass {
			styles[k] = NoClass
		}
	}
	for _, pair := range pairs {
		if style := other.Style(pair[1]); styles[pair[0]] == free && !taken[style] {
			styles[pair[0]], taken[style] = style, true
		}
	}
	next := 0
	for k := range styles {
		if styles[k] != free {
			continue
		}
		for taken[next] {
			next++
		}
		styles[k], taken[next] = next, true
	}
	c.Styles = styles
}

// NoClass is the style of samples that are in no class: dots in the colour of [Gap].
const NoClass = -1

// ClassColor returns the colour of a style.
func ClassColor(style int) color.NRGBA {
	if style == NoClass {
		return Gap
	}
	return ClassColors[style%len(ClassColors)]
}

// Of returns the colour of sample i.
func (c *Coloring) Of(i int) color.NRGBA {
	switch {
	case c == nil:
		return ClassColors[0]
	case c.Classes != nil:
		return ClassColor(c.Style(c.Classes[i]))
	case c.Gap(i):
		return Gap
	case c.High <= c.Low:
		return c.Shade(0.5)
	}
	return c.Shade((c.Values[i] - c.Low) / (c.High - c.Low))
}

// Shade returns the colour of a value, as a share 0…1 of the way from Low to High.
func (c *Coloring) Shade(t float64) color.NRGBA {
	if c.Cyclic {
		return Wheel(t)
	}
	return Ramp(t)
}

// Ramp maps 0…1 to colours of evenly rising lightness, dark violet over teal to
// yellow: a straight line in lightness and a turn of the hue in OKLCh, the
// perceptual space of Ottosson (2020).
func Ramp(t float64) color.NRGBA {
	t = min(max(t, 0), 1)
	lightness := 0.29 + 0.62*t
	hue := (305 - 200*math.Pow(t, 0.9)) * math.Pi / 180
	chroma := 0.125 + 0.035*t - 0.05*math.Sin(math.Pi*t)
	for ; chroma > 0; chroma -= 0.004 { // until the screen can show it
		if c, ok := fromOKLab(lightness, chroma*math.Cos(hue), chroma*math.Sin(hue)); ok {
			return c
		}
	}
	c, _ := fromOKLab(lightness, 0, 0)
	return c
}

// fromOKLab converts to sRGB, and reports whether the colour lies within it.
func fromOKLab(lightness, a, b float64) (color.NRGBA, bool) {
	cube := func(x float64) float64 { return x * x * x }
	l := cube(lightness + 0.3963377774*a + 0.2158037573*b)
	m := cube(lightness - 0.1055613458*a - 0.0638541728*b)
	s := cube(lightness - 0.0894841775*a - 1.2914855480*b)
	inside := true
	channel := func(linear float64) uint8 {
		const slack = 1e-3
		inside = inside && linear >= -slack && linear <= 1+slack
		linear = min(max(linear, 0), 1)
		if linear <= 0.0031308 {
			return uint8(math.Round(255 * 12.92 * linear))
		}
		return uint8(math.Round(255 * (1.055*math.Pow(linear, 1/2.4) - 0.055)))
	}
	c := color.NRGBA{
		R: channel(4.0767416621*l - 3.3077115913*m + 0.2309699292*s),
		G: channel(-1.2684380046*l + 2.6097574011*m - 0.3413193965*s),
		B: channel(-0.0041960863*l - 0.7034186147*m + 1.7076147010*s),
		A: 255,
	}
	return c, inside
}

// Wheel maps 0…1 to colours that end where they began, for angles and for positions on
// closed curves: a full turn of the hue in OKLCh, from blue over red, yellow and green, with
// a little less lightness on the way through blue and violet, where the eye expects it.
func Wheel(t float64) color.NRGBA {
	turn := 2 * math.Pi * t
	hue := 260*math.Pi/180 + turn
	lightness := 0.68 - 0.1*math.Cos(turn)
	const chroma = 0.1 // that a screen can show in nearly all hues
	c, _ := fromOKLab(lightness, chroma*math.Cos(hue), chroma*math.Sin(hue))
	return c
}
