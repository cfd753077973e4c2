package engine

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/diagnosis"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/layout"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/internal/pipeline"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/wording"
)

// byComponents reports the components of a graph, and runs the remaining steps according to
// Options.Components.
func (p embedding) byComponents(at pipeline.Locality) (*outcome, error) {
	label, sizes := at.Found.Graph.Components()
	if p.model && at.Found.Affine && p.steps.Joint.Extends {
		return nil, fmt.Errorf("%s: there is no rule for new samples%s; leave the model out, or give the graph of distances", p.Method(), extend.OfAffinities)
	}
	descending := align.Descending(sizes)
	p.Explain("neighbours: %d lists, %d component(s)", at.Found.Graph.Len(), len(sizes))
	policy := p.components
	var o *outcome
	var err error
	if len(sizes) == 1 {
		o, err = p.takeAll(at)
	} else {
		row := method.RowOf(p.method)
		ways := p.waysFor(descending, at, row)
		if policy == "auto" {
			policy = ways.auto()
		}
		o, err = p.severalComponents(at, policy, label, sizes, ways)
	}
	if err != nil {
		return nil, err
	}
	if o.components = descending; len(sizes) > 1 {
		o.policy = policy
	}
	return o, nil
}

// takeAll runs the remaining steps on all samples at once.
func (p embedding) takeAll(at pipeline.Locality) (*outcome, error) {
	return take(p.steps, p.Run, at, p.init, p.trials(p.Run, at))
}

// severalComponents embeds several components by a policy.
func (p embedding) severalComponents(at pipeline.Locality, policy string, label []int, sizes []int, ways ways) (*outcome, error) {
	lists := neighborhood.Members(label, sizes)
	listed := neighborhood.ListSizes(ways.sizes)
	switch policy {
	case "bridge":
		if at.Found.Affine {
			return nil, wording.Errorf("%s: ‹components=bridge› adds edges of a length, which affinities do not have; choose %s", p.Method(), ways.others("bridge"))
		}
		return p.embedBridged(at, label, sizes)
	case "joint":
		if ways.layout && ways.sizes[0] > 1 {
			p.Note("components", len(sizes))
			return p.takeAll(at)
		}
		if ways.sizes[len(sizes)-1] == 1 {
			return nil, wording.Errorf("%s: the neighbour graph has %d components (%s), and no equation of ‹components=joint› places a sample without neighbours; choose %s",
				p.Method(), len(sizes), listed, ways.others("joint"))
		}
		p.Warn("the neighbour graph has %d components (%s): the joint problem has as many null vectors, and its coordinates mix them", len(sizes), listed)
		return p.takeAll(at)
	case "largest":
		return p.embedLargest(at, lists, ways)
	case "each":
		if p.model && p.steps.Joint.Extends {
			return nil, wording.Errorf("%s: there is no rule for new samples%s; leave the model out, or choose %s", p.Method(), eachHasNoRule, ways.others("each"))
		}
		bridges := []neighborhood.Bridge(nil)
		if p.components == "auto" && !at.X.Absent() {
			bridges, _ = neighborhood.Bridges(p.Within(), at.X, label, len(sizes)) // only for the message; an error is ignored
		}
		return p.embedEach(at, lists, bridges)
	}
	from := at.Found.Graph.MaxDegree()
	if k := method.RowOf(p.method).Neighbors; k != nil {
		from = *k // methods that choose among the k nearest have shorter lists
	}
	joining := neighborhood.Joining(p.Run, at.X, p.steps.Neighbors, from)
	return nil, wording.Errorf("%s: the neighbour graph has %d components (%s); %s",
		p.Method(), len(sizes), listed, ways.advice(from, joining))
}

// embedLargest embeds only the largest component; the rows of the others are NaN.
func (p embedding) embedLargest(at pipeline.Locality, lists [][]int, ways ways) (*outcome, error) {
	kept, dim := lists[0], method.RowOf(p.method).Dim
	if len(kept) <= dim {
		return nil, wording.Errorf("%s: the largest component has %d samples, which have no %d coordinates; choose %s", p.Method(), len(kept), dim, ways.others("largest"))
	}
	job := p.Part()
	own := at.Subset(kept)
	part, err := take(p.steps, job, own, p.init, p.trials(job, own))
	if err != nil {
		return nil, err
	}
	n := at.X.N()
	p.Warn("the neighbour graph has %d components: only the largest, %d of %d samples, is embedded; the other rows are NaN", len(lists), len(kept), n)
	for _, w := range job.Warnings() {
		p.Warn("%s", w)
	}
	p.Adopt(job)
	y := mat.NewDense(n, dim, slices.Repeat([]float64{math.NaN()}, n*dim))
	for to, i := range kept {
		y.SetRow(i, part.Y.RawRowView(to))
	}
	part.Y = y
	part.trust.among(kept, n)
	return part, nil
}

