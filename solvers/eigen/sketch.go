package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/sparse"
)

const (
	// sketchLanes is the number of columns that are multiplied at a time: eight fill a cache line.
	sketchLanes = 8
	// SketchAim is ‖Âx − θx‖ of a pair that [Sketch] counts as found, unless sketchShare of its eigenvalue is less.
	SketchAim = 1e-4
	// sketchShare: a residual near the eigenvalue would leave open whether there is a gap before it.
	sketchShare = 0.01
	// leastAim is that of eigenvalues at rounding.
	leastAim = 1e-12
	// sketchGenerations is the number of blocks X, ÂX, Â²X … of the Krylov space of a round.
	sketchGenerations = 3
	// sketchProducts is the number of products with a block that a sketch may take.
	sketchProducts = 240
	// firstEdge and firstDegree are those of the filter before any eigenvalue is known.
	firstEdge, firstDegree = 0.5, 8
	// mostDegree bounds the degree of a filter.
	mostDegree = 40
	// mostGrowth bounds how much more a filter amplifies the largest eigenvalue than the edge. Beyond it the columns of a block become so nearly parallel
	// that two passes of Cholesky QR do not make them orthonormal.
	mostGrowth = 1e4
	// worthwhile is the least factor by which a round reduces the largest residual; after two rounds in succession that do not, the sketch ends.
	worthwhile = 1.5
)

// sketchAim is the residual up to which a pair counts as found.
func sketchAim(value float64) float64 { return max(min(SketchAim, sketchShare*value), leastAim) }

// sketchWidth is the number of columns of the random block for some pairs: the pair behind them and a quarter more set the edge of the filter.
func sketchWidth(wanted int) int {
	return (wanted + max(3, wanted/4) + sketchLanes - 1) / sketchLanes * sketchLanes
}

// Sketch approximates the count smallest eigenpairs of the normalised Laplacian I − Â of a graph, Â = D^−½WD^−½, on the complement of D^½1, for graphs so large
// that one can afford some tens of products and no more. W is symmetric with entries ≥ 0, and is only read; D has its row sums.
//
// It is randomised block Krylov (Musco and Musco 2015, algorithm 2) between spectral propagations: a random block of count + a quarter columns is multiplied by a Chebyshev polynomial
// in Â that is small on the unwanted part [−1, a] of the spectrum (Zhou, Saad, Tiago and Chelikowsky 2006; ProNE of Zhang et al. 2019 expands a Gaussian band in the same way),
// and the Rayleigh–Ritz pairs of the space of X, ÂX and Â²X are taken. a follows the last Ritz value of the block. Rounds are repeated until each residual is at most 1e-4 and a hundredth of its eigenvalue, two rounds in succession
// gain less than a factor of 1.5, or 240 products with the block are done; [Eigen.Converged] is false after the latter two.
//
// Residuals are ‖Âx − θx‖ of the vectors returned, measured by one more product with each; a value is within its residual of an eigenvalue, but nothing proves that none is missed.
// The vector of D^½1 on each connected component is known: those orthogonal to D^½1 come first, with eigenvalues of zero, and the search is orthogonal to all. A vertex without edges counts as a component.
// Small graphs are solved exactly, by [Smallest].
//
// O((nnz + n·count)·count) a product; memory 8n bytes for each of some five columns a pair, and 16 more; fewer with a limit. The result has the same bits for any number of threads.
func Sketch(ctx context.Context, w *sparse.CSR, count int, o Options) (*Eigen, error) {
	n := w.Rows
	if count < 1 || count > n-1 {
		return nil, fmt.Errorf("solvers: %d eigenpairs requested of a graph of %d vertices; give a number from 1 to %d", count, n, n-1)
	}
	if err := o.fill(); err != nil {
		return nil, err
	}
	if !o.Trusted {
		if err := checkWeights(w); err != nil {
			return nil, err
		}
	}
	p := &problem{n: n, count: count, wanted: min(count+1, n-1), norm: 1, Options: o}
	p.plan.MatrixEntries = int64(w.NNZ())
	known, err := knownOf(ctx, w, o.Threads)
	if err != nil {
		return nil, err
	}
	e := known.pairs(min(p.wanted, len(known.volume)-1))
	null := len(e.Values)
	if null == p.wanted {
		p.plan.Solver, p.plan.Reason = "components", fmt.Sprintf("%d components, each with an eigenvalue of zero", len(known.volume))
		p.plan.Bytes = known.bytes() + 8*int64(n)*int64(null)
		err = p.announce()
	} else if more := p.wanted - null; n <= denseOrder || 2*sketchGenerations*sketchWidth(more) > n-len(known.volume) {
		err = p.exactly(ctx, w, known, more, e)
	} else {
		s := &sketch{krylov: &krylov{problem: p, block: sketchLanes, random: blas.NewStream(o.Seed)}, w: w, known: known, pairs: more, width: sketchWidth(more)}
		err = s.find(ctx, null, e)
	}
	if err != nil {
		return nil, err
	}
	p.sketched(e)
	return e, nil
}

