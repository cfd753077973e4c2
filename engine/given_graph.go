package engine

import (
	"fmt"
	"reflect"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
)

// unknownRows stands for the data where a graph is given in their place: so many samples
// of no columns.
type unknownRows int

func (n unknownRows) Dims() (rows, cols int) { return int(n), 0 }
func (n unknownRows) At(i, j int) float64    { panic("engine: samples that are not known") }
func (n unknownRows) T() mat.Matrix          { return mat.Transpose{Matrix: n} }

// searches is the neighbour search of a method for a task, in place of which a graph can
// be given; nil: it has none, or chooses its neighbours in a way of its own.
func (r row) searches(task string) neighborhood.Rule {
	var rule neighborhood.Rule
	switch {
	case task == "embed" && r.embed != nil:
		rule = r.embed().neighbors
	case task == "factorize" && r.factorize != nil:
		rule = r.factorize().Neighbors
	case task == "cluster" && r.cluster != nil:
		plan := r.cluster(2).Plan
		if rule = plan.Neighbors; plan.Factors != nil {
			rule = plan.Factors.Neighbors
		}
	}
	if _, plain := rule.(neighborhood.Nearest); plain {
		return rule
	}
	return nil
}

// structure names what may be given in place of the samples, or beside them.
func (r row) structure() (instead, beside []string) {
	instead, beside = []string{}, []string{}
	for _, t := range tasks {
		if t.serves(r) && r.searches(t.name) != nil {
			beside = []string{"graph"}
			if r.affine(t.name) {
				beside = append(beside, "affinities")
			}
			beside = append(beside, "distances")
			if r.bare != nil {
				instead = beside
			}
		}
	}
	if r.ofDistances != nil {
		instead = append(instead, "distances")
	}
	return instead, beside
}

// graphed checks the graph that was given, and returns the data, which may be unknown
// then, and the method with as many neighbours as its lists have in the mean. Without a
// graph it returns both as they are.
func (b *begun) graphed(task string, x mat.Matrix, m Method) (mat.Matrix, Method, error) {
	g, byAffinities := b.options.Graph, !absent(b.options.Affinities)
	switch all := b.options.structures(); len(all) {
	case 0:
		return x, m, nil
	case 1:
	default:
		return nil, nil, fmt.Errorf("%s: %s are given together; give one of them", b.Method(), strings.Join(all, " and "))
	}
	settled, err := resolved(m, anySize, func(string, ...any) {})
	if err != nil {
		return nil, nil, err
	}
	at := rowOf(settled)
	if !absent(b.options.Distances) {
		x, err := b.measured(task, x, at)
		return x, m, err
	}
	if at.searches(task) == nil {
		return nil, nil, fmt.Errorf("%s: it takes no neighbour graph: it looks for none, or chooses neighbours in its own way; leave the graph out", b.Method())
	}
	if byAffinities {
		if !at.affine(task) {
			return nil, nil, fmt.Errorf("%s: it takes no affinities, as its weights are no edges of a Laplacian; give the graph of distances", b.Method())
		}
		if g, err = b.graphOfAffinities(b.options.Affinities); err == nil {
			err = b.ordinaryAffinities(task, at, g)
		}
		if err != nil {
			return nil, nil, err
		}
	} else if err := g.Validate(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", b.Method(), err)
	} else {
		b.Run = b.Holding(g.Bytes())
	}
	if absent(x) {
		if err := b.alone(at, "graph"); err != nil {
			return nil, nil, err
		}
		x = unknownRows(g.Len())
	}
	n, cols := x.Dims()
	if n != g.Len() {
		return nil, nil, fmt.Errorf("%s: a graph of %d samples for data of %d; give the graph of these samples", b.Method(), g.Len(), n)
	}
	if err := b.ofAll(at, "graph"); err != nil {
		return nil, nil, err
	}
	least, mean, _ := g.Degrees()
	full, err := b.withNeighbors(m, max(mean, 1))
	if err != nil {
		return nil, nil, err
	}
	if err := b.longEnough(at, full, least, cols); err != nil {
		return nil, nil, err
	}
	b.graph = g
	return x, full, nil
}

// ofAll refuses options by which the structure would not be that of the samples that are
// embedded.
func (b begun) ofAll(at row, what string) error {
	if b.options.Duplicates == "merge" {
		return wording.Errorf("%s: ‹duplicates=merge› with a given %s of all samples; keep them", b.Method(), what)
	}
	if (b.options.Landmarks > 0 || b.options.LandmarkRows != nil) && !at.ownLandmarks {
		return fmt.Errorf("%s: landmarks with a given %s, which is not that of the landmarks; leave one of them out", b.Method(), what)
	}
	return nil
}

