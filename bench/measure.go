package bench

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
)

// Measure looks at the embedding y of a data set and adds what it sees to the
// outcome: a quality, a picture. Its time is not part of the case's.
type Measure func(ctx context.Context, d *Data, y *mat.Dense, out *Outcome) error

// quality makes a measure of a function with one value.
func quality(name string, of func(ctx context.Context, d *Data, y *mat.Dense) (float64, error)) Measure {
	return func(ctx context.Context, d *Data, y *mat.Dense, out *Outcome) error {
		v, err := of(ctx, d, y)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if out.Quality == nil {
			out.Quality = map[string]float64{}
		}
		out.Quality[name] = v
		return nil
	}
}

// The measures. Dev is the relative error of the best affine map to the true
// coordinates (see [measures.Deviation]), CentredDev its centred form.
var (
	Dev         = quality("dev", deviation(false))
	CenteredDev = quality("dev-centred", deviation(true))
	AUC         = quality("roc-auc", areaUnderROC)
)

func deviation(centered bool) func(context.Context, *Data, *mat.Dense) (float64, error) {
	return func(_ context.Context, d *Data, y *mat.Dense) (float64, error) {
		if d.Truth == nil {
			return 0, fmt.Errorf("the true coordinates of this set are not known")
		}
		plain, c, err := measures.Deviation(d.Truth, y)
		if centered {
			return c, err
		}
		return plain, err
	}
}

// Trustworthiness measures whether neighbours in the embedding are neighbours in
// the data, k of them.
func Trustworthiness(k int) Measure {
	return quality("trustworthiness", func(ctx context.Context, d *Data, y *mat.Dense) (float64, error) {
		return measures.Trustworthiness(ctx, d.X, y, k, measures.Options{})
	})
}

// Continuity measures whether neighbours in the data stay neighbours.
func Continuity(k int) Measure {
	return quality("continuity", func(ctx context.Context, d *Data, y *mat.Dense) (float64, error) {
		return measures.Continuity(ctx, d.X, y, k, measures.Options{})
	})
}

// areaUnderROC takes the first coordinate as the score of the larger of two
// classes; which end of it is which does not count.
func areaUnderROC(_ context.Context, d *Data, y *mat.Dense) (float64, error) {
	if len(d.Labels) == 0 {
		return 0, fmt.Errorf("this set has no classes")
	}
	top := slices.Max(d.Labels)
	positive := make([]bool, len(d.Labels))
	for i, class := range d.Labels {
		positive[i] = class == top
	}
	curve, err := measures.ROC(mat.Col(nil, 0, y), positive)
	if err != nil {
		return 0, err
	}
	return curve.RankAUC(), nil
}

// Draw keeps the embedding as a picture of that name, coloured by the classes, or
// else by the first true coordinate.
func Draw(name string) Measure {
	return func(_ context.Context, d *Data, y *mat.Dense, out *Outcome) error {
		p := &Picture{Points: y, Labels: d.Labels}
		if d.Labels == nil && d.Truth != nil {
			p.Color = mat.Col(nil, 0, d.Truth)
		}
		if out.Pictures == nil {
			out.Pictures = map[string]*Picture{}
		}
		out.Pictures[name] = p
		return nil
	}
}

// assess applies the measures to the embedding of a case's first repeat, on all
// cores: the others would give the same.
func assess(ctx context.Context, c *Case, list []Measure, d *Data, y *mat.Dense, out *Outcome) error {
	if !c.FirstRepeat() {
		return nil
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(runtime.NumCPU()))
	before := CostSoFar()
	defer func() { out.aside = CostSoFar().Sub(before) }()
	for _, measure := range list {
		if err := measure(ctx, d, y, out); err != nil {
			return err
		}
	}
	return nil
}

// MeasureOptions are the options of the measures of a case: its threads, and its backend.
func MeasureOptions(c *Case) (measures.Options, error) {
	kernels, err := blas.Select(c.Backend)
	return measures.Options{Kernels: kernels, Threads: c.Threads}, err
}

