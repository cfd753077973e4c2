package alm

import "github.com/orthant-go/orthant/blas"

// candidates are samples in ascending order of their distances by the data alone.
type candidates struct {
	index   []int32
	squares []float64
}

type adaptiveWorker struct {
	near     *shortlist
	gathered []float64 // rows × m
	norms    []float64 // rows
	squares  []float64 // rows × n
	// For indicators:
	products   []float64 // rows × n
	indicators []float64 // rows × r
}

// measureFrom computes the squared distances of some points, given with the squares of
// their lengths, to all samples.
func (a *Adaptive) measureFrom(points, norms, squares []float64) {
	n, m := a.n, a.m
	a.kernels.Gemm(false, true, len(norms), n, m, -2, points, m, a.x, m, 0, squares, n)
	for i, own := range norms {
		row := squares[i*n : (i+1)*n]
		for j, v := range row {
			row[j] = max(0, own+a.norms[j]+v)
		}
	}
}

// indicatorDistance is λ‖wᵢ − wⱼ‖².
func (a *Adaptive) indicatorDistance(i, j int) float64 {
	if a.w == nil || a.lambda == 0 {
		return 0
	}
	return a.lambda * blas.SquaredDistance(a.w[i*a.r:(i+1)*a.r], a.w[j*a.r:(j+1)*a.r])
}

// listOf makes the list of the candidates of sample i, given its distances.
func listOf(i, most int, squares []float64) candidates {
	l := newShortlist(most)
	l.offerAll(i, squares)
	l.sort()
	return candidates{l.index, l.distance}
}

// last is the distance of the last.
func (l candidates) last() float64 { return l.squares[len(l.squares)-1] }

// fromLists finds the neighbours of some samples among their candidates.
func (a *Adaptive) fromLists(worker, lo, hi int) {
	near := a.workers[worker].near
	for i := lo; i < hi; i++ {
		if a.misses[i] = !a.fromList(i, near); !a.misses[i] {
			a.weigh(i, near)
		}
	}
}

// fromList offers a sample's candidates and reports whether no other can be nearer.
func (a *Adaptive) fromList(i int, near *shortlist) bool {
	near.count = 0
	list := a.lists[i]
	for q, j := range list.index {
		if near.full() && list.squares[q] > near.distance[0] {
			return true
		}
		near.offer(list.squares[q]+a.indicatorDistance(i, int(j)), j)
	}
	return len(list.index) == a.n-1 || near.distance[0] <= list.last()
}

// fromAll finds the neighbours of missed samples lo to hi among all, and whether their
// candidates would have done.
func (a *Adaptive) fromAll(worker, lo, hi int) {
	w, n, m := &a.workers[worker], a.n, a.m
	missed := a.missed[lo:hi]
	if a.squares == nil {
		for q, i := range missed {
			copy(w.gathered[q*m:(q+1)*m], a.x[int(i)*m:(int(i)+1)*m])
			w.norms[q] = a.norms[i]
		}
		a.measureFrom(w.gathered[:len(missed)*m], w.norms[:len(missed)], w.squares)
	}
	apart := a.w != nil && a.lambda > 0
	if apart {
		w.relate(a, missed)
	}
	for q, at := range missed {
		i, near := int(at), w.near
		squares := w.squares[q*n : (q+1)*n]
		if a.squares != nil {
			squares = a.squares[i*n : (i+1)*n]
		}
		near.count = 0
		if apart {
			near.offerSums(i, squares, a.lengths, w.products[q*n:(q+1)*n])
		} else {
			near.offerAll(i, squares)
		}
		a.misses[i] = a.lists != nil && near.distance[0] > a.lists[i].last()
		a.weigh(i, near)
	}
}

// relate computes −2λ wᵢᵀwⱼ for some samples and all.
func (w *adaptiveWorker) relate(a *Adaptive, missed []int32) {
	n, r := a.n, a.r
	if len(w.products) < len(missed)*n {
		w.products = make([]float64, a.rows*n)
	}
	if len(w.indicators) < len(missed)*r {
		w.indicators = make([]float64, a.rows*r)
	}
	for q, i := range missed {
		copy(w.indicators[q*r:(q+1)*r], a.w[int(i)*r:(int(i)+1)*r])
	}
	a.kernels.Gemm(false, true, len(missed), n, r, -2*a.lambda, w.indicators, r, a.w, r, 0, w.products, n)
}
