// Package communities finds groups of vertices that have many edges among themselves and few to others.
package communities

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/sparse"
)

// Partition assigns each vertex to one of Count communities.
type Partition struct {
	Label      []int32 // the community of each vertex, numbered by its first vertex
	Count      int
	Modularity float64 // Newman, Girvan 2004
}

// Louvain maximises the modularity of a partition of a graph with symmetric nonnegative weights (Blondel et
// al. 2008): vertices move to the community of a neighbour as long as the modularity rises, and communities
// become the vertices of a smaller graph, until nothing changes. Only vertices next to a moved one are visited again. The order is fixed,
// so equal graphs have equal partitions. The diagonal counts once. About O(nnz) a level.
func Louvain(ctx context.Context, w *sparse.CSR) (Partition, error) {
	if w.Rows != w.Cols {
		return Partition{}, fmt.Errorf("communities: the matrix is %d × %d; give a square one", w.Rows, w.Cols)
	}
	p := Partition{Label: make([]int32, w.Rows), Count: w.Rows}
	for i := range p.Label {
		p.Label[i] = int32(i)
	}
	var total float64
	for _, v := range w.Val {
		if !(v >= 0) || math.IsInf(v, 1) {
			return Partition{}, errors.New("communities: a weight is negative or not finite; give nonnegative weights")
		}
		total += v
	}
	if total == 0 {
		return p, nil
	}
	for g := w; ; {
		label, err := move(ctx, g, total)
		if err != nil {
			return Partition{}, err
		}
		count := number(label)
		for i, c := range p.Label {
			p.Label[i] = label[c]
		}
		p.Count = count
		p.Modularity = modularity(g, label, count, total)
		if count == g.Rows {
			return p, nil
		}
		g = Quotient(g, label, count)
	}
}

// rises is the share of the total weight by which a move must raise the modularity: less may be a rounding error.
const rises = 1e-12

// move assigns the vertices of one level to communities.
func move(ctx context.Context, g *sparse.CSR, total float64) ([]int32, error) {
	n := g.Rows
	label, degree, volume := make([]int32, n), make([]float64, n), make([]float64, n)
	for i := range n {
		_, vals := g.Row(i)
		for _, v := range vals {
			degree[i] += v
		}
		label[i], volume[i] = int32(i), degree[i]
	}
	to, touched := make([]float64, n), make([]int32, 0, 64)
	queue, waiting := make([]int32, n), make([]bool, n)
	for i := range queue {
		queue[i], waiting[i] = int32(i), true
	}
	// queue is a ring, which holds each vertex at most once.
	for head, size, steps := 0, n, 0; size > 0; steps++ {
		if steps&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		i := queue[head]
		head, size = (head+1)%n, size-1
		waiting[i] = false
		own := label[i]
		cols, vals := g.Row(int(i))
		for q, j := range cols {
			if c := label[j]; j != i && vals[q] > 0 {
				if to[c] == 0 {
					touched = append(touched, c)
				}
				to[c] += vals[q]
			}
		}
		volume[own] -= degree[i]
		best, gain := own, to[own]-degree[i]*volume[own]/total
		gain += rises * total
		for _, c := range touched {
			if v := to[c] - degree[i]*volume[c]/total; v > gain || v == gain && c < best && best != own {
				best, gain = c, v
			}
		}
		for _, c := range touched {
			to[c] = 0
		}
		touched = touched[:0]
		volume[best] += degree[i]
		if best == own {
			continue
		}
		label[i] = best
		for _, j := range cols {
			if label[j] != best && !waiting[j] {
				waiting[j] = true
				queue[(head+size)%n] = j
				size++
			}
		}
	}
	return label, nil
}

// number renumbers labels by their first occurrence and returns their number.
func number(label []int32) int {
	to := slices.Repeat([]int32{-1}, len(label))
	var count int32
	for i, c := range label {
		if to[c] < 0 {
			to[c] = count
			count++
		}
		label[i] = to[c]
	}
	return int(count)
}

// Quotient returns the graph of the communities: the sums of the weights between them, and within them on the
// diagonal.
func Quotient(g *sparse.CSR, label []int32, count int) *sparse.CSR {
	first := make([]int, count+1)
	for _, c := range label {
		first[c+1]++
	}
	for c := range count {
		first[c+1] += first[c]
	}
	members, next := make([]int32, len(label)), slices.Clone(first[:count])
	for i, c := range label {
		members[next[c]] = int32(i)
		next[c]++
	}
	q := &sparse.CSR{Rows: count, Cols: count, Ptr: make([]int, count+1)}
	to, touched := make([]float64, count), []int32(nil)
	for c := range count {
		touched = touched[:0]
		for _, i := range members[first[c]:first[c+1]] {
			cols, vals := g.Row(int(i))
			for p, j := range cols {
				if d := label[j]; vals[p] > 0 {
					if to[d] == 0 {
						touched = append(touched, d)
					}
					to[d] += vals[p]
				}
			}
		}
		slices.Sort(touched)
		for _, d := range touched {
			q.Col, q.Val = append(q.Col, d), append(q.Val, to[d])
			to[d] = 0
		}
		q.Ptr[c+1] = len(q.Col)
	}
	return q
}

// modularity returns Σ_c (w_cc/w − (v_c/w)²), where v_c is the sum of the degrees in c.
func modularity(g *sparse.CSR, label []int32, count int, total float64) float64 {
	within, volume := make([]float64, count), make([]float64, count)
	for i := range g.Rows {
		cols, vals := g.Row(i)
		for p, j := range cols {
			volume[label[i]] += vals[p]
			if label[j] == label[i] {
				within[label[i]] += vals[p]
			}
		}
	}
	var sum float64
	for c := range count {
		sum += within[c]/total - volume[c]/total*(volume[c]/total)
	}
	return sum
}
