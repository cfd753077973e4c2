package modelfile

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

// Parts are the arrays and numbers that represent an extension in a file. Only this package knows
// their names, which docs/model-format.md lists.
type Parts struct {
	Kind       string
	Arrays     map[string]*mat.Dense
	Compressed map[string]*sparse.CSR // nil: there are none
	Numbers    map[string]float64     // nil: there are none
}

// PartsOf returns the parts of an extension. Arrays are shared.
func PartsOf(e *extend.Extension) *Parts {
	p := &Parts{Kind: e.Map.Kind(), Arrays: map[string]*mat.Dense{}}
	c := &modelCodec{Parts: p, saving: true}
	modelKinds[p.Kind].save(c, e.Map)
	c.stages(e, 0)
	return p
}

// Extension builds the extension for samples of the given number of columns. The parts may come from
// a file, so everything is checked.
func (p *Parts) Extension(features int) (*extend.Extension, error) {
	c := &modelCodec{Parts: p}
	e := &extend.Extension{Map: modelKinds[p.Kind].load(c)}
	c.stages(e, features)
	return e, c.err
}

// Copied returns a copy with its own arrays.
func (p *Parts) Copied() *Parts {
	own := &Parts{Kind: p.Kind, Arrays: map[string]*mat.Dense{}, Numbers: p.Numbers}
	for name, a := range p.Arrays {
		own.Arrays[name] = mat.DenseCopyOf(a)
	}
	for name, a := range p.Compressed {
		if own.Compressed == nil {
			own.Compressed = map[string]*sparse.CSR{}
		}
		own.Compressed[name] = &sparse.CSR{Rows: a.Rows, Cols: a.Cols, Ptr: slices.Clone(a.Ptr), Col: slices.Clone(a.Col), Val: slices.Clone(a.Val)}
	}
	return own
}

// Bytes returns the memory of the arrays.
func (p *Parts) Bytes() int64 {
	var total int64
	for _, a := range p.Arrays {
		rows, cols := a.Dims()
		total += 8 * int64(rows) * int64(cols)
	}
	for _, a := range p.Compressed {
		total += a.Bytes()
	}
	return total
}

// version returns the first version of the format that knows all the parts. An older reader would
// silently ignore some of them.
func (p *Parts) version() uint32 {
	has := func(number string) bool { _, there := p.Numbers[number]; return there }
	switch {
	case p.Arrays["scale"] != nil || p.Arrays["own"] != nil:
		return Version
	case has("sum_to_one"):
		return sumToOneVersion
	case has("metric"):
		return metricVersion
	case p.Arrays["reduce_projection"] != nil:
		return reducedVersion
	case has("standardize"):
		return standardizedVersion
	case has("alpha_w"):
		return penalisedVersion
	case has("smoothing_neighbors"):
		return smoothedVersion
	case len(p.Compressed) > 0:
		return compressedVersion
	case has("exponent"):
		return dividedVersion
	}
	return plainVersion
}

// modelKind saves and loads one kind of map.
type modelKind struct {
	kind string
	save func(c *modelCodec, m extend.Map)
	load func(c *modelCodec) extend.Map
}

// kindOf makes a kind from the function that names its parts, which serves for saving and loading.
func kindOf[M extend.Map](parts func(c *modelCodec, m *M)) modelKind {
	var none M
	return modelKind{none.Kind(),
		func(c *modelCodec, m extend.Map) { own := m.(M); parts(c, &own) },
		func(c *modelCodec) extend.Map { var m M; parts(c, &m); return m }}
}

