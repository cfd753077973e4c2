package samples

// Blocks are dense samples that are read block by block, from the first to the last, as often as is asked, and are never in memory
// as a whole. The size of a block depends only on the number of columns.
type Blocks struct {
	M    int
	Each func(yield func(rows []float64) error) error // rows may be overwritten, and are valid during the call
}