// AddSolveResiduals adds what a solve says of its own exactness: "residual", the largest of the
// eigenpairs, relative to the matrix, or for an iterative method "kkt", the residual of
// the conditions of its minimum.
func (out *Outcome) AddSolveResiduals(r *engine.Result) {
	if out.Quality == nil {
		out.Quality = map[string]float64{}
	}
	if len(r.Residuals) > 0 {
		out.Quality["residual"] = slices.Max(r.Residuals)
	}
	if !math.IsNaN(r.KKT) {
		out.Quality["kkt"] = r.KKT
	}
}

// Exact is the residual of an eigenproblem that is solved.
func Exact() Accuracy { return AtMost("residual", 1e-8) }

// Stationary is the error of an iterative method that ended at a stationary point.
func Stationary() Accuracy { return AtMost("kkt", 1e-3) }

// NNError is the share of samples whose nearest neighbour in the embedding is of
// another class.
var NNError = quality("nn-error", func(ctx context.Context, d *Data, y *mat.Dense) (float64, error) {
	if n, _ := y.Dims(); len(d.Labels) != n {
		return 0, fmt.Errorf("%d labels for %d samples", len(d.Labels), n)
	}
	g, err := NearestNeighbors(ctx, y, 1)
	if err != nil {
		return 0, err
	}
	wrong := 0
	for i := range d.Labels {
		if d.Labels[g.Of(i)[0]] != d.Labels[i] {
			wrong++
		}
	}
	return float64(wrong) / float64(len(d.Labels)), nil
})

// recalled is how many samples a recall looks at, evenly spread.
const recalled = 200

// Recall is the share of a search's distances, n × k and nearest first, that are those
// of the true neighbours of that rank, found by going through all samples.
var Recall = quality("recall", func(_ context.Context, d *Data, y *mat.Dense) (float64, error) {
	n, _ := d.X.Dims()
	rows, k := y.Dims()
	if rows != n || k < 1 || k >= n {
		return 0, fmt.Errorf("%d × %d distances for %d samples", rows, k, n)
	}
	right, count := 0, min(recalled, n)
	all := make([]float64, 0, n)
	for at := range count {
		i := at * n / count
		all = all[:0]
		for j := range n {
			if j != i {
				all = append(all, math.Sqrt(blas.SquaredDistance(d.X.RawRowView(i), d.X.RawRowView(j))))
			}
		}
		slices.Sort(all)
		for j, got := range y.RawRowView(i) {
			if math.Abs(got-all[j]) <= 1e-6*all[k-1] {
				right++
			}
		}
	}
	return float64(right) / float64(count*k), nil
})

// reconstructionOf is the relative error of a factorisation.
func reconstructionOf(ctx context.Context, c *Case, d *Data, w, h *mat.Dense) (float64, error) {
	o, err := MeasureOptions(c)
	if err != nil {
		return 0, err
	}
	return measures.Reconstruction(ctx, d.X, w, h, o)
}

// StripAngle is the sine of the largest angle between the coordinates of an embedding
// by a graph's Laplacian and what they tend to on a long strip: cosines along it where
// its samples lie evenly, and where they do not the functions with −f″ = λpf, p the
// density along the strip, to which nearest neighbours on a surface lead. The truth is
// (height, arc length), of samples spread evenly over the height.
var StripAngle = quality("angle", func(_ context.Context, d *Data, y *mat.Dense) (float64, error) {
	if d.Truth == nil {
		return 0, fmt.Errorf("the true coordinates of this set are not known")
	}
	return stripAngle(d.Truth, y)
})

// beads is how many equal masses represent the samples along the strip: the functions
// are exact to about its inverse square.
const beads = 400