// modelKinds are all kinds by name.
var modelKinds = func(list ...modelKind) map[string]modelKind {
	all := map[string]modelKind{}
	for _, k := range list {
		all[k.kind] = k
	}
	return all
}(
	kindOf(func(c *modelCodec, m *extend.BarycentricMap) {
		c.training(&m.Training)
		c.number("gamma", math.SmallestNonzeroFloat64, math.MaxFloat64, &m.By.Gamma)
		if c.optional("tangents", m.By.Tangents > 0) {
			c.count("tangents", 1, math.MaxInt32, &m.By.Tangents)
		}
	}),
	kindOf(func(c *modelCodec, m *extend.PursuitMap) {
		c.training(&m.Training)
		c.count("cap", 0, math.MaxInt32, &m.Cap)
	}),
	kindOf(func(c *modelCodec, m *extend.PursuitLabels) {
		c.searched(&m.Searched)
		c.count("cap", 0, math.MaxInt32, &m.Cap)
		c.labels("labels", m.Samples.N(), &m.Labels)
	}),
	kindOf(func(c *modelCodec, m *extend.SparseAffineMap) {
		c.training(&m.Training)
		c.sparseAffine(&m.Lambda, &m.Keep)
	}),
	kindOf(func(c *modelCodec, m *extend.SparseAffineLabels) {
		c.searched(&m.Searched)
		c.sparseAffine(&m.Lambda, &m.Keep)
		c.labels("labels", m.Samples.N(), &m.Labels)
	}),
	kindOf(func(c *modelCodec, m *extend.NystromMap) { c.nystrom(m) }),
	kindOf(func(c *modelCodec, m *extend.NystromCentersMap) {
		c.nystrom(&m.Formula)
		n := m.Formula.Samples.N()
		c.column("lengths", n, &m.Lengths)
		c.centers("centers", len(m.Formula.Values), &m.Centers)
		c.labelsOf("sample_labels", n, m.Centers.Count, &m.SampleLabels)
	}),
	kindOf(func(c *modelCodec, m *extend.DiffusionMap) {
		c.training(&m.Training)
		c.row("values", columnsOf(m.Embedding), &m.Values)
		c.column("density", m.Samples.N(), &m.Density)
		c.number("epsilon", math.SmallestNonzeroFloat64, math.MaxFloat64, &m.Epsilon)
	}),
	kindOf(func(c *modelCodec, m *extend.LinearMap) {
		c.array("projection", 0, 0, &m.Projection)
		c.row("mean", rowsOf(m.Projection), &m.Mean)
	}),
	kindOf(func(c *modelCodec, m *extend.ConditionalMap) {
		c.array("projection", 0, 0, &m.Projection)
		c.row("mean", rowsOf(m.Projection), &m.Mean)
		c.array("loadings", rowsOf(m.Projection), columnsOf(m.Projection), &m.Loadings)
		c.positive("noise", &m.Noise)
	}),
	kindOf(func(c *modelCodec, m *extend.DensityMap) {
		c.searched(&m.Searched)
		n := m.Samples.N()
		c.count("min_samples", 1, math.MaxInt32, &m.MinSamples)
		c.column("core", n, &m.Core)
		c.checkLengths("core", m.Core)
		c.labelsOrNone("labels", n, &m.Labels)
		c.column("reach", m.Count, &m.Reach)
		c.checkLengths("reach", m.Reach)
	}),
	kindOf(func(c *modelCodec, m *extend.CentersMap) { c.centers("centers", 0, &m.Centers) }),
	kindOf(func(c *modelCodec, m *extend.ExemplarsMap) {
		c.centers("exemplars", 0, &m.Centers)
		c.scaling(columnsOf(m.Rows), &m.Scaling)
	}),
	kindOf(func(c *modelCodec, m *extend.NeighborLabelsMap) {
		c.searched(&m.Searched)
		c.labels("labels", m.Samples.N(), &m.Labels)
		c.place("weights", []string{extend.FuzzyWeights, extend.BinaryWeights}, &m.Weights)
	}),
	kindOf(func(c *modelCodec, m *extend.SameCodesMap) {
		c.array("exemplars", 0, 0, &m.Exemplars)
		c.checkSize("exemplars", m.Exemplars)
		count := rowsOf(m.Exemplars)
		c.codes("codes", count, &m.Codes)
		rows := 0
		if m.Codes != nil {
			rows = m.Codes.Rows
		}
		c.labels("labels", rows, &m.Labels)
		c.labelsOf("exemplar_labels", count, m.Count, &m.ExemplarLabels)
		c.scaling(columnsOf(m.Exemplars), &m.Scaling)
		c.number("gamma", 1, math.MaxFloat64, &m.Gamma)
		c.count("t", 1, float64(rows), &m.Joined)
	}),
	kindOf(func(c *modelCodec, m *extend.GeodesicMap) {
		c.searched(&m.Searched)
		c.array("projection", 0, 0, &m.Projection)
		n, count := m.Samples.N(), rowsOf(m.Projection)
		c.row("mean", count, &m.Mean)
		if c.optionalArray("distances", m.Distances != nil) {
			c.array("distances", n, count, &m.Distances)
			return
		}
		if count != n {
			c.refuse("array \"projection\" has %d rows for %d samples", count, n)
		}
		c.array("neighbors", n, 0, &m.Lists)
		c.array("lengths", n, columnsOf(m.Lists), &m.Lengths)
	}),
	kindOf(func(c *modelCodec, m *extend.FactorsMap) { c.factors(m) }),
	kindOf(func(c *modelCodec, m *extend.UMAPMap) {
		c.training(&m.Training)
		c.positive("connectivity", &m.Fuzzy.Connectivity)
		c.positive("a", &m.Layout.Curve.A)
		c.positive("b", &m.Layout.Curve.B)
		c.whole("epochs", 1, extend.MaxEpochs, &m.Layout.Epochs)
		c.whole("negatives", 1, extend.MaxNegatives, &m.Layout.Negatives)
		c.positive("repulsion", &m.Layout.Repulsion)
		c.positive("rate", &m.Layout.Rate)
	}),
	kindOf(func(c *modelCodec, m *extend.TSNEMap) {
		c.training(&m.Training)
		c.number("perplexity", 1, math.MaxFloat64, (*float64)(&m.Perplexity))
		c.positive("exaggeration", &m.Late)
	}),
	kindOf(func(c *modelCodec, m *extend.StressMap) {
		c.training(&m.Training)
		c.number("power", 0, 2, &m.Power)
		if c.optionalArray("curve_distances", m.Curve.Delta != nil) {
			c.row("curve_distances", 0, &m.Curve.Delta)
			c.row("curve_targets", len(m.Curve.Delta), &m.Curve.Target)
			if !slices.IsSorted(m.Curve.Delta) || !slices.IsSorted(m.Curve.Target) {
				c.refuse("the arrays %q and %q of a %s model do not ascend", "curve_distances", "curve_targets", c.Kind)
			}
		}
	}),
	kindOf(func(c *modelCodec, m *extend.PaCMAPMap) {
		c.training(&m.Training)
		c.whole("near", 1, math.MaxInt32, &m.Near)
		c.column("widths", m.Samples.N(), &m.Widths)
	}),
)

