package engine

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"
)

// byComponents finds the neighbourhoods, reports the components of their graph,
// and takes the remaining steps as Options.Components says.
func (p *problem) byComponents(s steps, r *Result) (*solution, error) {
	if s.neighbors == nil {
		return p.run(s)
	}
	end := p.clock.Phase("neighbors")
	graph, err := s.neighbors.find(p)
	if err != nil {
		return nil, err
	}
	p.graph = graph
	label, sizes := graph.Components()
	end()
	r.Components, r.Sizes = len(sizes), slices.SortedFunc(slices.Values(sizes), func(a, b int) int { return b - a })
	p.explain("neighbours: %d lists, %d component(s)", graph.Len(), len(sizes))
	if len(sizes) == 1 {
		return p.run(s)
	}
	switch p.options.Components {
	case "joint":
		p.warn("the neighbour graph has %d components (%s): the joint problem has as many null vectors, and its coordinates mix them", len(sizes), listSizes(r.Sizes))
		return p.run(s)
	case "largest":
		return p.embedLargest(s, members(label, sizes))
	case "each":
		if p.options.Model && s.extend != nil {
			return nil, fmt.Errorf("%s: there is no rule for new samples%s; leave the model out, or choose components=largest", p.name, eachHasNoRule)
		}
		return p.embedEach(s, members(label, sizes))
	}
	choices := "largest, each or joint"
	if s.needConnected {
		choices = "largest or each"
	}
	return nil, fmt.Errorf("%s: the neighbour graph has %d components (%s); %s, or choose --set components=%s",
		p.name, len(sizes), listSizes(r.Sizes), p.joining(s.neighbors), choices)
}

// members lists the samples of each component, the largest component first and
// equal ones by their first sample.
func members(label, sizes []int) [][]int {
	lists := make([][]int, len(sizes))
	for i, c := range label {
		lists[c] = append(lists[c], i)
	}
	slices.SortStableFunc(lists, func(a, b []int) int { return cmp.Compare(len(b), len(a)) })
	return lists
}

func (p *problem) embedLargest(s steps, lists [][]int) (*solution, error) {
	kept := lists[0]
	if err := p.roomFor(len(kept)); err != nil {
		return nil, err
	}
	q := p.part(kept)
	part, err := q.run(s)
	if err != nil {
		return nil, err
	}
	p.warn("the neighbour graph has %d components: only the largest, %d of %d samples, is embedded; the other rows are NaN", len(lists), len(kept), p.x.N)
	p.warnings, p.details = append(p.warnings, q.warnings...), q.details
	y := mat.NewDense(p.x.N, p.dim, slices.Repeat([]float64{math.NaN()}, p.x.N*p.dim))
	for at, i := range kept {
		y.SetRow(i, part.y.RawRowView(at))
	}
	part.y = y
	return part, nil
}

// eachHasNoRule: a rule of the method's own holds within one component.
const eachHasNoRule = " with components=each"

// embedEach embeds every component on its own and lays them side by side along
// the first coordinate, the largest first, a tenth of the widest apart.
func (p *problem) embedEach(s steps, lists [][]int) (*solution, error) {
	if err := p.roomFor(len(lists[len(lists)-1])); err != nil {
		return nil, err
	}
	y := mat.NewDense(p.x.N, p.dim, nil)
	var first *solution
	var edge, gap float64
	converged := true
	for c, list := range lists {
		q := p.part(list)
		part, err := q.run(s)
		if err != nil {
			return nil, err
		}
		converged = converged && part.converged
		column := mat.Col(nil, 0, part.y)
		low, high := slices.Min(column), slices.Max(column)
		if c == 0 {
			first, gap = part, (high-low)/10
			p.details = q.details
		}
		for _, w := range q.warnings {
			p.warn("component %d (%d samples): %s", c+1, len(list), w)
		}
		for at, i := range list {
			y.SetRow(i, part.y.RawRowView(at))
			if c > 0 {
				y.Set(i, 0, y.At(i, 0)-low+edge+gap)
			}
		}
		if c == 0 {
			edge = high
		} else {
			edge += gap + high - low
		}
	}
	p.warn("the neighbour graph has %d components: each is embedded on its own, side by side; eigenvalues are the largest one's", len(lists))
	first.y, first.converged = y, converged
	if first.extension = nil; s.extend == nil {
		first.extension = byNeighbours(p.x, y, p.graph.MaxDegree(), p.gamma())
	} else {
		first.noExtension = eachHasNoRule
	}
	return first, nil
}

// roomFor refuses components too small to have d coordinates.
func (p *problem) roomFor(size int) error {
	if size <= p.dim {
		return fmt.Errorf("%s: a component of %d samples has no %d coordinates; choose --set components=largest, take more neighbours, or a smaller dim", p.name, size, p.dim)
	}
	return nil
}

// listSizes prints the sizes of components, the largest ones.
func listSizes(sizes []int) string {
	const shown = 8
	text := "sizes "
	for c, size := range sizes[:min(shown, len(sizes))] {
		if c > 0 {
			text += ", "
		}
		text += fmt.Sprint(size)
	}
	if len(sizes) > shown {
		text += ", …"
	}
	return text
}

// joining says which number of neighbours would join the components, by
// widening the graph until it is connected. The search stops at a graph of
// joinEntries entries, where an answer would cost more than the embedding.
func (p *problem) joining(rule neighborRule) string {
	const joinEntries = 20e6
	from := p.graph.MaxDegree()
	if k, ok := p.params["neighbors"].(int); ok {
		from = k // rules that choose among the k nearest have shorter lists
	}
	most := min(p.x.N-1, max(int(joinEntries)/p.x.N, from))
	for k := from; k < most; {
		k = min(2*k, most)
		narrowed, err := rule.widen(p, k)
		if err != nil {
			break
		}
		connects := func(k int) bool {
			g, err := narrowed(k)
			if err != nil {
				return false
			}
			_, sizes := g.Components()
			return len(sizes) == 1
		}
		if !connects(k) {
			continue
		}
		least := 1 + sort.Search(k-1, func(fewer int) bool { return connects(fewer + 1) })
		return fmt.Sprintf("%d neighbours would join them", least)
	}
	return fmt.Sprintf("even %d neighbours would not join them", most)
}