// checkWeights returns an error unless the matrix is square, symmetric, finite and ≥ 0.
func checkWeights(w *sparse.CSR) error {
	if w.Rows != w.Cols {
		return fmt.Errorf("solvers: the matrix is %d × %d; give a symmetric one", w.Rows, w.Cols)
	}
	if err := w.Validate(); err != nil {
		return fmt.Errorf("solvers: %w", err)
	}
	for i := range w.Rows {
		cols, vals := w.Row(i)
		for q, v := range vals {
			if v < 0 {
				return fmt.Errorf("solvers: the weight in row %d, column %d (counting from 0) is %v; give weights ≥ 0", i, cols[q], v)
			}
		}
	}
	if err := w.CheckSymmetric(); err != nil {
		return fmt.Errorf("solvers: %w", err)
	}
	return nil
}

// sketched separates the pair that was not asked for, and estimates errors from the residuals.
func (p *problem) sketched(e *Eigen) {
	e.Next = math.NaN()
	if len(e.Values) > p.count {
		e.Next = e.Values[p.count]
		e.Values, e.Vectors, e.Residuals = e.Values[:p.count], e.Vectors[:p.count], e.Residuals[:p.count]
	}
	e.Converged = true
	for j, r := range e.Residuals {
		e.Errors = append(e.Errors, p.error(e, j, e.Values[j], r, p.norm))
		e.Converged = e.Converged && r <= sketchAim(e.Values[j])
	}
	e.Plan = p.plan
	e.Angle = p.angle(e)
}

// exactly finds pairs of a small graph by [Smallest].
func (p *problem) exactly(ctx context.Context, w *sparse.CSR, known *known, more int, e *Eigen) error {
	laplacian := &sparse.CSR{Rows: p.n, Cols: p.n, Ptr: make([]int, 1, p.n+1)}
	for i := range p.n {
		cols, vals := w.Row(i)
		diagonal, degree := 1.0, 0.0
		for _, v := range vals {
			degree += v
		}
		put := func(j int, v float64) {
			laplacian.Col, laplacian.Val = append(laplacian.Col, int32(j)), append(laplacian.Val, v)
		}
		at := 0
		for ; at < len(cols) && int(cols[at]) < i; at++ {
			put(int(cols[at]), -vals[at]/(known.root[i]*known.root[cols[at]]))
		}
		if at < len(cols) && int(cols[at]) == i {
			diagonal -= vals[at] / (known.root[i] * known.root[i])
			at++
		}
		if degree == 0 {
			diagonal = 0
		}
		put(i, diagonal)
		for ; at < len(cols); at++ {
			put(int(cols[at]), -vals[at]/(known.root[i]*known.root[cols[at]]))
		}
		laplacian.Ptr = append(laplacian.Ptr, len(laplacian.Col))
	}
	null := make([][]float64, len(known.volume))
	for c := range null {
		null[c] = make([]float64, p.n)
		for _, r := range known.runs[known.first[c]:known.first[c+1]] {
			for q := r.lo; q < r.hi; q++ {
				i := known.vertex(q)
				null[c][i] = known.root[i] / math.Sqrt(known.volume[c])
			}
		}
	}
	o := p.Options
	o.Trusted, o.Laplacian, o.Bound, o.Planned = true, true, 2, func(plan Plan) { p.plan = plan }
	if o.Memory > 0 {
		o.Memory = max(1, o.Memory-laplacian.Bytes()-8*int64(p.n)*int64(len(null)))
	}
	found, err := Smallest(ctx, laplacian, null, more, o)
	if err != nil {
		return err
	}
	p.plan.Reason = "a small graph is solved exactly: " + p.plan.Reason
	p.Planned(p.plan)
	e.Products, e.Solves = found.Products, found.Solves
	e.Values, e.Vectors, e.Residuals = append(e.Values, found.Values...), append(e.Vectors, found.Vectors...), append(e.Residuals, found.Residuals...)
	return nil
}