// modelCodec copies an extension into parts, or reads it from parts and checks it. It keeps the
// first error and reads nothing after it.
type modelCodec struct {
	*Parts
	saving bool
	err    error
}

func (c *modelCodec) refuse(format string, args ...any) {
	if c.err == nil && !c.saving {
		c.err = fmt.Errorf(format, args...)
	}
}

// loads reports whether values are to be read: when loading, before the first error.
func (c *modelCodec) loads() bool { return !c.saving && c.err == nil }

func (c *modelCodec) put(name string, v float64) {
	if c.Numbers == nil {
		c.Numbers = map[string]float64{}
	}
	c.Numbers[name] = v
}

// number saves or loads a number between two bounds.
func (c *modelCodec) number(name string, least, most float64, v *float64) {
	if c.saving {
		c.put(name, *v)
		return
	}
	value, there := c.Numbers[name]
	if !there || !(value >= least && value <= most) {
		c.refuse("the number %q of a %s model is missing or not within [%g, %g]", name, c.Kind, least, most)
		return
	}
	*v = value
}

// positive saves or loads a number above 0.
func (c *modelCodec) positive(name string, v *float64) {
	c.number(name, math.SmallestNonzeroFloat64, math.MaxFloat64, v)
}

// count saves or loads a number, truncated to an integer.
func (c *modelCodec) count(name string, least, most float64, v *int) {
	value := float64(*v)
	if c.number(name, least, most, &value); c.loads() {
		*v = int(value)
	}
}

