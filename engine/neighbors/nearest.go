package neighbors

// nearest collects the k nearest of the offered candidates, ordered by
// (squared distance, index). It writes into slices of the caller and never
// allocates.
type nearest struct {
	square []float64
	index  []int32
	count  int
}

// full reports whether k candidates are held; only then is bound meaningful.
func (h *nearest) full() bool { return h.count == len(h.square) }

// offer considers one candidate. Short lists are kept sorted by insertion,
// which is faster than a heap for up to about 30 entries; longer lists are a max-heap until
// finish sorts them.
func (h *nearest) offer(square float64, index int32) {
	if len(h.square) > insertionLimit {
		h.push(square, index)
		return
	}
	p := h.count
	if p == len(h.square) {
		p--
		if !before(square, index, h.square[p], h.index[p]) {
			return
		}
	} else {
		h.count++
	}
	for p > 0 && before(square, index, h.square[p-1], h.index[p-1]) {
		h.square[p], h.index[p] = h.square[p-1], h.index[p-1]
		p--
	}
	h.square[p], h.index[p] = square, index
}

// bound returns the largest squared distance held, once k are held: candidates
// farther away cannot enter.
func (h *nearest) bound() float64 {
	if len(h.square) > insertionLimit {
		return h.square[0]
	}
	return h.square[h.count-1]
}

// closed reports, without a distance, that candidate j cannot enter: the list holds
// k duplicates, all of lower index.
func (h *nearest) closed(j int32) bool {
	return h.full() && h.bound() == 0 && j > h.lastIndex()
}

// lastIndex returns the index of the candidate at bound.
func (h *nearest) lastIndex() int32 {
	if len(h.square) > insertionLimit {
		return h.index[0]
	}
	return h.index[h.count-1]
}

const insertionLimit = 32

func before(s float64, i int32, t float64, j int32) bool {
	return s < t || s == t && i < j
}

func (h *nearest) push(square float64, index int32) {
	if h.full() {
		if before(square, index, h.square[0], h.index[0]) {
			h.sink(0, h.count, square, index)
		}
		return
	}
	p := h.count
	h.count++
	for p > 0 {
		up := (p - 1) / 2
		if !before(h.square[up], h.index[up], square, index) {
			break
		}
		h.square[p], h.index[p] = h.square[up], h.index[up]
		p = up
	}
	h.square[p], h.index[p] = square, index
}

// sink places an entry at p or below in the heap of the first n entries.
func (h *nearest) sink(p, n int, square float64, index int32) {
	for {
		down := 2*p + 1
		if down >= n {
			break
		}
		if down+1 < n && before(h.square[down], h.index[down], h.square[down+1], h.index[down+1]) {
			down++
		}
		if !before(square, index, h.square[down], h.index[down]) {
			break
		}
		h.square[p], h.index[p] = h.square[down], h.index[down]
		p = down
	}
	h.square[p], h.index[p] = square, index
}

// finish sorts the entries in ascending order.
func (h *nearest) finish() {
	if len(h.square) <= insertionLimit {
		return
	}
	for n := h.count - 1; n > 0; n-- {
		square, index := h.square[n], h.index[n]
		h.square[n], h.index[n] = h.square[0], h.index[0]
		h.sink(0, n, square, index)
	}
}
