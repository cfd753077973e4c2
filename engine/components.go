package engine

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/wording"
)

// byComponents finds the neighbourhoods, reports the components of their graph,
// and takes the remaining steps as Options.Components says.
func (b begun) byComponents(at locality, method row, s steps, r *Result) (*outcome, error) {
	if s.neighbors == nil {
		return s.take(b.Run, at, b.options.Init)
	}
	end := b.Phase("neighbors")
	found, err := s.neighbors.Find(b.Run, at.x)
	if err != nil {
		return nil, err
	}
	at.found = found
	label, sizes := found.Graph.Components()
	end()
	r.Components, r.Sizes = len(sizes), align.Descending(sizes)
	b.Explain("neighbours: %d lists, %d component(s)", found.Graph.Len(), len(sizes))
	if len(sizes) == 1 {
		return s.take(b.Run, at, b.options.Init)
	}
	switch b.options.Components {
	case "bridge":
		return b.embedBridged(at, method, s, label, sizes)
	case "joint":
		b.Warn("the neighbour graph has %d components (%s): the joint problem has as many null vectors, and its coordinates mix them", len(sizes), neighborhood.ListSizes(r.Sizes))
		return s.take(b.Run, at, b.options.Init)
	case "largest":
		return b.embedLargest(at, method.dim, s, neighborhood.Members(label, sizes))
	case "each":
		if b.options.Model && s.joint.extends {
			return nil, wording.Errorf("%s: there is no rule for new samples%s; leave the model out, or choose ‹components=largest› or bridge", b.Method(), eachHasNoRule)
		}
		return b.embedEach(at, method, s, neighborhood.Members(label, sizes))
	}
	from := found.Graph.MaxDegree()
	if method.neighbors != nil {
		from = *method.neighbors // rules that choose among the k nearest have shorter lists
	}
	joining := neighborhood.Joining(b.Run, at.x, s.neighbors, from)
	return nil, wording.Errorf("%s: the neighbour graph has %d components (%s); %s",
		b.Method(), len(sizes), neighborhood.ListSizes(r.Sizes), adviseOn(r.Sizes, method, s.needConnected, !at.x.Absent(), from, joining))
}

// component is one component of the samples, or all, on its own, in the given order.
func (at locality) component(members []int) locality {
	part := locality{x: at.x.Subset(members), found: at.found.Restrict(members)}
	if at.landmarks != nil {
		part.landmarks = []int{}
		for to, i := range members {
			if _, found := slices.BinarySearch(at.landmarks, i); found {
				part.landmarks = append(part.landmarks, to)
			}
		}
	}
	return part
}

func (b begun) embedLargest(at locality, dim int, s steps, lists [][]int) (*outcome, error) {
	kept := lists[0]
	if err := roomFor(b.Run, len(kept), dim); err != nil {
		return nil, err
	}
	job := b.Part()
	part, err := s.take(job, at.component(kept), b.options.Init)
	if err != nil {
		return nil, err
	}
	n := at.x.N()
	b.Warn("the neighbour graph has %d components: only the largest, %d of %d samples, is embedded; the other rows are NaN", len(lists), len(kept), n)
	for _, w := range job.Warnings() {
		b.Warn("%s", w)
	}
	b.Adopt(job)
	y := mat.NewDense(n, dim, slices.Repeat([]float64{math.NaN()}, n*dim))
	for to, i := range kept {
		y.SetRow(i, part.Y.RawRowView(to))
	}
	part.Y = y
	return part, nil
}

// eachHasNoRule: a rule of the method's own holds within one component.
const eachHasNoRule = " with ‹components=each›"

// embedEach embeds every component on its own and lays them side by side along
// the first coordinate, the largest first, a tenth of its width apart. Where the
// coordinates have no unit, the parts are brought to areas in proportion to their
// numbers of samples: columns of unit length would make the smallest part the widest.
func (b begun) embedEach(at locality, method row, s steps, lists [][]int) (*outcome, error) {
	dim, scaled := method.dim, method.units.coordinates == 0
	if err := roomFor(b.Run, len(lists[len(lists)-1]), dim); err != nil {
		return nil, err
	}
	y := mat.NewDense(at.x.N(), dim, nil)
	var first *outcome
	var edge, gap float64
	converged := true
	for c, list := range lists {
		job := b.Part()
		part, err := s.take(job, at.component(list), b.options.Init)
		if err != nil {
			return nil, err
		}
		converged = converged && part.Converged
		if c > 0 && scaled {
			part.Y.Scale(besideScale(first.Y, part.Y), part.Y)
		}
		column := mat.Col(nil, 0, part.Y)
		low, high := slices.Min(column), slices.Max(column)
		if c == 0 {
			first, gap = part, (high-low)/10
			b.Adopt(job)
		} else {
			first.quality.beside(c+1, len(list), part.quality)
		}
		for _, w := range job.Warnings() {
			b.Warn("component %d (%d samples): %s", c+1, len(list), w)
		}
		for to, i := range list {
			y.SetRow(i, part.Y.RawRowView(to))
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
	how := "in the unit of the data"
	if scaled {
		how = "scaled by its number of samples"
	}
	b.Warn("the neighbour graph has %d components: each is embedded on its own, %s, and they are laid side by side; eigenvalues are the largest one's", len(lists), how)
	first.Y, first.Converged = y, converged
	if first.extension = nil; at.x.Absent() {
		first.reason = extend.WithoutSamples
	} else if s.joint.extends {
		first.reason = eachHasNoRule
	} else {
		first.extension = extend.ByNeighbors(at.x, y, at.found.Graph.MaxDegree(), s.gamma)
	}
	return first, nil
}

// roomFor refuses components too small to have d coordinates.
func roomFor(job *run.Run, size, dim int) error {
	if size <= dim {
		return wording.Errorf("%s: a component of %d samples has no %d coordinates; choose ‹components=largest› or bridge, take more neighbours, or a smaller dim", job.Method(), size, dim)
	}
	return nil
}