// whole saves or loads an integer; a fraction is an error.
func (c *modelCodec) whole(name string, least, most float64, v *int) {
	value := float64(*v)
	if c.number(name, least, most, &value); c.loads() {
		if *v = int(value); value != math.Trunc(value) {
			c.refuse("the number %q of a %s model is %v, not a whole one", name, c.Kind, value)
		}
	}
}

// flag saves or loads a number that is present, and 1, if v is true.
func (c *modelCodec) flag(name string, v *bool) {
	if c.loads() {
		*v = c.Numbers[name] == 1
	} else if *v {
		c.put(name, 1)
	}
}

// optional reports whether the file has a number, or is to have it.
func (c *modelCodec) optional(name string, save bool) bool {
	if c.saving {
		return save
	}
	_, there := c.Numbers[name]
	return there
}

// optionalArray is [modelCodec.optional] for an array.
func (c *modelCodec) optionalArray(name string, save bool) bool {
	if c.saving {
		return save
	}
	return c.Arrays[name] != nil
}

// place saves or loads a word as its index in a list.
func (c *modelCodec) place(name string, list []string, word *string) {
	at := slices.Index(list, *word)
	if c.count(name, 0, float64(len(list)-1), &at); c.loads() {
		*word = list[at]
	}
}

func rowsOf(a *mat.Dense) int {
	if a == nil {
		return 0
	}
	rows, _ := a.Dims()
	return rows
}

func columnsOf(a *mat.Dense) int {
	if a == nil {
		return 0
	}
	_, cols := a.Dims()
	return cols
}

// array saves or loads an array of the given shape with finite entries; 0 rows or columns mean any
// number.
func (c *modelCodec) array(name string, rows, cols int, to **mat.Dense) {
	if c.saving {
		c.Arrays[name] = *to
		return
	}
	a := c.Arrays[name]
	if a == nil {
		c.refuse("the array %q of a %s model is missing", name, c.Kind)
		return
	}
	n, m := a.Dims()
	if rows > 0 && n != rows || cols > 0 && m != cols {
		c.refuse("the array %q is %d × %d, which the other parts of a %s model contradict", name, n, m, c.Kind)
		return
	}
	for i := range n {
		for j, v := range a.RawRowView(i) {
			if v-v != 0 {
				c.refuse("row %d, column %d (counting from 1) of the array %q is %v", i+1, j+1, name, v)
				return
			}
		}
	}
	*to = a
}

// row saves or loads an array of one row.
func (c *modelCodec) row(name string, cols int, list *[]float64) {
	var a *mat.Dense
	if c.saving {
		a = mat.NewDense(1, len(*list), *list)
	}
	if c.array(name, 1, cols, &a); c.loads() {
		*list = a.RawRowView(0)
	}
}

// column saves or loads an array of one column.
func (c *modelCodec) column(name string, rows int, list *[]float64) {
	var a *mat.Dense
	if c.saving {
		a = mat.NewDense(len(*list), 1, *list)
	}
	if c.array(name, rows, 1, &a); c.loads() {
		*list = mat.Col(nil, 0, a)
	}
}

// checkSize refuses samples or centres whose squares overflow. A fit scales such data down first.
func (c *modelCodec) checkSize(name string, rows *mat.Dense) {
	if c.loads() {
		c.checkSizeOf(name, samples.Of(rows))
	}
}

func (c *modelCodec) checkSizeOf(name string, x samples.Samples) {
	const most = 1e150
	if row, col, v := x.Largest(); math.Abs(v) > most {
		c.refuse("row %d, column %d (counting from 1) of the array %q is %v, beyond %g", row+1, col+1, name, v, most)
	}
}

