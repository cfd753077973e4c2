package draw

import (
	"image/color"
	"math"
)

// Wheel maps 0…1 to colours that end where they began, for angles and for positions on
// closed curves: a full turn of the hue in OKLCh, from blue over red, yellow and green, with
// a little less lightness on the way through blue and violet, where the eye expects it.
func Wheel(t float64) color.NRGBA {
	turn := 2 * math.Pi * t
	hue := 260*math.Pi/180 + turn
	lightness := 0.68 - 0.1*math.Cos(turn)
	for chroma := 0.15; chroma > 0; chroma -= 0.004 {
		if c, ok := fromOKLab(lightness, chroma*math.Cos(hue), chroma*math.Sin(hue)); ok {
			return c
		}
	}
	c, _ := fromOKLab(lightness, 0, 0)
	return c
}