// sketch is a search under way. The basis of the krylov holds the block X in its first pieces, and the generations ÂX, Â²X after it.
type sketch struct {
	*krylov
	w           *sparse.CSR
	known       *known
	pairs       int         // wanted
	width       int         // columns of X
	generations int         // blocks of the Krylov space
	old         [][]float64 // rows of a block that a step replaces, of each worker
	blocks      int         // products with X
}

// bytes is the memory of a search in which the Krylov space has this many generations.
func (s *sketch) bytes(generations, null int) int64 {
	columns := generations*s.width + 2*s.block + null + s.pairs // the last for what the caller makes of the vectors
	if generations == 1 {
		columns += s.pairs // the vectors find no place in the basis
	}
	return s.known.bytes() + 8*int64(s.n)*int64(columns)
}

// find appends the pairs to e, which has those of components.
func (s *sketch) find(ctx context.Context, null int, e *Eigen) error {
	s.generations = sketchGenerations
	for s.Memory > 0 && s.generations > 1 && s.bytes(s.generations, null) > s.Memory {
		s.generations--
	}
	s.plan.Solver = "block krylov sketch"
	s.plan.Reason = fmt.Sprintf("a sketch was asked for: %d random columns, up to %d products with them, spaces of %d blocks; the residuals are measured, and no count proves that no pair is missed", s.width, sketchProducts, s.generations)
	s.plan.Bytes = s.bytes(s.generations, null)
	if err := s.announce(); err != nil {
		return err
	}
	s.limit = s.generations * s.width
	s.prepare()
	s.old = make([][]float64, blas.Threads(s.Threads))
	for range s.width / s.block {
		normals(s.random, s.next, s.block, s.block)
		s.q.add(s.next, s.block, nil)
	}
	edge, degree := firstEdge, firstDegree
	var best float64
	idle := 0
	for {
		if err := s.propagate(ctx, degree, edge); err != nil {
			return err
		}
		theta, residuals, err := s.rayleighRitz(ctx)
		if err != nil {
			return err
		}
		needed := max(1, min(s.pairs, s.count-null)) // the pair behind those asked for need only be known roughly
		worst, missed := 0.0, 0.0                    // the largest residual, and the largest relative to its aim, which falls with the value
		for j, r := range residuals[:needed] {
			worst, missed = max(worst, r), max(missed, r/sketchAim(1-theta[j]))
		}
		if idle++; best == 0 || worst*worthwhile < best {
			idle = 0
		}
		best = worst
		s.Progress(min(1, float64(s.blocks)/sketchProducts))
		if missed <= 1 || idle == 2 || s.blocks >= sketchProducts {
			for j, t := range theta[:s.pairs] {
				e.Values, e.Residuals = append(e.Values, max(0, 1-t)), append(e.Residuals, residuals[j])
			}
			break
		}
		edge = theta[s.width-1]
		degree = filterDegreeFor(theta[0], theta[needed-1], edge, missed)
	}
	s.next, s.spare = nil, nil
	s.q.truncate(s.pairs)
	e.Vectors, e.Products = append(e.Vectors, s.q.vectors()...), s.products
	return ctx.Err()
}

