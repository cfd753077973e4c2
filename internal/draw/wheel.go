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
	const chroma = 0.1 // that a screen can show in nearly all hues
	c, _ := fromOKLab(lightness, chroma*math.Cos(hue), chroma*math.Sin(hue))
	return c
}
