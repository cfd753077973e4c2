package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
)

// What makes one way to deal with several components suit better than the others.
const (
	mostOfAll   = 0.95 // of the samples in one component: the others are outliers
	fewMore     = 1.5  // times k: so many neighbours are still local
	mostBeside  = 24   // parts that can be distinguished in a picture
	leastBeside = 10   // samples of a part that is worth looking at
)

// ways are the policies that go on with the components of a graph, and the one that suits them.
type ways struct {
	sizes   []int    // the largest first
	dim     int      // of the embedding
	extends bool     // the method has a rule of its own for new samples
	offered []string // those that work
}

// waysFor lists what works with components of these sizes, the largest first.
func (b begun) waysFor(sizes []int, at locality, method row, s steps) ways {
	w := ways{sizes: sizes, dim: method.dim, extends: s.joint.extends}
	if sizes[0] > method.dim {
		w.offered = append(w.offered, "largest")
	}
	if !b.options.Model || !s.joint.extends {
		w.offered = append(w.offered, "each")
	}
	if !s.needConnected && sizes[len(sizes)-1] > 1 { // no equation places a sample without neighbours
		w.offered = append(w.offered, "joint")
	}
	if !at.x.Absent() && !at.found.Affine { // a bridge has a length, which is measured between samples
		w.offered = append(w.offered, "bridge")
	}
	return w
}

// auto is the policy of components=auto. A bridge is one edge more for a method of edges, of
// paths or of a projection, which have a rule of their own for new samples. A patch that is a
// local fit has no place for a sample of another component: few components are embedded
// each on its own. docs/graphs.md has the measurements.
func (w ways) auto() string {
	order := []string{"bridge", "each", "largest"}
	if !w.extends && w.few() {
		order = []string{"each", "bridge", "largest"}
	}
	for _, way := range order {
		if slices.Contains(w.offered, way) {
			return way
		}
	}
	return "error"
}

// few reports whether the components are so few, and each so large, that they can be looked at
// one beside the other.
func (w ways) few() bool {
	return len(w.sizes) <= mostBeside && w.sizes[len(w.sizes)-1] >= max(leastBeside, w.dim+1)
}

// others offers what works in place of a policy.
func (w ways) others(than string) string {
	rest := slices.DeleteFunc(slices.Clone(w.offered), func(way string) bool { return way == than })
	if len(rest) == 0 {
		return "a smaller ‹dim›"
	}
	rest[0] = "‹components=" + rest[0] + "›"
	return oneOf(rest)
}

// advice names the one way to go on that suits the components best, and why; the others
// follow in brackets. joining is the least k that joins them, 0 where none was found.
func (w ways) advice(k, joining int) string {
	if len(w.offered) == 0 {
		return "take a smaller ‹dim›"
	}
	total, least := 0, w.sizes[len(w.sizes)-1]
	for _, size := range w.sizes {
		total += size
	}
	others := ""
	if joining > 0 {
		others = fmt.Sprintf("%d neighbours would join them", joining)
		if float64(joining) <= fewMore*float64(k) {
			return fmt.Sprintf("%s, hardly more than the %d asked for: take ‹neighbors=%d› (or choose %s)", others, k, joining, w.others(""))
		}
	}
	whys := map[string]string{
		"each":    fmt.Sprintf("each has at least %d samples, enough to be embedded on its own; they are laid side by side", least),
		"bridge":  "some are too small to be embedded on their own, or they are too many; the shortest edges between them are added",
		"largest": "some are too small to be embedded on their own, or they are too many; the rows of the others become NaN",
		"joint":   "the problem is solved as it stands, and its coordinates mix them",
	}
	order := []string{"bridge", "largest", "each", "joint"}
	switch {
	case float64(w.sizes[0]) >= mostOfAll*float64(total):
		whys["largest"] = fmt.Sprintf("it holds %.3g %% of the samples; the rows of the others become NaN", 100*float64(w.sizes[0])/float64(total))
		order = []string{"largest", "bridge", "each", "joint"}
	case w.few():
		order = []string{"each", "bridge", "largest", "joint"}
	}
	if !w.few() {
		whys["each"] = "each is embedded on its own, and they are laid side by side"
	}
	suits := order[slices.IndexFunc(order, func(way string) bool { return slices.Contains(w.offered, way) })]
	text := fmt.Sprintf("choose ‹components=%s›: %s", suits, whys[suits])
	var more []string
	if rest := slices.DeleteFunc(slices.Clone(w.offered), func(way string) bool { return way == suits }); len(rest) > 0 {
		more = append(more, "else "+oneOf(rest))
	}
	if others != "" {
		more = append(more, others)
	}
	if len(more) > 0 {
		text += " (" + strings.Join(more, "; ") + ")"
	}
	return text
}

// oneOf lists words of which one is to be chosen.
func oneOf(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// besideScale is the factor for a part of an embedding without a unit, after which a sample
// takes as much room in it as in the first part: areas (volumes) are as numbers of samples.
func besideScale(first, part *mat.Dense) float64 {
	n, dim := first.Dims()
	m, _ := part.Dims()
	spread := scatterOf(part)
	if spread == 0 {
		return 1
	}
	return math.Pow(float64(m)/float64(n), 1/float64(dim)) * scatterOf(first) / spread
}

// scatterOf is the root of the mean square of the entries, each less the mean of its column.
func scatterOf(y *mat.Dense) float64 {
	n, dim := y.Dims()
	sum := 0.0
	for j := range dim {
		column := mat.Col(nil, j, y)
		mean := 0.0
		for _, v := range column {
			mean += v / float64(n)
		}
		for _, v := range column {
			sum += (v - mean) * (v - mean)
		}
	}
	return math.Sqrt(sum / float64(n*dim))
}
