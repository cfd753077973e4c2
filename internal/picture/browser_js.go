package picture

import "errors"

// Panel is one part of a page. In a browser these are maps alone: what draws on paper, with its fonts, is left out of the program.
type Panel interface {
	// check refuses a panel that has nothing to show.
	check() error
}

func stillPanel(Panel) (htmlDrawing, error) {
	return htmlDrawing{}, errors.New("plot: only maps can be drawn in a browser")
}