func stripAngle(truth, y *mat.Dense) (float64, error) {
	n, p := truth.Dims()
	rows, d := y.Dims()
	if p != 2 || rows != n || n < beads {
		return 0, fmt.Errorf("it is for %d or more samples of a strip with two coordinates, not %d × %d", beads, n, p)
	}
	along, height := mat.Col(nil, 1, truth), mat.Col(nil, 0, truth)
	values, functions, at, err := stringModes(along, d+1)
	if err != nil {
		return 0, err
	}
	// The first function across the strip has to come after those along it.
	across := math.Pi / (slices.Max(height) - slices.Min(height))
	if length := at[beads-1] - at[0]; values[d] > across*across*length {
		return 0, fmt.Errorf("the strip is too wide: its function number %d does not run along it", d)
	}
	reference := make([][]float64, d)
	for j := range reference {
		reference[j] = make([]float64, n)
		for i, a := range along {
			reference[j][i] = interpolated(at, functions[j+1], a)
		}
	}
	basis := make([][]float64, d)
	for j := range basis {
		basis[j] = mat.Col(nil, j, y)
	}
	if !orthonormal(reference) || !orthonormal(basis) {
		return 0, fmt.Errorf("the coordinates do not span %d dimensions", d)
	}
	return largestSine(reference, basis), nil
}

// stringModes returns the lowest modes of a string that is free at its ends and on which
// the samples are the mass: λ, and the functions at the places of the beads.
func stringModes(along []float64, count int) (values []float64, functions [][]float64, at []float64, err error) {
	sorted := slices.Sorted(slices.Values(along))
	at = make([]float64, beads)
	for b := range at { // the middles of equal parts of the samples
		at[b] = sorted[(2*b+1)*len(sorted)/(2*beads)]
	}
	k := mat.NewSymDense(beads, nil)
	for b := range beads - 1 {
		if at[b+1] <= at[b] {
			return nil, nil, nil, fmt.Errorf("too many samples lie at one place along the strip")
		}
		spring := beads / (at[b+1] - at[b])
		k.SetSym(b, b, k.At(b, b)+spring)
		k.SetSym(b+1, b+1, k.At(b+1, b+1)+spring)
		k.SetSym(b, b+1, -spring)
	}
	var eig mat.EigenSym
	if !eig.Factorize(k, true) {
		return nil, nil, nil, fmt.Errorf("the modes of the strip were not found")
	}
	var v mat.Dense
	eig.VectorsTo(&v)
	for j := range count {
		functions = append(functions, mat.Col(nil, j, &v))
	}
	return eig.Values(nil)[:count], functions, at, nil
}

// interpolated reads a function, given at ascending places, between or beyond two of them.
func interpolated(at, f []float64, x float64) float64 {
	i := min(max(sort.SearchFloat64s(at, x), 1), len(at)-1)
	share := (x - at[i-1]) / (at[i] - at[i-1])
	share = min(max(share, -0.5), 1.5) // the functions are level at the ends
	return f[i-1] + share*(f[i]-f[i-1])
}

// orthonormal makes columns free of their means orthonormal; false where they are not
// independent.
func orthonormal(cols [][]float64) bool {
	for j, c := range cols {
		mean := 0.0
		for _, v := range c {
			mean += v / float64(len(c))
		}
		for i := range c {
			c[i] -= mean
		}
		before := math.Sqrt(blas.Dot(c, c))
		blas.Orthogonalize(cols[:j], c)
		norm := math.Sqrt(blas.Dot(c, c))
		if !(norm > 1e-10*before) {
			return false
		}
		blas.Scale(1/norm, c)
	}
	return true
}

// largestSine is the largest sine of the angles between two spans of as many orthonormal columns:
// the norm of what is left of the one beyond the other, which keeps small angles.
func largestSine(a, b [][]float64) float64 {
	rest := make([][]float64, len(b))
	for j := range b {
		rest[j] = slices.Clone(b[j])
		for _, c := range a {
			blas.Axpy(-blas.Dot(c, rest[j]), c, rest[j])
		}
	}
	gram := mat.NewSymDense(len(b), nil)
	for i := range rest {
		for j := range i + 1 {
			gram.SetSym(i, j, blas.Dot(rest[i], rest[j]))
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(gram, false) {
		return 1
	}
	return math.Sqrt(min(max(eig.Values(nil)[len(b)-1], 0), 1))
}
