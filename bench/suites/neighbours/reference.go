package neighbours

import (
	"context"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
)

const (
	nearest = 15   // number of neighbours of a sample
	checked = 1000 // number of samples whose neighbours are compared with the true ones
)

// prepared is a set on disk, with the true neighbours of the checked samples.
type prepared struct {
	of     string // name of the set
	dir    string
	remove func()
	rows   []int     // the checked samples
	far    []float64 // squared distances to their k-th neighbours
}

// latest is the current set: cases run set by set, and all programs read the same file. The runner removes the
// file of the previous set.
var latest struct {
	sync.Mutex
	*prepared
}

// prepare writes a set and searches the neighbours of the checked rows, unless it is the current set.
func prepare(ctx context.Context, e *bench.Env, s *dataSet) (*prepared, error) {
	latest.Lock()
	defer latest.Unlock()
	of := fmt.Sprintf("%s %d %s", s.name, s.samples(e), e.Data)
	if p := latest.prepared; p != nil {
		if _, err := os.Stat(samplesIn(p.dir)); err == nil && p.of == of {
			return p, nil
		}
		p.remove()
		latest.prepared = nil
	}
	dir, remove, err := e.Folder()
	if err != nil {
		return nil, err
	}
	p := &prepared{of: of, dir: dir, remove: remove, rows: drawRows(s.samples(e), checked)}
	if err = s.write(e, samplesIn(dir)); err == nil {
		p.far, err = farthest(ctx, samplesIn(dir), p.rows, nearest)
	}
	if err != nil {
		remove()
		return nil, err
	}
	latest.prepared = p
	return p, nil
}

// farthest returns the squared distances of some rows of a file to their k-th nearest neighbours, by an exact
// search in each block of the file.
func farthest(ctx context.Context, path string, rows []int, k int) ([]float64, error) {
	x, err := openArray(path)
	if err != nil {
		return nil, err
	}
	defer x.close()
	queries := neighbors.Points{N: len(rows), M: x.cols, Data: make([]float64, len(rows)*x.cols)}
	row := func(i int) []float64 { return queries.Data[i*x.cols : (i+1)*x.cols] }
	for i, r := range rows {
		if err := x.read(row(i), r); err != nil {
			return nil, err
		}
	}
	near := make([][]float64, len(rows)) // squared distances, the nearest first
	block := max(k+1, entriesAtATime/x.cols)
	data := make([]float64, min(block, x.rows)*x.cols)
	for lo := 0; lo < x.rows; lo += block {
		n := min(block, x.rows-lo)
		part := neighbors.Points{N: n, M: x.cols, Data: data[:n*x.cols]}
		if err := x.read(part.Data, lo); err != nil {
			return nil, err
		}
		g, err := neighbors.Search(ctx, part, queries, min(k+1, n), neighbors.Options{})
		if err != nil {
			return nil, err
		}
		for i, r := range rows {
			for _, j := range g.Of(i) {
				if at := int(j); lo+at != r {
					near[i] = append(near[i], blas.SquaredDistance(row(i), part.Data[at*x.cols:(at+1)*x.cols]))
				}
			}
			slices.Sort(near[i])
			near[i] = near[i][:min(k, len(near[i]))]
		}
	}
	far := make([]float64, len(rows))
	for i, list := range near {
		if len(list) < k {
			return nil, fmt.Errorf("%d samples have no %d neighbours each", x.rows, k)
		}
		far[i] = list[k-1]
	}
	return far, nil
}

// recall returns the share of the k neighbours of each checked row that a search found: distinct other rows that are no
// farther than the k-th nearest. found lists the neighbours of the checked rows.
func (p *prepared) recall(found func(i int) []float64) (float64, error) {
	x, err := openArray(samplesIn(p.dir))
	if err != nil {
		return 0, err
	}
	defer x.close()
	own, other := make([]float64, x.cols), make([]float64, x.cols)
	right := 0
	for i, r := range p.rows {
		if err := x.read(own, r); err != nil {
			return 0, err
		}
		list := slices.Clone(found(i))
		slices.Sort(list)
		for _, j := range slices.Compact(list) {
			if j < 0 || int(j) == r {
				continue
			}
			if err := x.read(other, int(j)); err != nil {
				return 0, err
			}
			if blas.SquaredDistance(own, other) <= p.far[i] {
				right++
			}
		}
	}
	return float64(right) / float64(nearest*len(p.rows)), nil
}
