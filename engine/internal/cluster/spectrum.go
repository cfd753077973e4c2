package cluster

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/extend"
	"github.com/orthant-go/orthant/engine/internal/neighborhood"
	"github.com/orthant-go/orthant/engine/internal/patch"
	"github.com/orthant-go/orthant/engine/internal/run"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/internal/solve"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/sparse"
)

// search finds the neighbours. The job that it returns holds them.
func (g Plan) search(job *run.Run, x samples.Samples) (neighborhood.Found, *run.Run, error) {
	defer job.Phase("neighbors")()
	found, err := g.Neighbors.Find(job, x)
	if err != nil {
		return found, job, err
	}
	return found, job.Holding(found.Bytes()), nil
}

// bySpectrum clusters the samples by the leading eigenvectors of their similarity graph.
func (g Plan) bySpectrum(job *run.Run, x samples.Samples, clusters int) (*Partition, error) {
	found, job, err := g.search(job, x)
	if err != nil {
		return nil, err
	}
	input := align.Input{Local: patch.Local{Run: job, X: x, Graph: found.Graph}, Patch: g.Edges}
	similar := normalized
	if g.Sketch {
		similar = adjacent
	}
	a, affinities, job, err := similar(input, g.KeepAffinities)
	if err != nil {
		return nil, err
	}
	label, sizes := align.Joined(a.of).Components()
	components := align.Descending(sizes)
	if len(components) > clusters && x.Absent() {
		return nil, wording.Errorf("%s: the graph has %d components (%s) for %d clusters, and without the samples it is unknown which are near; ask for %d clusters at least, take ‹method=leiden›, which finds their number, or give the samples in addition to their graph",
			job.Method(), len(components), neighborhood.ListSizes(components), clusters, len(components))
	}
	warnOfClasses(job, components, found.Profile, clusters)
	s, err := spectralRows(job, x, a, neighborhood.Members(label, sizes), clusters)
	if err != nil {
		return nil, err
	}
	r, centers, err := g.partitionRows(job, x, s, clusters)
	if err != nil {
		return nil, err
	}
	switch {
	case g.Extend == nil:
	case x.Absent():
		r.without = extend.WithoutSamples
	case found.Affine:
		r.without = extend.OfAffinities
	default:
		r.rule = func(to []int64) (*extend.Extension, string, error) {
			n := centers.numbered(to)
			return g.Extend(extend.Fit{Run: job, X: x, Found: found},
				&extend.Clustered{Labels: r.Labels, Clusters: clusters, Rows: s.rows.Dense(), Lengths: s.lengths, Values: s.laplacian(), Centers: n.centers, Order: n.order})
		}
	}
	r.Affinities = affinities
	if found.Coding != nil {
		r.Exemplars = found.Coding.Exemplars
	}
	r.Components, r.Values, r.Residuals, r.Next = components, s.values, s.residuals, s.next
	r.Converged = r.Converged && s.converged
	return r, nil
}

// similarity is a graph whose leading eigenvectors are wanted.
type similarity struct {
	of     *sparse.CSR // the normalised Laplacian; for a sketch W
	sketch bool
	root   []float64 // D^½1, of unit length
	scale  []float64 // D^−½
}

// normalized returns the normalised Laplacian, and W if it is kept. The run that it returns holds both.
func normalized(in align.Input, keep bool) (similarity, *sparse.CSR, *run.Run, error) {
	a, err := align.GraphTerm(in)
	if err != nil {
		return similarity{}, nil, nil, err
	}
	var affinities *sparse.CSR
	if keep {
		if affinities, err = affinitiesOf(in.Run, a.Phi); err != nil {
			return similarity{}, nil, nil, err
		}
		in.Run = in.Holding(affinities.Bytes())
	}
	a.NormalizeLoose(in)
	return similarity{of: a.Phi, root: a.Null, scale: a.Scale}, affinities, in.Holding(a.Bytes()), nil
}

