package engine

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/wording"
)

// byComponents finds the neighbourhoods, reports the components of their graph,
// and takes the remaining steps as Options.Components says.
func (b begun) byComponents(at locality, m Method, s steps, r *Result) (*outcome, error) {
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
	if b.options.Model && found.Affine && s.joint.extends {
		return nil, fmt.Errorf("%s: there is no rule for new samples%s; leave the model out, or give the graph of distances", b.Method(), extend.OfAffinities)
	}
	r.Components, r.Sizes = len(sizes), align.Descending(sizes)
	b.Explain("neighbours: %d lists, %d component(s)", found.Graph.Len(), len(sizes))
	if len(sizes) == 1 {
		return s.take(b.Run, at, b.options.Init)
	}
	method, lists := rowOf(m), neighborhood.Members(label, sizes)
	ways := b.waysFor(r.Sizes, at, method, s)
	policy := b.options.Components
	if policy == "auto" {
		policy = ways.auto()
		r.Params["components"] = policy
	}
	switch policy {
	case "bridge":
		if at.found.Affine {
			return nil, wording.Errorf("%s: ‹components=bridge› adds edges of a length, which affinities do not have; choose %s", b.Method(), ways.others("bridge"))
		}
		return b.embedBridged(at, m, s, label, sizes)
	case "joint":
		if r.Sizes[len(sizes)-1] == 1 {
			return nil, wording.Errorf("%s: the neighbour graph has %d components (%s), and no equation of ‹components=joint› places a sample without neighbours; choose %s",
				b.Method(), len(sizes), neighborhood.ListSizes(r.Sizes), ways.others("joint"))
		}
		b.Warn("the neighbour graph has %d components (%s): the joint problem has as many null vectors, and its coordinates mix them", len(sizes), neighborhood.ListSizes(r.Sizes))
		return s.take(b.Run, at, b.options.Init)
	case "largest":
		return b.embedLargest(at, method.dim, s, lists, ways)
	case "each":
		if b.options.Model && s.joint.extends {
			return nil, wording.Errorf("%s: there is no rule for new samples%s; leave the model out, or choose %s", b.Method(), eachHasNoRule, ways.others("each"))
		}
		bridges := []neighborhood.Bridge(nil)
		if b.options.Components == "auto" && !at.x.Absent() {
			bridges, _ = neighborhood.Bridges(b.Within(), at.x, label, len(sizes)) // without them less is said
		}
		return b.embedEach(at, m, s, lists, bridges)
	}
	from := found.Graph.MaxDegree()
	if method.neighbors != nil {
		from = *method.neighbors // rules that choose among the k nearest have shorter lists
	}
	joining := neighborhood.Joining(b.Run, at.x, s.neighbors, from)
	return nil, wording.Errorf("%s: the neighbour graph has %d components (%s); %s",
		b.Method(), len(sizes), neighborhood.ListSizes(r.Sizes), ways.advice(from, joining))
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

func (b begun) embedLargest(at locality, dim int, s steps, lists [][]int, ways ways) (*outcome, error) {
	kept := lists[0]
	if len(kept) <= dim {
		return nil, wording.Errorf("%s: the largest component has %d samples, which have no %d coordinates; choose %s", b.Method(), len(kept), dim, ways.others("largest"))
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
// A component of at most dim samples has as many coordinates as it can have, the others
// are 0. bridges, where they are known, give the number of neighbours that would join the components.
func (b begun) embedEach(at locality, m Method, s steps, lists [][]int, bridges []neighborhood.Bridge) (*outcome, error) {
	method := rowOf(m)
	dim, scaled := method.dim, method.units.coordinates == 0
	y := mat.NewDense(at.x.N(), dim, nil)
	var first *outcome
	var edge, gap float64
	converged := true
	for c, list := range lists {
		job := b.Part()
		part, err := b.embedPart(job, at.component(list), m, s)
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
		} else if first.quality != nil && part.quality != nil {
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
	sizes := make([]int, len(lists))
	for c, list := range lists {
		sizes[c] = len(list)
	}
	b.Warn("the neighbour graph has %d components (%s)%s: each is embedded on its own, %s, and they are laid side by side; only positions within a component have a meaning; eigenvalues are the largest one's",
		len(lists), neighborhood.ListSizes(sizes), b.joinedBy(at, bridges), how)
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

// embedPart embeds a component on its own, in fewer dimensions where it has no more samples.
func (b begun) embedPart(job *run.Run, own locality, m Method, s steps) (*outcome, error) {
	n, dim := own.x.N(), rowOf(m).dim
	if n > dim {
		return s.take(job, own, b.options.Init)
	}
	y := mat.NewDense(n, dim, nil)
	part := &outcome{Solution: &solve.Solution{Converged: true}}
	if n > 1 {
		var err error
		if part, err = b.stepsIn(m, n-1).take(job, own, nil); err != nil {
			return nil, err
		}
		y.Slice(0, n, 0, n-1).(*mat.Dense).Copy(part.Y)
	}
	part.Y = y
	for len(part.Values) < dim {
		part.Values, part.Residuals = append(part.Values, math.NaN()), append(part.Residuals, 0)
	}
	return part, nil
}

// stepsIn are the steps of a method in another number of dimensions.
func (b begun) stepsIn(m Method, dim int) steps {
	own := copied(m)
	for _, f := range fields(own) {
		if f.Key == "dim" {
			f.value.SetInt(int64(dim))
		}
	}
	s := rowOf(own).embed()
	s.patch = b.edges(s.patch)
	return s
}

// joinedBy says how many neighbours would join the components that bridges link; nothing
// where there are none, or where the neighbours were given.
func (b begun) joinedBy(at locality, bridges []neighborhood.Bridge) string {
	if len(bridges) == 0 || b.graph != nil {
		return ""
	}
	return fmt.Sprintf(", which %d neighbours would join", neighborhood.Reaching(at.x, bridges))
}
