package bench

// Section is a part of a suite's report: a heading with any of text, a table, a
// plot and pictures below it.
type Section struct {
	Title    string
	Text     string // plain text, paragraphs apart by an empty line
	Table    *Table
	Plot     *Plot
	Pictures []Figure
}

// Table is a table of the report. Cells come from records, so that every number
// can be traced.
type Table struct {
	Columns []string
	Rows    [][]Cell
}

// Cell is an entry of a table.
type Cell struct {
	Text  string
	Error string // stands beside the figure, such as that of the seconds
	Case  string // the case it was read from; empty: a heading or a paper's figure
	Mark  Mark
}

// String is the whole of a cell.
func (c Cell) String() string {
	if c.Error == "" {
		return c.Text
	}
	return c.Text + ", " + c.Error
}

// Mark sets cells apart.
type Mark int

// The marks.
const (
	Plain  Mark = iota
	Paper       // a figure that a paper prints
	Better      // ours, better than what stands beside it
	Worse
	Absent // not run or not at hand, which is no fault of ours; the text says why
)

// Plot is a diagram of curves.
type Plot struct {
	XLabel, YLabel string
	LogX, LogY     bool
	Curves         []Curve
}

// Curve is one line of a plot, named in its key.
type Curve struct {
	Name   string
	X, Y   []float64
	Dashed bool // such as a paper's curve or a fitted line
	Cases  []string
}

// Figure is a picture of an embedding, or of images, by the case that drew it.
type Figure struct {
	Case, Picture string // of Record.Pictures
	Edges         string // another of them: pairs of points to join, by number from 0; empty: none
	Height        int    // of the images, in pixels; 0: the picture is of points
	Caption       string
	Cyclic        bool // the first and the last colour are one: positions on a closed curve
}