// filterDegreeFor is the degree of a filter on [−1, edge] that reduces a residual at the last wanted Ritz value by ten times the factor by which it misses its aim, as far as the growth of the first one
// allows; it is even.
func filterDegreeFor(first, last, edge, missed float64) int {
	center, half := (edge-1)/2, (edge+1)/2
	rate := func(theta float64) float64 { return math.Acosh(max((theta-center)/half, 1)) }
	degree := float64(mostDegree)
	if r := rate(first); r > 0 {
		degree = min(degree, math.Acosh(mostGrowth)/r)
	}
	if r := rate(last); r > 0 {
		degree = min(degree, math.Acosh(max(10*missed, 1))/r)
	}
	return max(2, 2*int(math.Ceil(degree/2)))
}

// propagate replaces X by an orthonormal basis of T_m((Â − cI)/e)·X for the interval [−1, edge] = c ± e, m even.
//
// The recurrence is of D^−½X with the random walk D⁻¹W, whose products need no scaled copy, and takes two blocks: each step replaces the one before the last.
func (s *sketch) propagate(ctx context.Context, degree int, edge float64) error {
	center, half := (edge-1)/2, (edge+1)/2
	pieces := s.width / s.block
	for _, piece := range s.q.pieces[:pieces] {
		if err := s.byRoots(ctx, piece, piece, func(root float64) float64 { return 1 / root }); err != nil {
			return err
		}
		x, y := piece, s.spare
		for step := range degree {
			scale := 2 / half
			if step == 0 {
				scale = 1 / half
			}
			if err := s.walk(ctx, x, y, scale, center, step > 0); err != nil {
				return err
			}
			x, y = y, x
		}
		if err := s.byRoots(ctx, piece, piece, func(root float64) float64 { return root }); err != nil {
			return err
		}
	}
	s.blocks += degree
	s.q.size = 0
	for _, piece := range s.q.pieces[:pieces] {
		s.q.strips(func(lo, hi int) { copy(s.next[lo*s.block:hi*s.block], piece[lo*s.block:hi*s.block]) })
		if err := s.enterWhole(s.clean); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// clean takes from the next block what it has along the known vectors.
func (s *sketch) clean() { s.known.remove(s.Threads, s.block, s.next) }

// byRoots scales the rows of a block by a function of the roots of the degrees.
func (s *sketch) byRoots(ctx context.Context, from, to []float64, by func(root float64) float64) error {
	b := s.block
	return blas.For(ctx, s.Threads, s.n, correctionRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			f := by(s.known.root[i])
			x, y := from[i*b:i*b+b], to[i*b:i*b+b]
			for l, v := range x {
				y[l] = f * v
			}
		}
	})
}

// walkRows is the number of rows that are multiplied and combined at a time, within the cache.
const walkRows = 1024

// walk computes y = scale·(D⁻¹W − center)x, minus what y was before.
func (s *sketch) walk(ctx context.Context, x, y []float64, scale, center float64, minus bool) error {
	b := s.block
	s.products += b
	shift := scale * center
	return blas.For(ctx, s.Threads, s.n, walkRows, func(worker, lo, hi int) {
		old := grown(s.old[worker], walkRows*b)[:(hi-lo)*b]
		s.old[worker] = old
		if minus {
			copy(old, y[lo*b:hi*b])
		} else {
			clear(old)
		}
		blas.MulCSRBlock(b, lo, hi, s.w.Ptr, s.w.Col, s.w.Val, x, y)
		for i := lo; i < hi; i++ {
			root := s.known.root[i]
			f := scale / float64(root*root)
			x, y, old := x[i*b:i*b+b], y[i*b:i*b+b], old[(i-lo)*b:(i-lo)*b+b]
			for l, v := range y {
				y[l] = float64(f*v) - float64(shift*x[l]) - old[l]
			}
		}
	})
}

// image writes Â times a piece of the basis to the next block.
func (s *sketch) image(ctx context.Context, piece []float64) error {
	if err := s.byRoots(ctx, piece, s.spare, func(root float64) float64 { return 1 / root }); err != nil {
		return err
	}
	if err := s.walk(ctx, s.spare, s.next, 1, 0, false); err != nil {
		return err
	}
	return s.byRoots(ctx, s.next, s.next, func(root float64) float64 { return root })
}

