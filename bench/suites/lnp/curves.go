package lnp

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// closedCurve is a set of samples along a closed curve, in their order, that is
// embedded by every method at every K.
type closedCurve struct {
	prefix string
	title  string // in claims
	data   string
	load   func(e *bench.Env) (*datasets.Set, error)
	params map[string]any // of the data
	drawn  []int          // the K of which pictures are kept
}

func (q closedCurve) name(x chooser) string { return q.prefix + "/" + x.key }

func (q closedCurve) asCase(x chooser, sizes []int) bench.Case {
	more := map[string]any{"dim": 2}
	for key, v := range q.params {
		more[key] = v
	}
	return bench.Case{
		Name: q.name(x), Data: q.data, Method: x.method, Params: x.recorded(sizes, more), Repeats: 1, Needs: append(bench.SelectionNeeds(q.data), "method:"+x.method),
		Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
			s, err := q.load(e)
			if err != nil {
				return nil, err
			}
			n, m := s.X.Dims()
			out := &bench.Outcome{Samples: n, Features: m, DataHash: bench.HashMatrix(s.X), Quality: map[string]float64{}, Series: map[string][]float64{}, Pictures: map[string]*bench.Picture{}}
			for _, k := range sizes {
				y, err := addCurve(out, ctx, x, s, k, engine.Options{Threads: max(c.Threads, 1), Backend: c.Backend, Components: "joint"})
				if err != nil {
					return nil, fmt.Errorf("%d neighbours: %w", k, err)
				}
				if slices.Contains(q.drawn, k) {
					out.Pictures[pictureOf(k)] = &bench.Picture{Points: y, Color: mat.Col(nil, 0, s.Params)}
				}
			}
			return out, nil
		},
	}
}

func pictureOf(k int) string { return fmt.Sprintf("K=%d", k) }

// addCurve embeds a closed curve at one K, and adds what it measures to the
// series.
func addCurve(out *bench.Outcome, ctx context.Context, x chooser, s *datasets.Set, k int, o engine.Options) (*mat.Dense, error) {
	m, err := x.with(k, nil)
	if err != nil {
		return nil, err
	}
	g, err := engine.Represent(ctx, s.X, m, o)
	if err != nil {
		return nil, err
	}
	r, err := engine.Embed(ctx, s.X, m, o)
	if err != nil {
		return nil, err
	}
	found, err := x.lists(ctx, r.Y, k, o)
	if err != nil {
		return nil, fmt.Errorf("in the embedding: %w", err)
	}
	first, second := listsOf(g), listsOf(found)
	nalac, err := measures.Nalac(first, second)
	if err != nil {
		return nil, err
	}
	soft, err := measures.SoftNalac(first, second)
	if err != nil {
		return nil, err
	}
	ring, err := ringShare(ctx, r.Y)
	if err != nil {
		return nil, err
	}
	cited, err := citedMeasures(ctx, s.X, r.Y, o)
	if err != nil {
		return nil, err
	}
	weights := make([][]float64, g.Len())
	for i := range weights {
		weights[i] = g.Weights(i)
	}
	gap, support := measures.GapDimension(measures.WeightProfile(weights)), measures.SupportDimension(weights)
	if x.method == "lnp" { // its dimension comes from the uncapped lists
		gap, support = r.Details["gap_dimension"].(int), r.Details["support_dimension"].(int)
	}
	values := map[string]float64{
		"K": float64(k), "nalac": nalac, "soft-nalac": soft, "ring": ring, "gap": float64(gap), "support": float64(support),
		"least-weight": slices.Min(g.Weight), "most-neighbours": float64(g.MaxDegree()),
	}
	maps.Copy(values, cited)
	for key, v := range values {
		out.Series[key] = append(out.Series[key], v)
	}
	return r.Y, nil
}

// lists are the neighbours that the method takes in an embedding.
func (x chooser) lists(ctx context.Context, y *mat.Dense, k int, o engine.Options) (*neighbors.Graph, error) {
	if !x.own {
		return bench.NearestNeighbors(ctx, y, k)
	}
	m, err := x.with(k, nil)
	if err != nil {
		return nil, err
	}
	return engine.Represent(ctx, y, m, o)
}