// putCompressed saves an array in compressed rows.
func (c *modelCodec) putCompressed(name string, a *sparse.CSR) {
	if c.Compressed == nil {
		c.Compressed = map[string]*sparse.CSR{}
	}
	c.Compressed[name] = a
}

// samples saves or loads the training samples, dense or in compressed rows.
func (c *modelCodec) samples(x *samples.Samples) {
	const name = "samples"
	if c.saving {
		if a := x.Compressed(); a != nil {
			c.putCompressed(name, a)
		} else {
			c.Arrays[name] = x.Dense()
		}
		return
	}
	if a := c.Compressed[name]; a != nil {
		*x = samples.OfCompressed(a)
		if row, col, v := x.FirstNotFinite(); row >= 0 {
			c.refuse("row %d, column %d (counting from 1) of the array %q is %v", row+1, col+1, name, v)
		}
	} else {
		var rows *mat.Dense
		if c.array(name, 0, 0, &rows); !c.loads() {
			return
		}
		*x = samples.Of(rows)
	}
	if c.loads() {
		c.checkSizeOf(name, *x)
	}
}

func (c *modelCodec) searched(s *extend.Searched) {
	c.samples(&s.Samples)
	c.count("neighbors", 1, float64(s.Samples.N()), &s.Neighbors)
	if c.optional("metric", s.Metric != "" && s.Metric != neighbors.Euclidean) {
		c.metric(&s.Metric)
	}
}

// metrics are the metrics by their number in a file; powerMetric is the number of Minkowski metrics.
var metrics = []neighbors.Metric{neighbors.Euclidean, neighbors.Cosine, neighbors.Correlation, neighbors.Manhattan, neighbors.Chebyshev,
	neighbors.Canberra, neighbors.BrayCurtis, neighbors.Haversine, neighbors.Hamming, neighbors.Jaccard, neighbors.Dice, neighbors.RogersTanimoto,
	neighbors.RussellRao, neighbors.SokalMichener, neighbors.SokalSneath, neighbors.Yule, neighbors.Kulsinski}

const powerMetric = 100

// metric saves or loads the metric of the search if it is not Euclidean.
func (c *modelCodec) metric(m *neighbors.Metric) {
	at := slices.Index(metrics, *m)
	power, is := m.Power()
	if is {
		at = powerMetric
	}
	c.whole("metric", 1, powerMetric, &at)
	switch {
	case at == powerMetric:
		if c.number("metric_power", 1, math.MaxFloat64, &power); c.loads() {
			*m = neighbors.Minkowski(power)
		}
	case c.loads() && at >= len(metrics):
		c.refuse("the metric of a %s model is %d, which this version does not know", c.Kind, at)
	case c.loads():
		*m = metrics[at]
	}
}

func (c *modelCodec) training(t *extend.Training) {
	c.searched(&t.Searched)
	c.array("embedding", t.Samples.N(), 0, &t.Embedding)
}

func (c *modelCodec) sparseAffine(lambda, keep *float64) {
	c.number("lambda", math.SmallestNonzeroFloat64, math.MaxFloat64, lambda)
	c.number("keep", math.SmallestNonzeroFloat64, 1, keep)
}

func (c *modelCodec) nystrom(m *extend.NystromMap) {
	c.training(&m.Training)
	c.row("values", columnsOf(m.Embedding), &m.Values)
	c.place("weights", []string{"binary", "heat", "heat_norm", "cosine"}, &m.Weights)
	if m.Weights == "heat" || m.Weights == "heat_norm" {
		c.number("t", math.SmallestNonzeroFloat64, math.MaxFloat64, &m.T)
	}
}

// labels saves or loads n labels and the number of clusters.
func (c *modelCodec) labels(name string, n int, l *extend.Labels) {
	c.whole("clusters", 1, math.MaxInt32, &l.Count)
	c.labelsOf(name, n, l.Count, &l.Of)
}

