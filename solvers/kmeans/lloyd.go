package kmeans

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
)

// lloyd is Lloyd's iteration under way, with scratch for all restarts.
type lloyd struct {
	KMeansOptions
	x              []float64
	sparse         *sparseRows // the samples, where they are sparse; nil: they are x
	n, m, clusters int

	centers, before []float64
	shift           []float64 // how far each centre has moved
	apart           []float64 // half the distance of each centre to its nearest other
	label           []int
	upper, lower    []float64 // bounds on the distances to the own centre and to any other
	members, first  []int     // samples by cluster
	square          []float64 // of each sample to its nearest centre, in seeding
	total           float64   // Σ of the weights
	radius          float64   // root mean square distance from the mean
	rounding        float64   // the rounding of a centre
}

func newLloyd(x []float64, n, m, clusters int, o KMeansOptions) *lloyd {
	l := emptyLloyd(n, m, clusters, o)
	l.x = x
	mean := make([]float64, m)
	for i := range n {
		blas.Axpy(l.weight(i)/l.total, l.row(i), mean)
	}
	for i := range n {
		l.radius += blas.SquaredDistance(l.row(i), mean) * l.weight(i) / l.total
	}
	l.radius = math.Sqrt(l.radius)
	for _, v := range x {
		l.rounding = max(l.rounding, math.Abs(v))
	}
	l.rounding *= 0x1p-50 * math.Sqrt(float64(m))
	return l
}

func emptyLloyd(n, m, clusters int, o KMeansOptions) *lloyd {
	total := float64(n)
	if o.Weights != nil {
		total = 0
		for _, w := range o.Weights {
			total += w
		}
	}
	return &lloyd{KMeansOptions: o, total: total, n: n, m: m, clusters: clusters,
		centers: make([]float64, clusters*m), before: make([]float64, clusters*m),
		shift: make([]float64, clusters), apart: make([]float64, clusters),
		label: make([]int, n), upper: make([]float64, n), lower: make([]float64, n),
		members: make([]int, n), first: make([]int, clusters+1), square: make([]float64, n)}
}

// weight is the weight of sample i.
func (l *lloyd) weight(i int) float64 {
	if l.Weights == nil {
		return 1
	}
	return l.Weights[i]
}

func (l *lloyd) row(i int) []float64    { return l.x[i*l.m : (i+1)*l.m] }
func (l *lloyd) center(c int) []float64 { return l.centers[c*l.m : (c+1)*l.m] }

// squareTo is the squared distance of sample i from centre c.
func (l *lloyd) squareTo(i, c int) float64 {
	if l.sparse != nil {
		return l.sparse.squareTo(i, c, l.center(c))
	}
	return blas.SquaredDistance(l.row(i), l.center(c))
}

// put makes sample i centre c.
func (l *lloyd) put(i, c int) {
	if l.sparse == nil {
		copy(l.center(c), l.row(i))
		return
	}
	clear(l.center(c))
	l.sparse.add(i, 1, l.center(c))
	l.sparse.took(c, l.center(c))
}

// add adds sample i to a sum, as often as its weight says.
func (l *lloyd) add(i int, sum []float64) {
	if l.sparse != nil {
		l.sparse.add(i, l.weight(i), sum)
		return
	}
	blas.Axpy(l.weight(i), l.row(i), sum)
}

// atMost and atLeast are bounds on a distance by its computed square.
func (l *lloyd) atMost(square float64) float64  { return math.Sqrt(square + l.sparse.error()) }
func (l *lloyd) atLeast(square float64) float64 { return math.Sqrt(max(square-l.sparse.error(), 0)) }