func listsOf(g *neighbors.Graph) [][]int {
	lists := make([][]int, g.Len())
	for i := range lists {
		for _, j := range g.Of(i) {
			lists[i] = append(lists[i], int(j))
		}
	}
	return lists
}

// ringShare is the share of samples, in their order along a closed curve, whose two
// nearest in the embedding are their two neighbours on the curve.
func ringShare(ctx context.Context, y *mat.Dense) (float64, error) {
	g, err := bench.NearestNeighbors(ctx, y, 2)
	if err != nil {
		return 0, err
	}
	n, kept := g.Len(), 0
	for i := range n {
		if slices.Contains(g.Of(i), int32((i+n-1)%n)) && slices.Contains(g.Of(i), int32((i+1)%n)) {
			kept++
		}
	}
	return float64(kept) / float64(n), nil
}

// pictures are the pictures of the given K, method by method.
func (q closedCurve) pictures(color string, methods []chooser) []bench.Figure {
	var list []bench.Figure
	for _, x := range methods {
		for _, k := range q.drawn {
			list = append(list, bench.Figure{Case: q.name(x), Picture: pictureOf(k), Caption: fmt.Sprintf("%s, K = %d, coloured by %s", x.name, k, color), Cyclic: true})
		}
	}
	return list
}

// rangesText writes the K of a list, runs of those that were measured one after
// the other as ranges.
func rangesText(some, all []float64) string {
	var parts []string
	for i := 0; i < len(all); i++ {
		from := i
		for i < len(all) && slices.Contains(some, all[i]) {
			i++
		}
		switch {
		case i == from:
		case i == from+1:
			parts = append(parts, fmt.Sprint(all[from]))
		default:
			parts = append(parts, fmt.Sprintf("%v–%v", all[from], all[i-1]))
		}
	}
	return strings.Join(parts, ", ")
}

// sections show the figures of a closed curve, one after the other.
func (q closedCurve) sections(r *bench.Records, title, figures string, last int, text, color string) []bench.Section {
	same := func(x chooser) string { return q.name(x) }
	own := byPrinted // the estimates of LNP are of its uncapped lists
	own.name, own.dashed = byLNP.name, false
	uncapped := []chooser{byLLE, byLE, bySMCE, own}
	dims := &bench.Table{Columns: slices.Clone(tableByK(r, "gap", "%.0f", last, nil, same).Columns)}
	for _, kind := range []struct{ key, name string }{{"gap", "largest gap"}, {"support", "support"}, {"most-neighbours", "longest list"}} {
		methods := uncapped
		if kind.key == "most-neighbours" {
			methods = []chooser{bySMCE, byLNP, byPrinted}
		}
		for i, row := range tableByK(r, kind.key, "%.0f", last, methods, same).Rows {
			row[0].Text = kind.name + ", " + methods[i].name
			dims.Rows = append(dims.Rows, row)
		}
	}
	gaps := plotByK(r, "gap", "dimension by the largest gap", uncapped, same)
	gaps.LogY = true
	return []bench.Section{
		{
			Title: title + ": rings (" + figures + ")", Text: text + "\n\nThe share of samples whose two nearest in the embedding are the two next to them along the curve.",
			Table: tableByK(r, "ring", "%.2f", last, embedders, same), Plot: plotByK(r, "ring", "ring", embedders, same), Pictures: q.pictures(color, embedders),
		},
		{
			Title: title + ": nalac", Text: "The share of neighbours that are the same in the data and in the embedding, rank by rank.",
			Table: tableByK(r, "nalac", "%.2f", last, embedders, same), Plot: plotByK(r, "nalac", "nalac", embedders, same),
		},
		{
			Title: title + ": soft-nalac", Text: "The same as sets. Where a method takes all of the K nearest this tends to 1 as K grows, in any embedding.",
			Table: tableByK(r, "soft-nalac", "%.2f", last, embedders, same), Plot: plotByK(r, "soft-nalac", "soft-nalac", embedders, same),
		},
		q.citedSection(r, title, last),
		{
			Title: title + ": dimension",
			Text:  "The dimension by the largest gap in the mean sorted weights (eqs 8 and 9), by the most frequent number of weights that matter (support, ours), and the longest list of neighbours. The curve has dimension 1. The estimates of LNP are from the uncapped lists.",
			Table: dims, Plot: gaps,
		},
	}
}