// labelsOrNone is [modelCodec.labels] where −1 is a sample in no cluster.
func (c *modelCodec) labelsOrNone(name string, n int, l *extend.Labels) {
	c.whole("clusters", 1, math.MaxInt32, &l.Count)
	c.labelsFrom(-1, name, n, l.Count, &l.Of)
}

// checkLengths refuses negative numbers.
func (c *modelCodec) checkLengths(name string, lengths []float64) {
	for i, v := range lengths {
		if c.loads() && !(v >= 0) {
			c.refuse("entry %d (counting from 1) of the array %q is %v; it is ≥ 0", i+1, name, v)
			return
		}
	}
}

// labelsOf saves or loads n labels, integers below the number of clusters.
func (c *modelCodec) labelsOf(name string, n, clusters int, labels *[]int64) {
	c.labelsFrom(0, name, n, clusters, labels)
}

// labelsFrom is [modelCodec.labelsOf] from another least label than 0.
func (c *modelCodec) labelsFrom(least float64, name string, n, clusters int, labels *[]int64) {
	list := make([]float64, len(*labels))
	for i, l := range *labels {
		list[i] = float64(l)
	}
	if c.column(name, n, &list); !c.loads() {
		return
	}
	*labels = make([]int64, len(list))
	for i, v := range list {
		if !(v >= least && v < float64(clusters) && v == math.Trunc(v)) {
			c.refuse("entry %d (counting from 1) of the array %q is %v, which is not a label of %d clusters", i+1, name, v, clusters)
			return
		}
		(*labels)[i] = int64(v)
	}
}

// centers saves or loads centres with the given number of columns (0: any) and their labels.
func (c *modelCodec) centers(name string, cols int, m *extend.Centers) {
	c.array(name, 0, cols, &m.Rows)
	c.checkSize(name, m.Rows)
	c.labels("labels", rowsOf(m.Rows), &m.Labels)
}

// codes saves or loads the codes of the training samples over exemplars.
func (c *modelCodec) codes(name string, exemplars int, to **sparse.CSR) {
	if c.saving {
		c.putCompressed(name, *to)
		return
	}
	a := c.Compressed[name]
	if a == nil || a.Cols != exemplars || a.Rows < 1 {
		c.refuse("the array %q of a %s model is missing, or has no column for each exemplar", name, c.Kind)
		return
	}
	if i, j, v := samples.OfCompressed(a).FirstNotFinite(); i >= 0 {
		c.refuse("row %d, column %d (counting from 1) of the array %q is %v", i+1, j+1, name, v)
	}
	*to = a
}

// scaling saves or loads the scaling of samples of the given number of columns.
func (c *modelCodec) scaling(cols int, s *samples.Scaling) {
	if c.place("scale", []string{"none", "shift", "minmax"}, &s.How); s.How == "none" || !c.saving && c.err != nil {
		return
	}
	c.row("least", cols, &s.Least)
	c.row("most", cols, &s.Most)
	for j, v := range s.Least {
		if c.loads() && v > s.Most[j] {
			c.refuse("column %d (counting from 1) of the array \"least\" is above that of \"most\"", j+1)
		}
	}
}