// run is one restart.
func (l *lloyd) run(ctx context.Context, random *blas.Stream) (*Partition, error) {
	if err := l.seed(ctx, random); err != nil {
		return nil, err
	}
	p := &Partition{}
	for i := range l.n {
		l.label[i], l.upper[i], l.lower[i] = 0, math.Inf(1), 0
	}
	for p.Iterations < l.Iterations {
		changed, err := l.assign(ctx)
		if err != nil {
			return nil, err
		}
		p.Iterations++
		l.sort()
		filled := l.fill()
		if p.Iterations == 1 {
			if p.FirstCost, err = l.cost(ctx); err != nil {
				return nil, err
			}
		}
		if changed == 0 && !filled && p.Iterations > 1 {
			p.Converged = true // the centres are the means of these very clusters
			break
		}
		moved, err := l.move(ctx)
		if err != nil {
			return nil, err
		}
		if l.Tolerance > 0 && moved <= max(l.Tolerance*l.radius, l.rounding) {
			p.Converged = true
			if _, err := l.assign(ctx); err != nil { // the centres have moved a little
				return nil, err
			}
			l.sort()
			break
		}
	}
	var err error
	if p.Cost, err = l.cost(ctx); err != nil {
		return nil, err
	}
	// An iteration never raises the cost: what is above is rounding, as of clusters of copies.
	p.FirstCost = max(p.FirstCost, p.Cost)
	p.Labels, p.Centers = append([]int(nil), l.label...), append([]float64(nil), l.centers...)
	for c := range l.clusters {
		p.Sizes = append(p.Sizes, l.first[c+1]-l.first[c])
	}
	return p, nil
}

// assign gives every sample to its nearest centre and returns how many changed.
// A sample whose upper bound is below its lower one, or below half the way to the
// next centre, keeps its own unseen.
func (l *lloyd) assign(ctx context.Context) (changed int64, err error) {
	for c := range l.clusters {
		nearest := math.Inf(1)
		for d := range l.clusters {
			if d != c {
				nearest = min(nearest, blas.SquaredDistance(l.center(c), l.center(d)))
			}
		}
		l.apart[c] = math.Sqrt(nearest) / 2
	}
	var count atomic.Int64
	err = blas.For(ctx, l.Threads, l.n, kmeansRows, func(_, lo, hi int) {
		var own int64
		for i := lo; i < hi; i++ {
			bound := max(l.apart[l.label[i]], l.lower[i]) * (1 - boundSlack)
			if l.upper[i] < bound {
				continue
			}
			l.upper[i] = l.atMost(l.squareTo(i, l.label[i]))
			if l.upper[i] < bound {
				continue
			}
			if l.search(i) {
				own++
			}
		}
		count.Add(own)
	})
	return count.Load(), err
}

// search finds the two nearest centres of a sample and reports whether its
// cluster changes.
func (l *lloyd) search(i int) bool {
	best, second, at := math.Inf(1), math.Inf(1), 0
	for c := range l.clusters {
		d := l.squareTo(i, c)
		switch {
		case d < best:
			best, second, at = d, best, c
		case d < second:
			second = d
		}
	}
	l.upper[i], l.lower[i] = l.atMost(best), l.atLeast(second)
	changed := at != l.label[i]
	l.label[i] = at
	return changed
}

// sort lists the samples by cluster, in ascending order each.
func (l *lloyd) sort() {
	clear(l.first)
	for _, c := range l.label {
		l.first[c+1]++
	}
	for c := range l.clusters {
		l.first[c+1] += l.first[c]
	}
	at := append([]int(nil), l.first[:l.clusters]...)
	for i, c := range l.label {
		l.members[at[c]] = i
		at[c]++
	}
}

// fill gives each empty cluster the sample that is farthest from its centre, the
// first on ties, where any is at a distance.
func (l *lloyd) fill() (filled bool) {
	for c := range l.clusters {
		if l.first[c+1] > l.first[c] {
			continue
		}
		farthest, at := 0.0, -1
		for i := range l.n {
			if d := l.squareTo(i, l.label[i]); d > farthest && l.weight(i) > 0 {
				farthest, at = d, i
			}
		}
		if at < 0 {
			return filled
		}
		l.label[at], l.upper[at], l.lower[at] = c, math.Inf(1), 0
		l.put(at, c)
		filled = true
		l.sort()
	}
	return filled
}