// rayleighRitz makes X the Ritz vectors of the Krylov space of X, with their values, descending, and the residuals of those wanted.
func (s *sketch) rayleighRitz(ctx context.Context) (theta, residuals []float64, err error) {
	b := s.block
	for at := 0; at*b < s.limit; at++ {
		first := at * b
		if err := s.image(ctx, s.q.pieces[at]); err != nil {
			return nil, nil, err
		}
		c := along{q: &s.q, c: s.measured}
		s.measure(&c)
		s.measured = c.c
		for i := range first + b {
			for j, v := range c.c[i*b : i*b+b] {
				if i < first {
					s.t[(first+j)*s.room+i] = v
				} else if i-first >= j {
					s.t[i*s.room+first+j] = v
				}
			}
		}
		if s.q.size < s.limit {
			s.take(c)
			s.own.strips(s.due)
			s.due = nil
			if err := s.enterWhole(s.clean); err != nil {
				return nil, nil, err
			}
		}
	}
	s.blocks += s.generations + 1
	theta, rows, err := s.ritz()
	if err != nil {
		return nil, nil, err
	}
	s.q.rotate(rows, s.width)
	residuals = make([]float64, s.width)
	for at := 0; at*b < s.pairs; at++ {
		if err := s.image(ctx, s.q.pieces[at]); err != nil {
			return nil, nil, err
		}
		for l, r := range s.distances(s.q.pieces[at], theta[at*b:at*b+b]) {
			residuals[at*b+l] = r
		}
	}
	return theta, residuals, nil
}

// distances are ‖y − θx‖ of the columns of a piece x and the next block y.
func (s *sketch) distances(piece, theta []float64) []float64 {
	b := s.block
	sums := make([]float64, (s.n+basisStrip-1)/basisStrip*b)
	s.q.strips(func(lo, hi int) {
		sum := sums[lo/basisStrip*b:][:b]
		for i := lo; i < hi; i++ {
			x, y := piece[i*b:i*b+b], s.next[i*b:i*b+b]
			for l, v := range y {
				d := v - float64(theta[l]*x[l])
				sum[l] += float64(d * d)
			}
		}
	})
	total := make([]float64, b)
	for at, v := range sums {
		total[at%b] += v
	}
	for l, v := range total {
		total[l] = math.Sqrt(v)
	}
	return total
}

// known are the eigenvectors of Â for the eigenvalue 1: D^½1 on each component.
type known struct {
	root   []float64 // of the degrees; 1 of a vertex without edges
	order  []int32   // the vertices, component after component; nil: there is one component
	volume []float64 // of the components, in the order of their first vertices
	runs   []run     // of order
	first  []int     // run of each component, and the number of runs
}

// run is a part of a component in the order.
type run struct{ lo, hi int }

// runRows bounds the vertices of a run. It decides bits.
const runRows = 4096

// knownOf finds the degrees and the components.
func knownOf(ctx context.Context, w *sparse.CSR, threads int) (*known, error) {
	n := w.Rows
	k := &known{root: make([]float64, n)}
	set := sparse.NewDisjoint(n)
	joined := n
	for i := range n {
		if i%walkRows == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		cols, vals := w.Row(i)
		for q, j := range cols {
			k.root[i] += vals[q]
			if int(j) < i && vals[q] > 0 && joined > 1 && set.Connect(int32(i), j) {
				joined--
			}
		}
		if math.IsInf(k.root[i], 1) {
			return nil, errors.New("solvers: the weights of a vertex sum to infinity; scale them")
		}
	}
	for i, degree := range k.root {
		if degree == 0 {
			degree = 1
		}
		k.root[i] = math.Sqrt(degree)
	}
	if joined == 1 {
		k.divide([]int{0, n})
	} else {
		label, sizes := make([]int32, n), make([]int, 0, joined) // number of the component of a representative, from 1
		for i := range n {
			root := set.Find(int32(i))
			if label[root] == 0 {
				sizes = append(sizes, set.Size(root))
				label[root] = int32(len(sizes))
			}
		}
		ends := make([]int, len(sizes)+1)
		for c, size := range sizes {
			ends[c+1] = ends[c] + size
		}
		k.order = make([]int32, n)
		next := append([]int(nil), ends...)
		for i := range n {
			c := label[set.Find(int32(i))] - 1
			k.order[next[c]] = int32(i)
			next[c]++
		}
		k.divide(ends)
	}
	volumes := make([]float64, len(k.runs))
	k.each(threads, func(at int, r run) {
		for q := r.lo; q < r.hi; q++ {
			root := k.root[k.vertex(q)]
			volumes[at] += float64(root * root)
		}
	})
	for c := range k.volume {
		for _, v := range volumes[k.first[c]:k.first[c+1]] {
			k.volume[c] += v
		}
	}
	return k, nil
}