func (c *modelCodec) factors(m *extend.FactorsMap) {
	c.array("components", 0, 0, &m.Components)
	if c.optionalArray("shift", m.Shift != nil) {
		c.row("shift", columnsOf(m.Components), &m.Shift)
	}
	if c.optionalArray("scale", m.Scale != nil) {
		c.row("scale", columnsOf(m.Components), &m.Scale)
		for j, v := range m.Scale {
			if !(v > 0) {
				c.refuse("column %d (counting from 1) of the array \"scale\" is %v; it is > 0", j+1, v)
			}
		}
	}
	if c.optionalArray("own", m.Own != nil) {
		c.ownParts(m)
	}
	losses := nmf.EncodingLosses()
	loss, descends := slices.Index(losses, m.Loss), 0
	if m.Descends {
		descends = 1
	}
	c.whole("loss", 0, float64(len(losses)-1), &loss)
	c.whole("hals", 0, 1, &descends)
	if c.loads() {
		m.Loss, m.Descends = losses[loss], descends == 1
	}
	c.whole("iterations", 1, extend.EncodeIterations, &m.Iterations)
	c.number("theta", math.SmallestNonzeroFloat64, math.MaxFloat64, &m.Sigma.Theta)
	c.number("sigma2", 0, math.MaxFloat64, &m.Sigma.Fixed)
	// Written by later versions only.
	if c.optional("tolerance", m.Tolerance != 0) && (c.saving || c.Numbers["tolerance"] != 0) {
		const least = 1e-9 // every version has written more
		c.number("tolerance", least, 1, &m.Tolerance)
	}
	if c.optional("share", m.Sigma.Share > 0) && (c.saving || c.Numbers["share"] != 0) {
		c.number("share", 0, math.MaxFloat64, &m.Sigma.Share)
	}
	c.flag("missing", &m.Missing)
	c.flag("unstored", &m.Unstored)
	c.flag("sum_to_one", &m.SumToOne)
	if m.Loss == nmf.Beta {
		c.number("beta", -math.MaxFloat64, math.MaxFloat64, &m.Beta)
	}
	if m.Loss == nmf.NegativeBinomial {
		c.row("dispersion", columnsOf(m.Components), &m.Dispersion)
		for j, v := range m.Dispersion {
			if v < 0 {
				c.refuse("column %d (counting from 1) of the array \"dispersion\" is %v; it is ≥ 0", j+1, v)
			}
		}
	}
	if m.Loss == nmf.Huber {
		c.positive("threshold", &m.Threshold)
	}
	if c.optional("alpha_w", m.Penalties.W > 0) {
		c.number("alpha_w", 0, 0x1p1000, &m.Penalties.W)
		c.number("l1_ratio", 0, 1, &m.Penalties.L1Ratio)
	}
}

// ownParts saves or loads the components of datasets.
func (c *modelCodec) ownParts(m *extend.FactorsMap) {
	c.array("own", 0, columnsOf(m.Components), &m.Own)
	c.number("own_penalty", math.SmallestNonzeroFloat64, 1e100, &m.OwnPenalty)
	datasets := make([]float64, len(m.Datasets))
	for d, label := range m.Datasets {
		datasets[d] = float64(label)
	}
	if c.row("datasets", 0, &datasets); !c.loads() {
		return
	}
	if rowsOf(m.Own) != len(datasets)*rowsOf(m.Components) {
		c.refuse("the array \"own\" has %d rows for %d datasets and %d components", rowsOf(m.Own), len(datasets), rowsOf(m.Components))
		return
	}
	for d, label := range datasets {
		if label != math.Trunc(label) || math.Abs(label) > 1<<53 || d > 0 && label <= datasets[d-1] {
			c.refuse("label %d (counting from 1) of the array \"datasets\" is %v; labels are whole numbers, ascending", d+1, label)
			return
		}
		m.Datasets = append(m.Datasets, int64(label))
	}
	for at, v := range m.Own.RawMatrix().Data {
		if v < 0 {
			c.refuse("row %d, column %d (counting from 1) of the array \"own\" is %v; it is ≥ 0", at/columnsOf(m.Own)+1, at%columnsOf(m.Own)+1, v)
			return
		}
	}
}

// stages saves or loads the transformations of new samples before and after the map.
func (c *modelCodec) stages(e *extend.Extension, features int) {
	within := features // columns behind the reduction
	if c.optionalArray("reduce_projection", e.Reduce != nil) {
		c.reduction(e, features)
		within = 0
		if e.Reduce != nil {
			within = columnsOf(e.Reduce.Projection)
		}
	}
	if c.optional("smoothing_neighbors", e.Smooth != nil) {
		c.smoothing(e, within)
	}
	if c.optional("exponent", e.Divide != nil) {
		c.division(e)
	}
	if c.optional("standardize", e.Standard != nil) {
		c.standard(e, features)
	}
}

