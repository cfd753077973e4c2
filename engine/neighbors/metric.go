package neighbors

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/magnitude"
	"github.com/orthant-go/orthant/internal/suggest"
	"github.com/orthant-go/orthant/sparse"
)

// Metric is a distance between two samples u and v.
type Metric string

// The metrics. For others, give a graph or distances.
const (
	Euclidean   Metric = "euclidean"   // ‖u − v‖₂
	Cosine      Metric = "cosine"      // 1 − uᵀv/(‖u‖‖v‖)
	Correlation Metric = "correlation" // the same, after subtracting the mean of each sample
	Manhattan   Metric = "manhattan"   // Σ|uⱼ − vⱼ|
	Chebyshev   Metric = "chebyshev"   // max |uⱼ − vⱼ|
	Hamming     Metric = "hamming"     // the share of columns in which u and v differ
	Canberra    Metric = "canberra"    // Σ |uⱼ − vⱼ|/(|uⱼ| + |vⱼ|), without columns that are zero in both
	BrayCurtis  Metric = "bray-curtis" // Σ|uⱼ − vⱼ| / Σ|uⱼ + vⱼ|; 0 for two zero samples, and infinite for others whose denominator is zero
	Haversine   Metric = "haversine"   // the angle between two points on the sphere, given by latitude and longitude in radians

	// InnerProduct is −uᵀv, which is not a metric: the larger the product, the nearer. It ranks neighbours;
	// functions that need distances ≥ 0 refuse it.
	InnerProduct Metric = "inner-product"

	// Metrics of the sets of nonzero columns, in SciPy's definitions; 0/0 is 0.
	Jaccard        Metric = "jaccard" // 1 − |u ∩ v|/|u ∪ v|
	Dice           Metric = "dice"
	RogersTanimoto Metric = "rogers-tanimoto"
	RussellRao     Metric = "russell-rao"
	SokalMichener  Metric = "sokal-michener"
	SokalSneath    Metric = "sokal-sneath"
	Yule           Metric = "yule"
	Kulsinski      Metric = "kulsinski"
)

// Minkowski is (Σ|uⱼ − vⱼ|^p)^(1/p), for a power p ≥ 1; its name is minkowski=p.
func Minkowski(p float64) Metric {
	return Metric(minkowski + strconv.FormatFloat(p, 'g', -1, 64))
}

const minkowski = "minkowski="

// Power returns the exponent of a Minkowski metric; false: it is another metric.
func (m Metric) Power() (p float64, is bool) {
	text, is := strings.CutPrefix(string(m), minkowski)
	if !is {
		return 0, false
	}
	p, err := strconv.ParseFloat(text, 64)
	return p, err == nil && p >= 1 && p <= math.MaxFloat64
}

var metrics = []Metric{Euclidean, Cosine, Correlation, Manhattan, Chebyshev, Canberra, BrayCurtis, Haversine, InnerProduct,
	Hamming, Jaccard, Dice, RogersTanimoto, RussellRao, SokalMichener, SokalSneath, Yule, Kulsinski}

// aliases are other common names of the metrics, without hyphens.
var aliases = map[string]Metric{"l2": Euclidean, "l1": Manhattan, "cityblock": Manhattan, "taxicab": Manhattan, "linf": Chebyshev, "linfinity": Chebyshev, "infinity": Chebyshev}

// Metrics returns the names of the metrics.
func Metrics() []string {
	names := make([]string, len(metrics))
	for i, m := range metrics {
		names[i] = string(m)
	}
	return names
}

// MetricNamed returns the metric with the given name; an empty name is the Euclidean metric.
func MetricNamed(name string) (Metric, error) {
	if name == "" {
		return Euclidean, nil
	}
	if _, is := Metric(name).Power(); is {
		return Metric(name), nil
	}
	// Names may have hyphens, underscores or neither.
	folded := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name))
	if at := slices.IndexFunc(metrics, func(m Metric) bool { return strings.ReplaceAll(string(m), "-", "") == folded }); at >= 0 {
		return metrics[at], nil
	}
	if m, known := aliases[folded]; known {
		return m, nil
	}
	return "", fmt.Errorf("neighbors: there is no metric %q%s; the metrics are %s and minkowski=P for a power P ≥ 1, and any other can be given as a graph or distances",
		name, suggest.Hint(name, Metrics()), strings.Join(Metrics(), ", "))
}

// directional reports whether a metric is Euclidean among rows scaled to unit length:
// ‖u − v‖²/2 = 1 − uᵀv, without the cancellation in the difference.
func (m Metric) directional() bool { return m == Cosine || m == Correlation }

// InUnit reports whether distances are in the unit of the samples, and so are proportional to them.
func (m Metric) InUnit() bool {
	p, is := pairwiseOf(m)
	return m == Euclidean || is && p.power == 1
}

// CheckDistances returns an error if the metric ranks neighbours without distances ≥ 0.
func (m Metric) CheckDistances() error {
	if m == InnerProduct {
		return fmt.Errorf("inner-product gives no distances ≥ 0; use cosine, which ranks rows of equal length in the same order")
	}
	return nil
}

// CheckApproximate returns an error if [ApproximateBy] does not support the metric.
func (m Metric) CheckApproximate() error {
	if m == Euclidean || m.directional() {
		return nil
	}
	return fmt.Errorf("an approximate search supports euclidean, cosine or correlation, not %s; use one of these, or search exactly", m)
}

