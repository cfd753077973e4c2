package draw

import (
	"math"
	"strconv"
	"strings"
)

// Tick is a mark of an axis.
type Tick struct {
	Value float64
	Label string
}

// RoundTicks marks round numbers from low to high, between four and eight of
// them.
func RoundTicks(low, high float64) []Tick {
	if !(high > low) {
		return []Tick{{Value: low, Label: plain(low, 3)}}
	}
	power := math.Pow(10, math.Floor(math.Log10((high-low)/4)))
	step := power
	for _, s := range []float64{5 * power, 2 * power} {
		if (high-low)/s >= 4 {
			step = s
			break
		}
	}
	// As many digits as distinguish one step from the next.
	digits := 1 + int(math.Ceil(math.Log10(max(math.Abs(low), math.Abs(high))/step)))
	var ticks []Tick
	const slack = 1e-9 // of a step, for bounds that rounding puts next to a tick
	for i := math.Ceil(low/step - slack); i*step <= high+slack*step && len(ticks) < 12; i++ {
		ticks = append(ticks, Tick{Value: i * step, Label: plain(i*step, digits)})
	}
	return ticks
}

// plain writes v with the given number of significant digits and no more than a screen font
// is sure to have.
func plain(v float64, digits int) string {
	if v == 0 {
		return "0"
	}
	text := strconv.FormatFloat(v, 'g', max(digits, 1), 64)
	if size := math.Abs(v); size >= 1 && size < 1e6 {
		rounded, _ := strconv.ParseFloat(text, 64)
		text = strconv.FormatFloat(rounded, 'f', -1, 64)
	}
	return strings.ReplaceAll(text, "-", "−")
}

// LogTicks marks powers of ten from low to high, both above 0, with 2 and 5
// times each where there would be few, and leaves powers out where there would
// be many. A range within which no such number lies has the marks of
// [RoundTicks].
func LogTicks(low, high float64) []Tick {
	from, to := math.Log10(low), math.Log10(high)
	factors, every := []float64{1}, 1
	switch decades := to - from; {
	case decades < 2:
		factors = []float64{1, 2, 5}
	case decades > 7:
		every = int(math.Ceil(decades / 7))
	}
	var ticks []Tick
	const slack = 1e-9
	full := from >= -4-slack && to < 6 // else all as powers, so that they look the same
	for p := int(math.Floor(from)); p <= int(math.Ceil(to)); p++ {
		if p%every != 0 {
			continue
		}
		for _, f := range factors {
			v := f * math.Pow(10, float64(p))
			if at := math.Log10(v); at >= from-slack && at <= to+slack {
				ticks = append(ticks, Tick{Value: v, Label: power(f, p, full)})
			}
		}
	}
	if len(ticks) < 2 {
		return RoundTicks(low, high)
	}
	return ticks
}

// power writes f·10^p, in full or as a power of ten.
func power(f float64, p int, full bool) string {
	if full || p == 0 || p == 1 {
		return Number(f*math.Pow(10, float64(p)), 1)
	}
	ten := "10" + Superscript(strconv.Itoa(p))
	if f == 1 {
		return ten
	}
	return Number(f, 1) + "·" + ten
}

// Superscript raises the digits, the point and the sign of a number.
func Superscript(text string) string {
	return strings.NewReplacer("0", "⁰", "1", "¹", "2", "²", "3", "³", "4", "⁴", "5", "⁵", "6", "⁶", "7", "⁷", "8", "⁸", "9", "⁹",
		"-", "⁻", "−", "⁻", ".", "·").Replace(text)
}

// Number writes v with the given number of significant digits, in full from 10⁻⁴ to below
// 10⁶ and as a power of ten elsewhere, with a minus sign that is one and
// thousands apart by a thin space from 10 000 on.
func Number(v float64, digits int) string {
	switch {
	case v == 0:
		return "0"
	case math.IsNaN(v):
		return "NaN"
	case math.IsInf(v, 0):
		return strings.Replace(strconv.FormatFloat(v, 'f', 0, 64), "Inf", "∞", 1)
	}
	text := strconv.FormatFloat(v, 'e', max(digits, 1)-1, 64)
	rounded, _ := strconv.ParseFloat(text, 64)
	if size := math.Abs(rounded); size >= 1e-4 && size < 1e6 {
		return strings.Replace(thousands(strconv.FormatFloat(rounded, 'f', -1, 64)), "-", "−", 1)
	}
	mantissa, exponent, _ := strings.Cut(text, "e")
	e, _ := strconv.Atoi(exponent)
	mantissa = strings.Replace(mantissa, "-", "−", 1)
	if strings.Contains(mantissa, ".") {
		mantissa = strings.TrimRight(strings.TrimRight(mantissa, "0"), ".")
	}
	ten := "10" + Superscript(strconv.Itoa(e))
	if mantissa == "1" {
		return ten
	}
	return mantissa + "·" + ten
}

// thousands sets thousands apart in numbers of five digits and more.
func thousands(text string) string {
	whole, fraction, has := strings.Cut(text, ".")
	digits := strings.TrimPrefix(whole, "-")
	if len(digits) >= 5 {
		at := len(whole) - 3
		whole = whole[:at] + "\u2009" + whole[at:]
	}
	if has {
		return whole + "." + fraction
	}
	return whole
}
