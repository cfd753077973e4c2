package contrast

import (
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/sparse"
)

// Columns are samples that are read column by column.
type Columns struct {
	x       samples.Samples
	columns *sparse.CSR // of sparse samples: their transpose
	factors []float64   // by which the entries of each sample are multiplied; nil: 1
}

// ColumnsOf prepares samples to be read by columns. Sparse ones are transposed, in 12 bytes an entry. factors multiply the
// entries of each sample; nil: 1.
func ColumnsOf(x samples.Samples, factors []float64) Columns {
	c := Columns{x: x, factors: factors}
	if a := x.Compressed(); a != nil {
		c.columns = a.Transposed()
	}
	return c
}

// Cols returns the number of columns.
func (x Columns) Cols() int { return x.x.M() }

// read lists the nonzero entries of the columns first ≤ j < last, of samples in groups, in their order.
func (x Columns) read(first, last int, k *worker) {
	of := k.groups.Of
	for q := range k.read {
		k.read[q] = k.read[q][:0]
	}
	if x.columns != nil {
		for j := first; j < last; j++ {
			rows, vals := x.columns.Row(j)
			list := k.read[j-first]
			for p, v := range vals {
				i := rows[p]
				if v = x.scaled(v, int(i)); v != 0 && of[i] >= 0 {
					list = append(list, entry{v, of[i]})
				}
			}
			k.read[j-first] = list
		}
		return
	}
	for i, g := range of {
		if g < 0 {
			continue
		}
		for q, v := range x.x.Row(i)[first:last] {
			if v = x.scaled(v, i); v != 0 {
				k.read[q] = append(k.read[q], entry{v, g})
			}
		}
	}
}

func (x Columns) scaled(v float64, i int) float64 {
	if x.factors == nil {
		return v
	}
	return v * x.factors[i]
}
