package picture

import "github.com/orthant-go/orthant/internal/draw"

// Page is what one file shows.
type Page struct {
	Title   string
	Panels  []Panel
	Columns int            // of the grid of panels; 0: all are side by side
	Colors  *draw.Coloring // of all panels, explained once on the right; nil: panels explain their own

	// What only a page of HTML has: sections below the panels, with the style that they need. The panels then take a part of the
	// window, and the page can be scrolled.
	Sections, Style string
}

// columns is the number of panels in a row.
func (p *Page) columns() int {
	if p.Columns == 0 {
		return len(p.Panels)
	}
	return min(p.Columns, len(p.Panels))
}

// check refuses a page of which a panel has nothing to show.
func (p *Page) check() error {
	for _, panel := range p.Panels {
		if err := panel.check(); err != nil {
			return err
		}
	}
	return nil
}
