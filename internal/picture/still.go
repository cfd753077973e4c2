//go:build !js

package picture

import (
	"errors"
	"regexp"
	"strings"

	vgdraw "gonum.org/v1/plot/vg/draw"
)

// namespace are the attributes of an SVG of its own, which one within HTML needs not.
var namespace = regexp.MustCompile(`\s+xmlns(:\w+)?="[^"]*"`)

// stillPanel draws a panel as it is on paper.
func stillPanel(panel Panel) (htmlDrawing, error) {
	text, err := svg(panel.size, func(c vgdraw.Canvas) { panel.draw(c) })
	if err != nil {
		return htmlDrawing{}, err
	}
	_, drawing, found := strings.Cut(string(text), "<svg")
	if !found {
		return htmlDrawing{}, errors.New("plot: a panel has no drawing")
	}
	drawing = namespace.ReplaceAllString("<svg"+drawing, "")
	return htmlDrawing{SVG: strings.ReplaceAll(drawing, "xlink:href", "href")}, nil
}
