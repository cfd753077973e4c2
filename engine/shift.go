package engine

import (
	"fmt"

	"github.com/orthant-go/orthant/engine/neighbors"
)

// takeShift makes the data nonnegative as the method was told to, in a copy, or
// refuses the first negative entry.
func (p *problem) takeShift(how string) error {
	row, col, value := p.firstNegative()
	switch {
	case row < 0:
		return nil
	case how == "none":
		return fmt.Errorf("%s: row %d, column %d (counting from 1) is %v; give entries ≥ 0, or shift the data: --set shift=columns takes the least entry of a column off it where that is negative, shift=global the least of all",
			p.name, row+1, col+1, value)
	case p.sparse != nil:
		return fmt.Errorf("%s: row %d, column %d (counting from 1) is %v; sparse data cannot be shifted, as that would fill them: give entries ≥ 0, or dense data", p.name, row+1, col+1, value)
	}
	p.shift = make([]float64, p.x.M)
	shifted := neighbors.Points{N: p.x.N, M: p.x.M, Data: make([]float64, p.x.N*p.x.M)}
	for i := range p.x.N {
		for j, v := range p.x.Row(i) {
			p.shift[j] = min(p.shift[j], v)
		}
	}
	if how == "global" {
		least := p.shift[0]
		for _, v := range p.shift {
			least = min(least, v)
		}
		for j := range p.shift {
			p.shift[j] = least
		}
	}
	for i := range p.x.N {
		to := shifted.Row(i)
		for j, v := range p.x.Row(i) {
			to[j] = v - p.shift[j]
		}
	}
	p.x = shifted
	return nil
}

// firstNegative finds the first negative entry, row by row; row −1: there is none.
func (p *problem) firstNegative() (row, col int, value float64) {
	if p.sparse != nil {
		for i := range p.sparse.Rows {
			cols, vals := p.sparse.Row(i)
			for q, v := range vals {
				if v < 0 {
					return i, int(cols[q]), v
				}
			}
		}
		return -1, 0, 0
	}
	for at, v := range p.x.Data[:p.x.N*p.x.M] {
		if v < 0 {
			return at / p.x.M, at % p.x.M, v
		}
	}
	return -1, 0, 0
}