// divide makes the runs of components that end at these places of the order.
func (k *known) divide(ends []int) {
	k.volume, k.first = make([]float64, len(ends)-1), make([]int, len(ends))
	for c := range k.volume {
		for lo := ends[c]; lo < ends[c+1]; lo += runRows {
			k.runs = append(k.runs, run{lo, min(lo+runRows, ends[c+1])})
		}
		k.first[c+1] = len(k.runs)
	}
}

// vertex is the one at a place of the order.
func (k *known) vertex(at int) int {
	if k.order == nil {
		return at
	}
	return int(k.order[at])
}

// each calls do for each run.
func (k *known) each(threads int, do func(at int, r run)) {
	_ = blas.For(context.Background(), threads, len(k.runs), 16, func(_, lo, hi int) {
		for at := lo; at < hi; at++ {
			do(at, k.runs[at])
		}
	})
}

// bytes is its memory, with the sums of a block.
func (k *known) bytes() int64 {
	return 8*int64(len(k.root)) + 4*int64(len(k.order)) + 16*int64(len(k.volume)) + int64(16+8*2*sketchLanes)*int64(len(k.runs))
}

// remove takes from the columns of a block of this width what they have along the vectors.
func (k *known) remove(threads, width int, x []float64) {
	sums := make([]float64, len(k.runs)*width)
	k.each(threads, func(at int, r run) {
		sum := sums[at*width : at*width+width]
		for q := r.lo; q < r.hi; q++ {
			i := k.vertex(q)
			for l, v := range x[i*width : i*width+width] {
				sum[l] += float64(k.root[i] * v)
			}
		}
	})
	for c, volume := range k.volume {
		total := make([]float64, width)
		own := sums[k.first[c]*width : k.first[c+1]*width]
		for at, v := range own {
			total[at%width] += v
		}
		for at := range own {
			own[at] = total[at%width] / volume
		}
	}
	k.each(threads, func(at int, r run) {
		sum := sums[at*width : at*width+width]
		for q := r.lo; q < r.hi; q++ {
			i := k.vertex(q)
			row := x[i*width : i*width+width]
			for l, v := range sum {
				row[l] -= float64(k.root[i] * v)
			}
		}
	})
}

// pairs are the first of the pairs of zero that are orthogonal to D^½1: vector c is positive on the components before component c, and negative on that one.
func (k *known) pairs(count int) *Eigen {
	e := &Eigen{}
	before := 0.0
	for c, volume := range k.volume[:count+1] {
		if c > 0 {
			v, norm := make([]float64, len(k.root)), math.Sqrt(before*volume*(before+volume))
			for _, r := range k.runs[:k.first[c+1]] {
				for q := r.lo; q < r.hi; q++ {
					i := k.vertex(q)
					v[i] = k.root[i] * volume / norm
				}
			}
			for _, r := range k.runs[k.first[c]:k.first[c+1]] {
				for q := r.lo; q < r.hi; q++ {
					i := k.vertex(q)
					v[i] = -k.root[i] * before / norm
				}
			}
			e.Values, e.Vectors, e.Residuals = append(e.Values, 0), append(e.Vectors, v), append(e.Residuals, 0)
		}
		before += volume
	}
	return e
}
