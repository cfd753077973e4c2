package communities

import (
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
)

// worker is the scratch space of one thread.
type worker struct {
	to      []float64 // weights to parts, 0 between uses
	touched []int32
	weight  []float64
}

// refine divides each community into parts: each vertex begins as a part of its own, and in random order those that are still alone join a part of their
// community, with probabilities that grow as exp(gain/θ), among those of a gain ≥ 0, including none. Only a vertex and a part that are well connected to the rest
// of the community S are joined: w(C, S − C) ≥ r·n_C·(n_S − n_C). Where all vertices are in their best community, at least two of each larger
// one are joined, unless rounding decides otherwise. It returns the part of each vertex, numbered by its first vertex, and their number.
func (s *search) refine(g *graph, label []int32, count int) ([]int32, int, error) {
	n := g.len()
	order, first := s.space.membersOf(label, count)
	part := pages.Make[int32](n)
	for len(s.space.workers) < s.threads {
		s.space.workers = append(s.space.workers, worker{})
	}
	seed := s.stream()
	// The blocks depend on the number of communities alone, and communities share no vertices.
	err := blas.For(s.ctx, s.threads, count, 1+count/512, func(at, lo, hi int) {
		w := &s.space.workers[at]
		if w.to == nil {
			w.to = pages.Make[float64](len(s.space.order))
		}
		for c := lo; c < hi && s.ctx.Err() == nil; c++ {
			if list := order[first[c]:first[c+1]]; len(list) == 1 {
				part[list[0]] = list[0]
			} else {
				s.divide(w, g, label, int32(c), list, part, drawn(seed, uint64(c)))
			}
		}
	})
	if err != nil {
		return nil, 0, err
	}
	return part, number(part), nil
}

// divide refines community c with the vertices of list. A part is named by its first vertex.
func (s *search) divide(w *worker, g *graph, label []int32, c int32, list, part []int32, seed uint64) {
	inner, mass, single := s.space.inner, s.space.mass, s.space.single
	var all float64
	for _, v := range list {
		part[v], mass[v], single[v] = v, g.size[v], true
		all += g.size[v]
		cols, vals := g.row(v)
		var sum float64
		for q, j := range cols {
			if label[j] == c && j != v {
				sum += vals[q]
			}
		}
		inner[v] = sum
	}
	connected := func(p int32) bool {
		return inner[p]*(1+rises) >= float64(s.rate*mass[p]*(all-mass[p]))
	}
	random := blas.NewStream(seed)
	shuffle(list, random)
	for steps, v := range list {
		if steps%polled == polled-1 && s.ctx.Err() != nil {
			return
		}
		if !single[v] || !connected(v) {
			continue
		}
		touched := w.touched[:0]
		cols, vals := g.row(v)
		for q, j := range cols {
			if label[j] != c || j == v {
				continue
			}
			p := part[j]
			if w.to[p] == 0 {
				touched = append(touched, p)
			}
			w.to[p] += vals[q]
		}
		pull := s.rate * g.size[v]
		slack := rises * inner[v]
		best, most, kept := v, 0.0, touched[:0]
		w.weight = append(w.weight[:0], 0)
		for _, p := range touched {
			gain := w.to[p] - float64(pull*mass[p])
			if gain >= -slack && w.to[p] > 0 && connected(p) {
				if gain > most || best == v && gain >= most-slack {
					best, most = p, gain
				}
				w.weight = append(w.weight, gain)
				kept = append(kept, p)
			} else {
				w.to[p] = 0
			}
		}
		w.touched = touched
		if best != v && s.temperature > 0 {
			best = w.pick(v, kept, most, s.temperature, random)
		}
		toBest := w.to[best]
		for _, p := range kept {
			w.to[p] = 0
		}
		if best == v {
			continue
		}
		part[v], single[v], single[best] = best, false, false
		mass[best] += g.size[v]
		inner[best] += inner[v] - float64(2*toBest)
	}
}

// pick draws one of the parts with probabilities in the ratio of exp(gain/θ); part v itself has the gain 0.
func (w *worker) pick(v int32, parts []int32, most, temperature float64, random *blas.Stream) int32 {
	var sum float64
	for i, gain := range w.weight {
		sum += math.Exp((gain - most) / temperature)
		w.weight[i] = sum
	}
	at := random.Uniform() * sum
	for i, reached := range w.weight {
		if at < reached {
			if i == 0 {
				return v
			}
			return parts[i-1]
		}
	}
	return parts[len(parts)-1]
}

// membersOf sorts vertices by their community: those of community c are order[first[c]:first[c+1]], ascending.
func (s *space) membersOf(label []int32, count int) (order []int32, first []int) {
	order, first = s.order[:len(label)], s.first[:count+1]
	clear(first)
	for _, c := range label {
		first[c]++
	}
	sum := 0
	for c := range count {
		first[c], sum = sum, sum+first[c]
	}
	first[count] = sum
	for i, c := range label {
		order[first[c]] = int32(i)
		first[c]++
	}
	copy(first[1:], first[:count])
	first[0] = 0
	return order, first
}
