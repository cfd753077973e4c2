package neighbors

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/orthant-go/orthant/blas"
)

// spanningByTree searches by a k-d tree whose nodes know their box, their smallest core distance, and the component of all
// their samples. Weights are squared distances. Samples are numbered in the order of the leaves.
func spanningByTree(ctx context.Context, x *Stored, k, minSamples int, metric Metric, o Options) (*Spanning, error) {
	x, by, err := x.ordinary()
	if err != nil {
		return nil, err
	}
	t := newKDTree(x.Points(), o.Threads)
	lists, place := newGraph(x.n, k), make([]int32, x.n)
	for p, i := range t.order {
		place[i] = int32(p)
	}
	var done atomic.Int64
	err = blas.For(ctx, o.Threads, x.n, 512, func(_, lo, hi int) {
		q := query{tree: t, side: make([]float64, x.m)}
		for p := lo; p < hi; p++ {
			q.point, q.self, q.found = t.points[p*t.m:(p+1)*t.m], int32(p), lists.list(p)
			q.visit(0, 0)
			q.found.finish()
			for a, j := range lists.Of(p) {
				lists.Of(p)[a] = place[j]
			}
		}
		o.Progress(float64(done.Add(int64(hi-lo))) / float64(4*x.n))
	})
	if err != nil {
		return nil, err
	}
	s := newSpanning(coreOf(lists, minSamples), lists)
	if err := s.run(ctx, newBoxes(t, s.core), o); err != nil {
		return nil, err
	}
	r := &Spanning{From: s.from, To: s.to, Weight: s.weight, Core: make([]float64, x.n)}
	for e := range r.From {
		r.From[e], r.To[e] = t.order[r.From[e]], t.order[r.To[e]]
	}
	for p, c := range s.core {
		r.Core[t.order[p]] = metric.restored(math.Sqrt(c))
	}
	for e, w := range r.Weight {
		r.Weight[e] = metric.restored(math.Sqrt(w))
	}
	if err := by.rescale(r.Weight); err != nil {
		return nil, err
	}
	return r, by.rescale(r.Core)
}

// boxes are what the nodes of a k-d tree know of their samples.
type boxes struct {
	t    *kdTree
	box  []float64 // 2m for each node: the smallest and the largest of each column
	core []float64 // the smallest core of each node
	comp []int32   // of all samples of a node; −1: of several
}

func newBoxes(t *kdTree, core []float64) *boxes {
	b := &boxes{t: t, box: make([]float64, len(t.nodes)*2*t.m), core: make([]float64, len(t.nodes)), comp: make([]int32, len(t.nodes))}
	for at := len(t.nodes) - 1; at >= 0; at-- { // children first
		n, m := t.nodes[at], t.m
		low := b.box[at*2*m : at*2*m+m]
		high := b.box[at*2*m+m : (at+1)*2*m]
		if n.dim >= 0 {
			b.core[at] = min(b.core[at+1], b.core[n.right])
			l, r := b.box[(at+1)*2*m:], b.box[int(n.right)*2*m:]
			for j := range m {
				low[j], high[j] = min(l[j], r[j]), max(l[m+j], r[m+j])
			}
			continue
		}
		copy(low, t.points[int(n.lo)*m:])
		copy(high, low)
		b.core[at] = core[n.lo]
		for p := n.lo; p < n.hi; p++ {
			b.core[at] = min(b.core[at], core[p])
			for j, v := range t.points[int(p)*m : int(p+1)*m] {
				low[j], high[j] = min(low[j], v), max(high[j], v)
			}
		}
	}
	return b
}

func (b *boxes) begin(ctx context.Context, s *spanning) error {
	for at := len(b.t.nodes) - 1; at >= 0; at-- {
		n := b.t.nodes[at]
		if n.dim >= 0 {
			if b.comp[at] = b.comp[at+1]; b.comp[at] != b.comp[n.right] {
				b.comp[at] = -1
			}
			continue
		}
		b.comp[at] = s.comp[n.lo]
		for p := n.lo + 1; p < n.hi; p++ {
			if s.comp[p] != b.comp[at] {
				b.comp[at] = -1
				break
			}
		}
	}
	return ctx.Err()
}

func (b *boxes) find(_ int, s *spanning, samples []int32, known *bounds) {
	m := b.t.m
	q := outsideQuery{boxes: b, s: s}
	for _, i := range samples {
		q.comp = s.comp[i]
		bound := known.weight[q.comp]
		if s.lower[i] >= bound {
			continue
		}
		q.point, q.core, q.floor = b.t.points[int(i)*m:int(i+1)*m], s.core[i], s.lower[i]
		q.bound, q.at = s.firstInList(i, bound)
		q.visit(0)
		s.record(i, q.bound, q.at, known)
	}
}

// outsideQuery is the search of one sample for the nearest outside its component.
type outsideQuery struct {
	*boxes
	s           *spanning
	point       []float64
	core, floor float64 // floor: nothing outside is nearer
	comp        int32

	bound float64
	at    int32
}

// visit searches a node, the nearer side first.
func (q *outsideQuery) visit(at int32) {
	for {
		n := &q.t.nodes[at]
		if n.dim < 0 {
			q.scan(n.lo, n.hi)
			return
		}
		near, far := at+1, n.right
		a, b := q.to(near), q.to(far)
		if b < a {
			near, far, a, b = far, near, b, a
		}
		if a >= q.bound {
			return
		}
		if b < q.bound {
			q.visit(near)
			if b >= q.bound {
				return
			}
			near = far
		}
		at = near
	}
}

// to returns a lower bound of the weights to a node; +Inf if all its samples are in the component.
func (q *outsideQuery) to(at int32) float64 {
	if q.boxes.comp[at] == q.comp || q.boxes.core[at] >= q.bound {
		return math.Inf(1)
	}
	m, sum := q.t.m, 0.0
	box := q.box[int(at)*2*m : int(at+1)*2*m]
	for j, v := range q.point {
		if d := max(box[j]-v, v-box[m+j]); d > 0 {
			sum += float64(d * d)
		}
	}
	return sum * slack
}

func (q *outsideQuery) scan(lo, hi int32) {
	m := q.t.m
	for p := lo; p < hi && q.bound > q.floor; p++ {
		core := q.s.core[p]
		if q.s.comp[p] == q.comp || core >= q.bound {
			continue
		}
		y := q.t.points[int(p)*m : int(p)*m+m]
		var square float64
		if m == 2 {
			d0, d1 := q.point[0]-y[0], q.point[1]-y[1]
			square = float64(d0*d0) + float64(d1*d1)
		} else {
			square = blas.SquaredDistance(q.point, y)
		}
		if w := max(square, core, q.core); w < q.bound {
			q.bound, q.at = w, p
		}
	}
}