// adjacent returns W for a sketch, and once more if it is kept.
func adjacent(in align.Input, keep bool) (similarity, *sparse.CSR, *run.Run, error) {
	a, err := align.AdjacentLoose(in)
	if err != nil {
		return similarity{}, nil, nil, err
	}
	s := similarity{of: a.W, sketch: true, scale: a.Scale, root: make([]float64, len(a.Scale))}
	for i, t := range s.scale {
		s.root[i] = 1 / t
	}
	vector.Normalize(s.root)
	job := in.Holding(a.Bytes() + 8*int64(len(s.root)))
	if !keep {
		return s, nil, job, nil
	}
	w := &sparse.CSR{Rows: a.W.Rows, Cols: a.W.Cols}
	if err := job.Fit(a.W.Bytes(), fmt.Sprintf("the affinities of %d samples need", w.Rows), "leave them out, or raise the limit"); err != nil {
		return similarity{}, nil, nil, err
	}
	w.Ptr, w.Col, w.Val = slices.Clone(a.W.Ptr), slices.Clone(a.W.Col), slices.Clone(a.W.Val)
	return s, w, job.Holding(w.Bytes()), nil
}

// Spectral returns the clusters of samples by the Laplacian of a graph in which every sample has an
// edge. The Laplacian is not changed.
func Spectral(job *run.Run, x samples.Samples, laplacian *sparse.CSR, clusters int) ([]int64, error) {
	own := *laplacian
	own.Val = slices.Clone(laplacian.Val)
	a := &align.Sum{Phi: &own, Null: make([]float64, x.N())}
	if err := a.Normalize(align.Input{Local: patch.Local{Run: job, X: x}}); err != nil {
		return nil, err
	}
	label, sizes := align.Joined(a.Phi).Components()
	s, err := spectralRows(job, x, similarity{of: a.Phi, root: a.Null, scale: a.Scale}, neighborhood.Members(label, sizes), clusters)
	if err != nil {
		return nil, err
	}
	r, _, err := Plan{KMeans: KMeans{Restarts: spectralRestarts}}.partitionRows(job, x, s, clusters)
	if err != nil {
		return nil, err
	}
	return r.Labels, nil
}

// Means returns the clusters of samples by k-means.
func Means(job *run.Run, x samples.Samples, clusters int) ([]int64, error) {
	r, _, err := Plan{}.byMeans(job, x, clusters)
	if err != nil {
		return nil, err
	}
	return r.Labels, nil
}

// affinitiesOf returns W of a Laplacian D − W.
func affinitiesOf(job *run.Run, laplacian *sparse.CSR) (*sparse.CSR, error) {
	n := laplacian.Rows
	if err := job.Fit(laplacian.Bytes(), fmt.Sprintf("the affinities of %d samples need", n), "leave them out, or raise the limit"); err != nil {
		return nil, err
	}
	w := &sparse.CSR{Rows: n, Cols: n, Ptr: make([]int, 1, n+1), Col: make([]int32, 0, laplacian.NNZ()), Val: make([]float64, 0, laplacian.NNZ())}
	for i := range n {
		cols, vals := laplacian.Row(i)
		for q, j := range cols {
			if int(j) != i && vals[q] != 0 {
				w.Col, w.Val = append(w.Col, j), append(w.Val, -vals[q])
			}
		}
		w.Ptr = append(w.Ptr, len(w.Col))
	}
	return w, nil
}

// warnOfClasses warns if the graph has more components, or closed classes, than there are clusters.
func warnOfClasses(job *run.Run, components []int, about *neighborhood.Profile, clusters int) {
	switch {
	case len(components) > clusters:
		job.Warn("the graph has %d components (%s) for %d clusters: the largest form the clusters, and every sample of the others joins the cluster of its nearest sample; more neighbours would join some components",
			len(components), neighborhood.ListSizes(components), clusters)
	case about != nil && about.ClosedClasses > clusters:
		job.Warn("%d closed classes of samples have their neighbours among themselves, more than the %d clusters; more neighbours would join some", about.ClosedClasses, clusters)
	}
}

// spectral holds the rows of the leading eigenvectors, scaled to unit length except zero rows.
type spectral struct {
	rows              samples.Samples
	lengths           []float64 // lengths of the rows of the eigenvectors of D⁻¹W, which have the same directions
	values, residuals []float64
	next              float64
	converged         bool
}

// laplacian returns the eigenvalues of the normalised Laplacian.
func (s *spectral) laplacian() []float64 {
	mu := make([]float64, len(s.values))
	for j, v := range s.values {
		mu[j] = 1 - v
	}
	return mu
}