// reduction saves or loads the principal components that replace the samples.
func (c *modelCodec) reduction(e *extend.Extension, features int) {
	p := newIfNil(&e.Reduce)
	c.array("reduce_projection", features, 0, &p.Projection)
	c.row("reduce_mean", rowsOf(p.Projection), &p.Mean)
}

// smoothing saves or loads the planes that samples are moved to.
func (c *modelCodec) smoothing(e *extend.Extension, features int) {
	p := newIfNil(&e.Smooth)
	var kept *mat.Dense
	if c.saving {
		kept = mat.NewDense(p.Kept.N, p.Kept.M, p.Kept.Data[:p.Kept.N*p.Kept.M])
	}
	if c.array("smoothing_samples", 0, 0, &kept); !c.saving && c.err != nil {
		return
	}
	rows, low := kept.Dims()
	if c.loads() {
		p.Kept = neighbors.Points{N: rows, M: low, Data: kept.RawMatrix().Data}
	}
	if c.optionalArray("smoothing_basis", p.Basis != nil) || c.loads() && low != features {
		var basis *mat.Dense
		if c.saving {
			m := len(p.Center)
			basis = mat.NewDense(len(p.Basis)/m, m, p.Basis)
		}
		if c.array("smoothing_basis", low, features, &basis); c.loads() {
			p.Basis = basis.RawMatrix().Data
		}
		c.row("smoothing_center", features, &p.Center)
	}
	c.count("smoothing_neighbors", 0, float64(rows), &p.Neighbors)
	c.count("smoothing_dim", 0, float64(low), &p.Dim)
	c.count("smoothing_passes", 0, extend.MaxPasses, &p.Passes)
	c.number("smoothing_variance", 0, math.MaxFloat64, &p.Variance)
	c.number("smoothing_radius", 0, math.MaxFloat64, &p.Radius)
}

// division saves or loads the powers of two by which samples are divided and coordinates multiplied.
func (c *modelCodec) division(e *extend.Extension) {
	const maxExponent = 2200 // of any number, and some more
	const maxPower = 2       // of the data's unit that coordinates have
	d := newIfNil(&e.Divide)
	c.whole("exponent", -maxExponent, maxExponent, &d.Exponent)
	c.whole("coordinates_exponent", -maxExponent, maxExponent, &d.Coordinates)
	if c.saving && d.Coordinates == 0 {
		c.put("coordinates_exponent", 0*float64(d.Exponent)) // keeps the sign of zero, as every version has written it
	}
	by, up := d.Exponent, d.Coordinates
	if c.loads() && (by == 0 || by%2 != 0 || up%(by/2) != 0 || max(up/(by/2), -up/(by/2)) > 2*maxPower || e.Clusters() > 0 && up != 0) {
		c.refuse("the numbers %q and %q of a %s model are %d and %d, which no fit makes", "exponent", "coordinates_exponent", c.Kind, by, up)
	}
}

// standard saves or loads the standardisation of the samples.
func (c *modelCodec) standard(e *extend.Extension, features int) {
	s := newIfNil(&e.Standard)
	at := slices.Index(samples.Standards, s.How)
	if c.whole("standardize", 1, float64(len(samples.Standards)-1), &at); c.loads() {
		s.How = samples.Standards[at]
	}
	if c.saving && s.Center != nil || c.loads() && samples.ByColumns(s.How) {
		c.row("standardize_center", features, &s.Center)
		c.row("standardize_spread", features, &s.Spread)
	} else if s.How == "counts" {
		c.row("standardize_spread", 1, &s.Spread)
	}
	if c.loads() {
		if err := samples.CheckStandard(*s, features); err != nil {
			c.refuse("%w", err)
		}
	}
}

// newIfNil returns *at, after setting it to a new value if it is nil.
func newIfNil[T any](at **T) *T {
	if *at == nil {
		*at = new(T)
	}
	return *at
}