// move puts every centre at the mean of its samples, loosens the bounds by how
// far the centres moved, and returns the longest of these ways. Each mean is one
// sum in the order of the samples, whichever worker takes it.
func (l *lloyd) move(ctx context.Context) (longest float64, err error) {
	copy(l.before, l.centers)
	err = blas.For(ctx, l.Threads, l.clusters, 1, func(_, lo, hi int) {
		for c := lo; c < hi; c++ {
			list := l.members[l.first[c]:l.first[c+1]]
			if len(list) == 0 {
				l.shift[c] = 0
				continue
			}
			weight := float64(len(list))
			if l.Weights != nil {
				weight = 0
				for _, i := range list {
					weight += l.Weights[i]
				}
			}
			if weight == 0 { // samples that do not count leave their centre where it is
				l.shift[c] = 0
				continue
			}
			mean := l.center(c)
			clear(mean)
			for _, i := range list {
				l.add(i, mean)
			}
			blas.Scale(1/weight, mean)
			l.shift[c] = math.Sqrt(blas.SquaredDistance(mean, l.before[c*l.m:(c+1)*l.m]))
			if l.sparse != nil {
				l.sparse.took(c, mean)
			}
		}
	})
	if err != nil {
		return 0, err
	}
	return loosen(l.shift, l.label, l.upper, l.lower), nil
}

// loosen has the bounds of samples on their distances to the own centre and to the next hold
// after each centre has gone its way. It returns the longest way.
func loosen[T int | int32](shift []float64, label []T, upper, lower []float64) (farthest float64) {
	var next float64 // the second longest way
	at := 0
	for c, s := range shift {
		if s > farthest {
			farthest, next, at = s, farthest, c
		} else {
			next = max(next, s)
		}
	}
	for i, c := range label {
		upper[i] += shift[c] * (1 + boundSlack)
		if int(c) == at {
			lower[i] -= next * (1 + boundSlack)
		} else {
			lower[i] -= farthest * (1 + boundSlack)
		}
	}
	return farthest
}

// cost is Σ w‖x − its centre‖², summed block by block.
func (l *lloyd) cost(ctx context.Context) (float64, error) {
	parts := make([]float64, (l.n+kmeansRows-1)/kmeansRows)
	err := blas.For(ctx, l.Threads, l.n, kmeansRows, func(_, lo, hi int) {
		for i := lo; i < hi; i++ {
			parts[lo/kmeansRows] += l.weight(i) * l.squareTo(i, l.label[i])
		}
	})
	var total float64
	for _, v := range parts {
		total += v
	}
	return total, err
}

// seed chooses the first centres by k-means++: each a sample drawn with a
// probability in proportion to its squared distance from those before it, times its
// weight; where all distances are 0, the first sample again.
func (l *lloyd) seed(ctx context.Context, random *blas.Stream) error {
	blocks := (l.n + kmeansRows - 1) / kmeansRows
	parts := make([]float64, blocks)
	at := l.begin(random)
	for c := range l.clusters {
		l.put(at, c)
		if c == l.clusters-1 {
			break
		}
		err := blas.For(ctx, l.Threads, l.n, kmeansRows, func(_, lo, hi int) {
			var sum float64
			for i := lo; i < hi; i++ {
				d := l.squareTo(i, c)
				if c > 0 {
					d = min(d, l.square[i])
				}
				l.square[i] = d
				sum += l.weight(i) * d
			}
			parts[lo/kmeansRows] = sum
		})
		if err != nil {
			return err
		}
		at = l.draw(parts, random.Uniform())
	}
	return nil
}

// begin draws the first centre, by the weights.
func (l *lloyd) begin(random *blas.Stream) int {
	if l.Weights == nil {
		return random.Below(l.n)
	}
	left, last := random.Uniform()*l.total, 0
	for i, w := range l.Weights {
		if w == 0 {
			continue
		}
		last = i
		if left -= w; left < 0 {
			break
		}
	}
	return last
}

// draw returns the sample at the share u of the sum of all squares.
func (l *lloyd) draw(parts []float64, u float64) int {
	var total float64
	for _, v := range parts {
		total += v
	}
	if total == 0 {
		return 0
	}
	left := u * total
	chosen := -1
	for b, v := range parts {
		if v == 0 {
			continue
		}
		if left >= v {
			left -= v
			chosen = b // in case rounding leaves nothing behind it
			continue
		}
		chosen = b
		break
	}
	last := 0
	for i := chosen * kmeansRows; i < min((chosen+1)*kmeansRows, l.n); i++ {
		d := l.weight(i) * l.square[i]
		if d == 0 {
			continue
		}
		last = i
		if left -= d; left < 0 {
			break
		}
	}
	return last
}