// alone refuses a graph, or distances, without samples where these are needed.
func (b begun) alone(at row, what string) error {
	if at.bare == nil {
		return fmt.Errorf("%s: it needs the samples beside their %s; give both", b.Method(), what)
	}
	if needs := at.bare(); needs != "" && b.options.Affinities == nil {
		return wording.Errorf("%s: %s needs the samples beside their %s; give both, or take other weights", b.Method(), needs, what)
	}
	switch {
	case b.options.Model:
		return wording.Errorf("%s: there is no rule for new samples%s; leave the model out, or give the samples, too", b.Method(), extend.WithoutSamples)
	case b.options.Components == "bridge":
		return wording.Errorf("%s: ‹components=bridge› measures between samples, which are not given; choose ‹components=auto›", b.Method())
	case b.options.Landmarks > 0 && b.landmarkChoice(at) != "random":
		return wording.Errorf("%s: landmarks far from each other are measured between samples, which are not given; choose ‹landmark_choice=random›", b.Method())
	}
	return nil
}

// withNeighbors returns the method with so many neighbours, and refuses one that was given
// a number.
func (b begun) withNeighbors(m Method, k int) (Method, error) {
	v := reflect.Indirect(reflect.ValueOf(m))
	copied := reflect.New(v.Type())
	copied.Elem().Set(v)
	for _, f := range fields(copied.Interface()) {
		if replaced := f.Key == "weights" || f.Key == "t" || f.Key == "graph"; replaced && b.options.Affinities != nil && !f.value.IsZero() {
			return nil, wording.Errorf("%s: ‹%s› is given beside affinities, which are the weights of the edges; leave one of them out", b.Method(), f.Key)
		}
		if f.Key != "neighbors" {
			continue
		}
		if !f.value.IsZero() {
			return nil, wording.Errorf("%s: ‹neighbors› is given beside a graph, whose lists tell the neighbours; leave one of them out", b.Method())
		}
		if f.value.Kind() == reflect.Pointer {
			f.value.Set(reflect.ValueOf(&k))
		} else {
			f.value.SetInt(int64(k))
		}
	}
	return copied.Interface().(Method), nil
}

// longEnough refuses lists that are shorter than the patches of a method need.
func (b begun) longEnough(at row, full Method, least, cols int) error {
	if at.embed == nil || b.options.Affinities != nil || at.embed().patch.AnyLists || at.ownLandmarks {
		return nil
	}
	shortest := func() int { // the first of them, from 1
		for i := range b.options.Graph.Len() {
			if len(b.options.Graph.Of(i)) == least {
				return i + 1
			}
		}
		return 0
	}
	if least == 0 {
		return fmt.Errorf("%s: row %d (counting from 1) of the graph lists no neighbours, and its sample has no patch; give it some, or leave it out", b.Method(), shortest())
	}
	fewest := reflect.New(reflect.Indirect(reflect.ValueOf(full)).Type())
	fewest.Elem().Set(reflect.Indirect(reflect.ValueOf(full)))
	for _, f := range fields(fewest.Interface()) {
		if f.Key == "neighbors" {
			reflect.Indirect(f.value).SetInt(int64(least))
		}
	}
	m, err := resolved(fewest.Interface().(Method), b.options.Graph.Len(), func(string, ...any) {})
	if err != nil {
		return err
	}
	if check := rowOf(m).check; check != nil {
		if err := check(b.options.Graph.Len(), cols); err != nil {
			return fmt.Errorf("%w (row %d, counting from 1, of the graph lists %d)", err, shortest(), least)
		}
	}
	return nil
}

// lists is the search of a method, or the graph in its place.
func (b begun) lists(rule neighborhood.Rule) neighborhood.Rule {
	if k, searched := rule.(neighborhood.Nearest); searched && b.distances.N() > 0 {
		return neighborhood.Measured{Distances: b.distances, K: int(k)}
	} else if searched && b.radius > 0 {
		return neighborhood.Within{Radius: b.radius, Least: b.least}
	}
	if b.graph == nil || rule == nil {
		return rule
	}
	return neighborhood.Given{Graph: b.graph, Affine: b.options.Affinities != nil}
}

// longestEdge is the place and the value of the largest distance of a graph.
func longestEdge(g *neighbors.Graph) (row, col int, value float64) {
	row, col = -1, -1
	for i := range g.Len() {
		if d := g.Distances(i); len(d) > 0 && d[len(d)-1] > value {
			row, col, value = i, int(g.Of(i)[len(d)-1]), d[len(d)-1]
		}
	}
	return row, col, value
}

// nothingElse is the bare of a method that looks at no sample beyond its graph.
func nothingElse() string { return "" }

// edgesBare is that of a method of edges with these weights.
func edgesBare(weights string) func() string {
	return func() string {
		if weights == "cosine" || weights == "adaptive" {
			return "‹weights=" + weights + "›"
		}
		return ""
	}
}