// eachHasNoRule: a rule specific to the method holds only within one component.
const eachHasNoRule = " with ‹components=each›"

// embedEach embeds every component separately and places them side by side along
// the first coordinate, the largest first, with gaps of a tenth of its width. If the
// coordinates have no unit, the parts are scaled to areas in proportion to their
// numbers of samples: with columns of unit length the smallest part would be the widest.
// A component of at most dim samples has fewer coordinates; the others
// are 0. bridges, if known, give the number of neighbours that would join the components.
func (p embedding) embedEach(at pipeline.Locality, lists [][]int, bridges []neighborhood.Bridge) (*outcome, error) {
	row := method.RowOf(p.method)
	dim, scaled := row.Dim, row.Units.Coordinates == 0
	y := mat.NewDense(at.X.N(), dim, nil)
	var first *outcome
	var edge, gap float64
	converged := true
	alone := len(lists) // the first component of one sample; they are the last
	for alone > 0 && len(lists[alone-1]) == 1 {
		alone--
	}
	for c, list := range lists[:max(alone, 1)] {
		job := p.Part()
		part, err := p.embedPart(job, at.Subset(list))
		if err != nil {
			return nil, err
		}
		converged = converged && part.Converged
		if c > 0 && scaled {
			part.Y.Scale(areaScale(first.Y, part.Y), part.Y)
		}
		column := mat.Col(nil, 0, part.Y)
		low, high := slices.Min(column), slices.Max(column)
		if c == 0 {
			first, gap = part, (high-low)/10
			p.Adopt(job)
		} else if first.quality != nil && part.quality != nil {
			first.quality.join(c+1, len(list), part.quality)
		}
		for _, w := range job.Warnings() {
			p.Warn("component %d (%d samples): %s", c+1, len(list), w)
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
	if alone = max(alone, 1); alone < len(lists) {
		placeAlone(y, lists[0], lists[alone:], edge+gap)
	}
	how := "in the unit of the data"
	if scaled {
		how = "scaled by its number of samples"
	}
	sizes := make([]int, len(lists))
	for c, list := range lists {
		sizes[c] = len(list)
	}
	p.Warn("the neighbour graph has %d components (%s)%s: each is embedded on its own, %s, and they are laid side by side. Only positions within a component have a meaning. The eigenvalues belong to the largest one",
		len(lists), neighborhood.ListSizes(sizes), p.joinedBy(at, bridges), how)
	first.Y, first.trust, first.Converged = y, nil, converged
	if first.Extension = nil; at.X.Absent() {
		first.Reason = extend.WithoutSamples
	} else if p.steps.Joint.Extends {
		first.Reason = eachHasNoRule
	} else {
		first.Extension = extend.ByNeighbors(extend.Searched{Samples: at.X, Neighbors: at.Found.Graph.MaxDegree(), Metric: p.Metric()}, y, p.steps.Gamma)
	}
	return first, nil
}

// placeAlone places samples without neighbours as a block on the side of the other components, which begins at the given first coordinate: a grid
// in the first two coordinates, as high as the largest component, in which each has as much room as a sample of that. Other coordinates are 0.
func placeAlone(y *mat.Dense, largest []int, alone [][]int, from float64) {
	_, dim := y.Dims()
	extent := func(j int) (low, size float64) {
		low, high := math.Inf(1), math.Inf(-1)
		for _, i := range largest {
			low, high = min(low, y.At(i, j)), max(high, y.At(i, j))
		}
		return low, high - low
	}
	_, width := extent(0)
	low, step, rows := 0.0, width/float64(len(largest)), 1
	if dim > 1 {
		var height float64
		low, height = extent(1)
		step = math.Sqrt(width / float64(len(largest)) * height)
		if step > 0 {
			rows = int(min(height/step, float64(len(alone)))) + 1
		}
	}
	switch {
	case step > 0:
	case width > 0: // a line
		step, rows = width/float64(len(largest)), 1
	default: // all are alone
		step, rows = 1, 1
		if dim > 1 {
			rows = int(math.Ceil(math.Sqrt(float64(len(alone) + 1))))
		}
		from = step
	}
	for q, list := range alone {
		y.Set(list[0], 0, from+float64(step*float64(q/rows)))
		if dim > 1 {
			y.Set(list[0], 1, low+float64(step*float64(q%rows)))
		}
	}
}

// embedPart embeds a component separately, in fewer dimensions if it has too few samples.
func (p embedding) embedPart(job *run.Run, own pipeline.Locality) (*outcome, error) {
	n, dim := own.X.N(), method.RowOf(p.method).Dim
	if n > dim {
		return take(p.steps, job, own, p.init, p.trials(job, own))
	}
	y := mat.NewDense(n, dim, nil)
	part := &outcome{Solved: &pipeline.Solved{Solution: &solve.Solution{Converged: true, Next: math.NaN()}}, quality: unmeasured("no sample has a neighbour")}
	if n > 1 {
		var err error
		if part, err = take(p.inDimensions(n-1), job, own, nil, p.untried(neighborsGiven)); err != nil {
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

// inDimensions returns the steps of the method for another number of dimensions.
func (p embedding) inDimensions(dim int) pipeline.Steps {
	s := method.RowOf(param.WithCount(p.method, param.Dim, dim)).Embed()
	s.Patch = p.given.Edges(s.Patch)
	return s
}

// joinedBy returns a clause about the number of neighbours that would join the components linked by
// bridges; empty if there are no bridges, or the neighbours were given or are not Euclidean.
func (p embedding) joinedBy(at pipeline.Locality, bridges []neighborhood.Bridge) string {
	if len(bridges) == 0 || p.given.Graph != nil || !p.euclidean() {
		return ""
	}
	return fmt.Sprintf(", which %d neighbours would join", neighborhood.NeighborsToBridge(at.X, bridges))
}

// embedBridged links the components by their shortest edges and embeds them as one
// problem. If the patches of the method would let a component at the end of one edge
// shrink to a point, it embeds each separately and places it by its edge.
func (p embedding) embedBridged(at pipeline.Locality, label []int, sizes []int) (*outcome, error) {
	row := method.RowOf(p.method)
	text := fmt.Sprintf("the neighbour graph has %d components (%s)", len(sizes), neighborhood.ListSizes(align.Descending(sizes)))
	if row.PerComponent {
		var classes int
		if at.Found.Graph, classes = neighborhood.Basins(at.Found.Graph); classes > len(sizes) {
			label, sizes = at.Found.Graph.Components()
			text += fmt.Sprintf(", in which %d closed classes of samples have their neighbours among themselves", classes)
		}
	}
	bridges, err := neighborhood.Bridges(p.Run, at.X, label, len(sizes))
	if err != nil {
		return nil, err
	}
	longest := magnitude.Times(neighborhood.Longest(bridges), at.X.Exponent())
	p.Note("bridges", len(bridges))
	p.Note("longest_bridge", longest)
	edges := "edges"
	if len(bridges) == 1 {
		edges = "edge"
	}
	text += p.joinedBy(at, bridges) + fmt.Sprintf(": %d %s between nearest samples, the longest of length %.4g, ", len(bridges), edges, longest)
	if !row.PerComponent {
		p.Warn("%s", text+"were added; relative positions of components depend on these alone")
		// The lists with all bridges, and the lists with each bridge once.
		more := 2 * at.Found.Graph.Bytes()
		if err := p.Fit(more, fmt.Sprintf("the neighbour graph of %d samples with its bridges needs", at.X.N()), "take fewer neighbours, fewer samples, or raise the limit"); err != nil {
			return nil, err
		}
		at.Found = at.Found.Linked(bridges, label)
		p.Run = p.Holding(more)
		return p.takeAll(at)
	}
	p.Warn("%s", text+"say where each part, embedded on its own, is placed; eigenvalues are the largest one's")
	return p.layOut(at, bridges, neighborhood.Members(label, sizes))
}

// layOut embeds every component separately, in fewer dimensions if it has too few
// samples, and places them by the bridges.
func (p embedding) layOut(at pipeline.Locality, bridges []neighborhood.Bridge, lists [][]int) (*outcome, error) {
	row := method.RowOf(p.method)
	var first *outcome
	pieces := make([]layout.Piece, len(lists))
	means := make([]float64, 0, len(lists)*at.X.M())
	converged, warning, others := true, "", 0
	for c, list := range lists {
		pieces[c] = layout.Piece{Rows: list}
		own := at.Subset(list)
		mean := own.X.Mean()
		means = append(means, mean...)
		if len(list) == 1 {
			continue
		}
		job := p.Part()
		part, err := take(p.inDimensions(min(row.Dim, len(list)-1)), job, own, p.init, p.untried(neighborsGiven))
		if err != nil {
			return nil, err
		}
		if c == 0 {
			first = part
			p.Adopt(job)
		} else {
			first.quality.join(c+1, len(list), part.quality)
		}
		converged = converged && part.Converged
		for _, w := range job.Warnings() {
			if warning == "" {
				warning = fmt.Sprintf("component %d (%d samples): %s", c+1, len(list), w)
			} else {
				others++
			}
		}
		pieces[c].Y, pieces[c].Spread = part.Y, own.X.Spread(mean)
	}
	if warning != "" {
		if others > 0 {
			warning += fmt.Sprintf("; and %d more warnings of components", others)
		}
		p.Warn("%s", warning)
	}
	axes, err := p.axes(samples.OfRows(len(lists), at.X.M(), means), row.Dim)
	if err != nil {
		return nil, err
	}
	if first.Y, err = layout.Place(p.Kernels(), at.X.N(), row.Dim, pieces, axes, bridges); err != nil {
		return nil, err
	}
	for len(first.Values) < row.Dim { // the largest component has too few samples for more
		first.Values, first.Residuals = append(first.Values, math.NaN()), append(first.Residuals, 0)
	}
	first.trust, first.Converged = nil, converged
	first.Extension, first.Reason, err = row.ExtendComponents(extend.Fit{Run: p.Run, X: at.X, Found: at.Found}, first.Solution)
	return first, err
}

// axes returns the means of the components on their principal axes, one row each.
func (p embedding) axes(means samples.Samples, dim int) (*mat.Dense, error) {
	if err := p.Fit(8*int64(means.N())*int64(means.M()), fmt.Sprintf("the layout of %d components needs", means.N()), "choose ‹components=largest›, or raise the limit"); err != nil {
		return nil, err
	}
	projection := method.RowOf(PCA{Dim: min(dim, means.N()-1, means.M())}).Embed()
	found, err := take(projection, p.Within(), pipeline.Locality{X: means}, nil, diagnosis.Trials{Why: neighborsGiven})
	if err != nil {
		return nil, err
	}
	return found.Y, nil
}

// Thresholds for choosing a way to handle several components.
const (
	maxOfAll = 0.95 // share of the samples in one component, from which the others are outliers
	fewMore  = 1.5  // times k: that many neighbours are still local
	maxParts = 24   // parts that can be distinguished in a plot
	minPart  = 10   // samples of the smallest part worth showing
)

// ways are the policies that apply to the components of a graph.
type ways struct {
	sizes   []int    // descending
	dim     int      // of the embedding
	extends bool     // the method has its own rule for new samples
	layout  bool     // the method makes one map of all components
	offered []string // the policies that work
}

// waysFor lists the policies that work for components of these sizes, in descending order.
func (p embedding) waysFor(sizes []int, at pipeline.Locality, row method.Row) ways {
	w := ways{sizes: sizes, dim: row.Dim, extends: p.steps.Joint.Extends, layout: row.Layout}
	if sizes[0] > row.Dim {
		w.offered = append(w.offered, "largest")
	}
	if !p.model || !p.steps.Joint.Extends {
		w.offered = append(w.offered, "each")
	}
	if !p.steps.NeedConnected && (sizes[len(sizes)-1] > 1 || row.Layout && sizes[0] > 1) { // no equation places a sample without neighbours, nor forces where none has any
		w.offered = append(w.offered, "joint")
	}
	if !at.X.Absent() && !at.Found.Affine { // a bridge has a length, which requires samples
		w.offered = append(w.offered, "bridge")
	}
	return w
}

// auto returns the policy of components=auto. A bridge is simply one more edge for methods of edges, of
// paths or of a projection, which have their own rules for new samples. A patch that is a
// local fit cannot place a sample of another component, so a small number of components are embedded
// separately. docs/graphs.md has the measurements.
func (w ways) auto() string {
	if w.layout && slices.Contains(w.offered, "joint") {
		return "joint"
	}
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

// few reports whether the components are few and large enough to be viewed side by side.
func (w ways) few() bool {
	return len(w.sizes) <= maxParts && w.sizes[len(w.sizes)-1] >= max(minPart, w.dim+1)
}

// others names the policies that work instead of the given one.
func (w ways) others(than string) string {
	rest := slices.DeleteFunc(slices.Clone(w.offered), func(way string) bool { return way == than })
	if len(rest) == 0 {
		return "a smaller ‹dim›"
	}
	rest[0] = "‹components=" + rest[0] + "›"
	return oneOf(rest)
}

// advice names the best policy for the components, with the reason; the other policies
// follow in parentheses. joining is the smallest k that joins the components; 0: none found.
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
	if !slices.Contains(w.offered, "bridge") {
		order = []string{"each", "largest", "joint"} // as components=auto
	}
	switch {
	case float64(w.sizes[0]) >= maxOfAll*float64(total):
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

// oneOf joins words with commas and "or".
func oneOf(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// areaScale returns the factor for a part of an embedding without a unit that gives each sample the
// same area (volume) as in the first part.
func areaScale(first, part *mat.Dense) float64 {
	n, dim := first.Dims()
	m, _ := part.Dims()
	spread := scatterOf(part)
	if spread == 0 {
		return 1
	}
	return math.Pow(float64(m)/float64(n), 1/float64(dim)) * scatterOf(first) / spread
}

// scatterOf returns the root mean square of the entries, after subtracting the mean of each column.
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
