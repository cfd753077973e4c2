package method

import "fmt"

// needMoreThanDim is the condition of methods whose patches span d directions.
func needMoreThanDim(name string, neighbors, dim int) error {
	if neighbors <= dim {
		return fmt.Errorf("%s: %d neighbours for %d dimensions; give at least %d neighbours or a smaller dim", name, neighbors, dim, dim+1)
	}
	return nil
}

// fewerThanColumns is the condition of linear methods on data with m columns.
func fewerThanColumns(name string, dim, skip, m int) error {
	switch {
	case dim+skip <= m:
		return nil
	case skip > 0:
		return fmt.Errorf("%s: dim %d after skip %d of data with %d columns; both together are at most %d", name, dim, skip, m, m)
	}
	return fmt.Errorf("%s: dim %d of data with %d columns; give at most %d", name, dim, m, m)
}

// soundGap is the ratio of the eigenvalues behind and before the gap under
// which LTSA and NEML are warned of: sound sheets have 37 and more.
const soundGap = 5