// The measures that the paper cites besides its own: the mean relative rank error, which it
// prints as MMRE, and the local continuity meta-criterion.

// compared is over how many nearest neighbours they are measured, whatever K is.
const compared = 10

// citedKeys are the series, with what a table calls them.
var citedKeys = []struct{ key, name string }{
	{"mrre", "rank error, embedding"}, {"mrre-of-data", "rank error, data"}, {"lcmc", "continuity"},
}

// citedMeasures compares an embedding with its data by them.
func citedMeasures(ctx context.Context, x, y *mat.Dense, o engine.Options) (map[string]float64, error) {
	kernels, err := blas.Select(o.Backend)
	if err != nil {
		return nil, err
	}
	values, with := map[string]float64{}, measures.Options{Kernels: kernels, Threads: o.Threads}
	for key, measure := range map[string]func(ctx context.Context, x, y mat.Matrix, k int, o measures.Options) (float64, error){
		"mrre": measures.MRRE, "mrre-of-data": measures.MRREOfData, "lcmc": measures.LCMC,
	} {
		if values[key], err = measure(ctx, x, y, compared, with); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// citedSection shows them, method by method.
func (q closedCurve) citedSection(r *bench.Records, title string, last int) bench.Section {
	table := &bench.Table{}
	for _, kind := range citedKeys {
		t := tableByK(r, kind.key, "%.3f", last, embedders, q.name)
		table.Columns = t.Columns
		for i, row := range t.Rows {
			row[0].Text = kind.name + ", " + embedders[i].name
			table.Rows = append(table.Rows, row)
		}
	}
	return bench.Section{
		Title: title + ": the measures that the paper cites",
		Text: fmt.Sprintf("Over the %d nearest neighbours of every sample, whatever K is: the mean relative rank error (Lee, Verleysen; the paper prints MMRE) of the neighbours in the embedding and of those in the data, 0 is best; and the local continuity meta-criterion (Chen, Buja), of which chance has 0 and an embedding that keeps all of them 1 − %d/(n − 1). The paper gives no figures of them.",
			compared, compared),
		Table: table, Plot: plotByK(r, "lcmc", "local continuity meta-criterion", embedders, q.name),
	}
}

// The duck of COIL-20 on its turntable (Figs 4 and 7).

var duck = closedCurve{prefix: "duck", title: "the views of the duck", data: "coil20-duck", load: bench.SelectedSet("coil20-duck"), drawn: []int{5, 10, 20, 60}}

const duckSizes = 71 // the largest K: all the other views

func duckCases(e *bench.Env) []bench.Case {
	var cases []bench.Case
	for _, x := range embedders {
		cases = append(cases, duck.asCase(x, sizesUpTo(e, duckSizes)))
	}
	return cases
}

var duckClaims = []bench.Claim{
	{
		Name: "duck-dimension", Source: papers.LNP + ", Fig. 2(c)",
		Statement: "On 72 views of the COIL-20 duck the largest gap in the mean sorted weights of LNP gives the dimension 1 for every K.",
		Paper:     "curves",
		Check:     func(r *bench.Records) bench.Finding { return dimensionOne(r, duck, false) },
	},
	{
		Name: "duck-embedding", Source: papers.LNP + ", Fig. 7",
		Statement: "LNP embeds the views of the duck as a ring for every K, and of the four methods it alone does.",
		Paper:     "pictures",
		// LNP misses one view of the 72 at every K.
		Check: func(r *bench.Records) bench.Finding { return onlyRing(r, duck, 0.95) },
	},
	highestOfFour(duck, "nalac", "Fig. 4(c)"), highestOfFour(duck, "soft-nalac", "Fig. 4(d)"),
}

func duckSections(r *bench.Records) []bench.Section {
	return duck.sections(r, "The COIL-20 duck", "Figs 4 and 7", duckSizes,
		"72 views of object 0 of COIL-20, 5 degrees apart, 32 × 32 pixels (the paper gives 192 × 168, the size of its faces; the program that its authors published reads 32 × 32), embedded in two dimensions at every K.",
		"the angle in degrees")
}