// ToEuclidean returns the rows among which a search by cosine or correlation is Euclidean: each
// minus its mean (for correlation), divided by its length. For other metrics they are unchanged.
// A row of zeros, or for correlation a constant row, has no direction: its distance is 1 to
// every row with a direction, and 0 to other rows without. If there is such a row, the result has an
// additional column for it. [Metric.Restore] converts the distances back.
func (m Metric) ToEuclidean(x Points) (Points, error) {
	if !m.directional() {
		return x, nil
	}
	if err := checkFinite(x); err != nil {
		return x, err
	}
	t := Points{x.N, x.M, slices.Clone(x.Data[:x.N*x.M])}
	var without []int // rows without direction
	for i := range t.N {
		row := t.Row(i)
		_, largest := magnitude.Largest(row)
		if m == Correlation && largest > 0 {
			blas.Scale(1/largest, row)
			mean := 0.0
			for _, v := range row {
				mean += v / float64(len(row))
			}
			for j := range row {
				row[j] -= mean
			}
			if _, left := magnitude.Largest(row); left <= 0x1p-50 {
				largest = 0 // rounding errors of a constant row
			}
		}
		if largest == 0 {
			clear(row)
			without = append(without, i)
			continue
		}
		unit(row)
	}
	if without == nil {
		return t, nil
	}
	t = widened(t, t.M+1)
	for _, i := range without {
		t.Row(i)[t.M-1] = 1
	}
	return t, nil
}

// widened returns the rows padded with columns of zeros.
func widened(x Points, columns int) Points {
	if x.M == columns {
		return x
	}
	t := Points{x.N, columns, make([]float64, x.N*columns)}
	for i := range x.N {
		copy(t.Row(i), x.Row(i))
	}
	return t
}

// toEuclideanWide is [Metric.ToEuclidean] with the additional column in any case, so that separately mapped
// rows can be compared.
func (m Metric) toEuclideanWide(x *Stored) (*Stored, error) {
	if !m.directional() {
		return x, nil
	}
	t, err := m.ToEuclidean(x.Points())
	return widened(t, x.m+1).Stored(), err
}

// ToEuclideanSparse is [Metric.ToEuclidean] for compressed rows and cosine: rows minus their
// mean are not sparse, so [NearestSparse] and [WithinSparse] measure correlation directly.
func (m Metric) ToEuclideanSparse(a *sparse.CSR) (*sparse.CSR, error) {
	if !m.directional() {
		return a, nil
	}
	if m == Correlation {
		return nil, m.dense()
	}
	t := *a
	t.Val = slices.Clone(a.Val)
	var without []int // rows without direction
	for i := range t.Rows {
		cols, row := t.Row(i)
		for p, v := range row {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return nil, fmt.Errorf("neighbors: row %d, column %d (counting from 1) is %v; remove or fill in non-finite entries", i+1, cols[p]+1, v)
			}
		}
		if _, largest := magnitude.Largest(row); largest == 0 {
			without = append(without, i)
			continue
		}
		unit(row)
	}
	if without == nil {
		return &t, nil
	}
	return withOwnColumn(&t, without), nil
}

// withOwnColumn gives the given rows, ascending, a 1 in an additional column.
func withOwnColumn(a *sparse.CSR, rows []int) *sparse.CSR {
	t := &sparse.CSR{Rows: a.Rows, Cols: a.Cols + 1, Ptr: slices.Clone(a.Ptr)}
	t.Col, t.Val = make([]int32, 0, len(a.Col)+len(rows)), make([]float64, 0, len(a.Val)+len(rows))
	for i := range a.Rows {
		cols, vals := a.Row(i)
		t.Col, t.Val = append(t.Col, cols...), append(t.Val, vals...)
		if len(rows) > 0 && rows[0] == i {
			t.Col, t.Val, rows = append(t.Col, int32(a.Cols)), append(t.Val, 1), rows[1:]
		}
		t.Ptr[i+1] = len(t.Col)
	}
	return t
}

// toEuclideanWideSparse is [Metric.toEuclideanWide] for compressed rows.
func (m Metric) toEuclideanWideSparse(a *sparse.CSR) (*sparse.CSR, error) {
	t, err := m.ToEuclideanSparse(a)
	if err != nil || !m.directional() || t.Cols > a.Cols {
		return t, err
	}
	return withOwnColumn(t, nil), nil
}

// unit scales a nonzero row to unit length.
func unit(row []float64) {
	_, largest := magnitude.Largest(row)
	for j, v := range row { // the squares cannot overflow after that
		row[j] = v / largest
	}
	blas.Scale(1/math.Sqrt(blas.Dot(row, row)), row)
}

// dense returns the error for sparse samples.
func (m Metric) dense() error {
	return fmt.Errorf("neighbors: the metric %s needs dense samples, but these are sparse; convert them, or use another metric", m)
}

// Restore converts Euclidean distances between the rows of [Metric.ToEuclidean] to distances of the metric.
func (m Metric) Restore(g *Graph) {
	if !m.directional() {
		return
	}
	for p, d := range g.Dist {
		g.Dist[p] = m.restored(d)
	}
}

// restored is [Metric.Restore] for one distance.
func (m Metric) restored(d float64) float64 {
	if m.directional() {
		return d * d / 2
	}
	return d
}

// Turned is [Metric.ToEuclidean].
//
// Deprecated: use [Metric.ToEuclidean].
func (m Metric) Turned(x Points) (Points, error) { return m.ToEuclidean(x) }

// TurnedSparse is [Metric.ToEuclideanSparse].
//
// Deprecated: use [Metric.ToEuclideanSparse].
func (m Metric) TurnedSparse(a *sparse.CSR) (*sparse.CSR, error) { return m.ToEuclideanSparse(a) }
