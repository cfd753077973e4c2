package bench

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"

	"github.com/orthant-go/orthant/internal/draw"
)

// The picture of the overview: a line for each comparison, on 360 units of width, which fit a telephone and stand next to the table elsewhere.
const (
	raceWidth  = 360
	raceRow    = 36
	raceMargin = 8
)

// picture draws the processor seconds of both sides of each comparison on one logarithmic axis. It is empty where nothing was timed.
func (o *overview) picture() template.HTML {
	low, high := math.Inf(1), math.Inf(-1)
	for _, row := range o.Rows {
		for _, s := range row.seconds {
			if s > 0 {
				low, high = min(low, s), max(high, s)
			}
		}
	}
	if low > high {
		return ""
	}
	from, to := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	if to == from {
		to++
	}
	at := func(seconds float64) float64 {
		return raceMargin + 8 + (math.Log10(seconds)-from)/(to-from)*(raceWidth-2*raceMargin-16)
	}
	bottom := raceRow*len(o.Rows) + 26
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="race" viewBox="0 0 %d %d" role="img" aria-label="Processor seconds of orthant and of its peers, logarithmic">`, raceWidth, bottom+44)
	fmt.Fprintf(&b, `<g><circle class="ours" cx="14" cy="9" r="5"/><text class="name" x="24" y="13">orthant</text><circle class="peer" cx="96" cy="9" r="5"/><text class="name" x="106" y="13">peer</text></g>`)
	for decade := from; decade <= to; decade++ {
		x := at(math.Pow(10, decade))
		fmt.Fprintf(&b, `<path class="grid" d="M%.1f 24V%d"/><text class="tick" text-anchor="middle" x="%.1f" y="%d">%s</text>`, x, bottom, x, bottom+17, draw.Number(math.Pow(10, decade), 3))
	}
	fmt.Fprintf(&b, `<text class="name" text-anchor="middle" x="%d" y="%d">processor seconds</text>`, raceWidth/2, bottom+36)
	for i, row := range o.Rows {
		y := float64(raceRow*i + 55)
		ours, theirs := row.seconds[0], row.seconds[1]
		fmt.Fprintf(&b, `<text class="what" x="%d" y="%.0f">%s</text>`, raceMargin, y-13, html.EscapeString(cut(row.What, 56)))
		if ours > 0 && theirs > 0 {
			fmt.Fprintf(&b, `<path class="between" d="M%.1f %.0fH%.1f"/>`, at(min(ours, theirs)), y, at(max(ours, theirs)))
		}
		if theirs > 0 {
			fmt.Fprintf(&b, `<circle class="peer" cx="%.1f" cy="%.0f" r="5"/>`, at(theirs), y)
		}
		if ours > 0 {
			fmt.Fprintf(&b, `<circle class="ours" cx="%.1f" cy="%.0f" r="5"/>`, at(ours), y)
		}
		if theirs == 0 && ours > 0 {
			anchor, x := "start", at(ours)+12
			if x > raceWidth-90 {
				anchor, x = "end", at(ours)-12
			}
			fmt.Fprintf(&b, `<text class="tick" text-anchor="%s" x="%.1f" y="%.0f">peer not run</text>`, anchor, x, y+4)
		}
	}
	b.WriteString(`</svg>`)
	return template.HTML(b.String())
}

// cut shortens a text that would be wider than the picture.
func cut(text string, most int) string {
	if letters := []rune(text); len(letters) > most {
		return string(letters[:most-1]) + "…"
	}
	return text
}