// spectralRows computes the leading eigenvectors of D^−½WD^−½, which are those for the smallest
// eigenvalues of the normalised Laplacian, and returns their rows. The known ones, D^½1 on each
// component, are not solved for.
func spectralRows(job *run.Run, x samples.Samples, a similarity, components [][]int, clusters int) (*spectral, error) {
	defer job.Phase("solve")()
	n := x.N()
	known := min(len(components), clusters)
	s := &spectral{converged: true}
	null := make([][]float64, known)
	for c, list := range components[:known] {
		v := make([]float64, n)
		for _, i := range list {
			v[i] = a.root[i]
		}
		vector.Normalize(v)
		null[c] = v
		s.values, s.residuals = append(s.values, 1), append(s.residuals, 0)
	}
	s.next = math.NaN()
	vectors := null
	if len(components) > clusters {
		s.next = 1
	} else if count := clusters - known; n > known {
		o := eigen.Options{
			Kernels: job.Kernels(), Threads: job.Threads(), Seed: job.Seed(), Memory: job.Remaining(),
			Progress: job.Fraction("solve"), Planned: func(plan eigen.Plan) { solve.RecordPlan(job, plan) },
			Laplacian: true, Columns: x.M(), Bound: 2, Trusted: true,
		}
		e, err := a.smallest(job.Context(), null, max(count, 1), o)
		if err != nil {
			return nil, job.WrapMemoryError(err)
		}
		values := append(slices.Clone(e.Values), e.Next)
		s.next = 1 - values[count]
		vectors = append(vectors, e.Vectors[:count]...)
		for j, mu := range values[:count] {
			s.values, s.residuals = append(s.values, 1-mu), append(s.residuals, e.Residuals[j])
		}
		if s.converged = e.Converged || count == 0; !s.converged {
			job.Warn("some eigenpairs missed their residual: the clusters are the best found")
		}
	}
	data := make([]float64, n*clusters)
	for c, v := range vectors {
		for i, entry := range v {
			data[i*clusters+c] = entry
		}
	}
	s.lengths = make([]float64, n)
	for i := range n {
		row := data[i*clusters : (i+1)*clusters]
		if s.lengths[i] = a.scale[i] * math.Sqrt(blas.Dot(row, row)); s.lengths[i] > 0 {
			vector.Normalize(row)
		}
	}
	s.rows = samples.OfRows(n, clusters, data)
	return s, nil
}

// smallest finds the smallest eigenpairs of the normalised Laplacian on the complement of its null vectors, of which there is one for each component.
func (a similarity) smallest(ctx context.Context, null [][]float64, count int, o eigen.Options) (*eigen.Eigen, error) {
	if !a.sketch {
		return eigen.Smallest(ctx, a.of, null, count, o)
	}
	e, err := eigen.Sketch(ctx, a.of, len(null)-1+count, o)
	if err == nil {
		e.Values, e.Vectors, e.Residuals = e.Values[len(null)-1:], e.Vectors[len(null)-1:], e.Residuals[len(null)-1:]
	}
	return e, err
}

// partitionRows clusters the rows of the eigenvectors by k-means. Samples with a zero
// row, which belong to components beyond the clusters, join the cluster of the nearest sample that
// has one.
func (g Plan) partitionRows(job *run.Run, x samples.Samples, s *spectral, clusters int) (*Partition, *means, error) {
	var placed, others []int
	for i := range s.rows.N() {
		if row := s.rows.Row(i); blas.Dot(row, row) > 0 {
			placed = append(placed, i)
		} else {
			others = append(others, i)
		}
	}
	r, centers, err := g.byMeans(job, s.rows.Subset(placed), clusters)
	if err != nil || len(others) == 0 {
		return r, centers, err
	}
	near, err := samples.Search(job.Context(), x.Subset(placed), x.Subset(others), 1, job.Metric(), neighbors.Options{Kernels: job.Kernels(), Threads: job.Threads()})
	if err != nil {
		return nil, nil, err
	}
	labels := make([]int64, s.rows.N())
	for at, i := range placed {
		labels[i] = r.Labels[at]
	}
	for at, i := range others {
		labels[i] = r.Labels[near.Of(at)[0]]
	}
	r.Labels = labels
	return r, centers, nil
}
