package nmf

import (
	"iter"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// stack is the factorisations that run together: their factors are stored side by side in
// panels, and each product with the data is one for all of them.
type stack struct {
	data    Data
	options Options
	totals  dataSums
	rule    stackRule
	wide    blas.Entries   // the rows of sparse data
	turned  []blas.Entries // and their transpose, piece by piece of the rows
	columns int            // of all panels, at most
	block   int            // rows of W that a run updates together
	piece   int            // rows whose sums are formed by themselves: whole blocks
	panels  []*panel
	scratch []stackScratch
	start   []float64   // of W of the run that joins
	spare   [][]float64 // W of panels that were given up
	whole   []float64   // W of a run whose penalty is measured
	each    func(run int, r *Result) error
	done    int // runs
	of      int
}

// panel is factors of several runs side by side, in rows of ld numbers.
type panel struct {
	ld      int
	w       []float64 // n × ld
	b       []float64 // m × ld: Hᵀ
	num     []float64 // m × ld: the sums of the last pass
	places  []place
	members []*member // by place; nil: free

	partials [][]float64 // of dense data: num of every chunk of rows
}

// place is where a run's numbers are in a row: component k at first + k·step.
type place struct{ first, step, rank int }

// member is a run under way. Its factorization has all but W, which is in the panel.
type member struct {
	*factorization
	run     int
	updates updates
	panel   *panel
	place
	result *Result
	stop   *stopping
	last   Point
	// rowGram is HHᵀ with the penalty of W on its diagonal, of coordinate descent.
	rowGram []float64
	grams   []float64 // of dense data: WᵀW of every chunk of rows

	// Where the change of WH is requested, of the iteration before:
	lastHt      []float64
	lastProduct float64   // ‖WH‖²
	cross       []float64 // WᵀW′ of every piece of rows, W′ that before
}

// members are the runs under way.
func (s *stack) members() iter.Seq[*member] {
	return func(yield func(*member) bool) {
		for _, p := range s.panels {
			for _, m := range p.members {
				if m != nil && !yield(m) {
					return
				}
			}
		}
	}
}

// taken is the number of columns of all panels.
func (s *stack) taken() (columns int) {
	for _, p := range s.panels {
		columns += p.ld
	}
	return columns
}

// put writes the rows of a matrix to the run's place in the rows of a panel.
func (m *member) put(from, to []float64) {
	r, ld := m.r, m.panel.ld
	for i, at := 0, m.first; i < len(from); i, at = i+r, at+ld {
		for k, v := range from[i : i+r] {
			to[at+k*m.step] = v
		}
	}
}

// give writes Hᵀ to the panel.
func (m *member) give() { m.put(m.ht, m.panel.b) }

// take copies W out of the panel.
func (m *member) take() {
	r, ld := m.r, m.panel.ld
	for i, at := 0, m.first; i < len(m.w); i, at = i+r, at+ld {
		for k := range r {
			m.w[i+k] = m.panel.w[at+k*m.step]
		}
	}
}

// collect copies the sums of a pass, transposed, to the place where the step of H reads them.
func (m *member) collect() {
	ld := m.panel.ld
	for k := range m.r {
		row := m.sums.num[k*m.m : (k+1)*m.m]
		for j, at := 0, m.first+k*m.step; j < len(row); j, at = j+1, at+ld {
			row[j] = m.panel.num[at]
		}
	}
}

// leave frees the place of a run and its columns, which stay zero until another comes.
func (p *panel) leave(m *member) {
	p.members[slices.Index(p.members, m)] = nil
	for _, x := range [][]float64{p.w, p.b, p.num} {
		for at := m.first; at < len(x); at += p.ld {
			for k := range m.r {
				x[at+k*m.step] = 0
			}
		}
	}
}

// stackScratch is the memory of one worker.
type stackScratch struct{ num, den, before, wt, t []float64 }

// compares reports whether WH is compared with the WH of the iteration before.
func (s *stack) compares() bool { return s.options.Tolerance > 0 && s.options.Stop == Change }

// grown is a slice of n numbers, the given one where it is large enough.
func grown(x *[]float64, n int) []float64 {
	if len(*x) < n {
		*x = make([]float64, n)
	}
	return (*x)[:n]
}

// pieces is the number of pieces of rows of a pass.
func (s *stack) pieces() int { return (s.data.Rows + s.piece - 1) / s.piece }

// relativeChange is [factorization.relativeChange] from the sums of the pass.
func (m *member) relativeChange() float64 {
	cross, crossHt := make([]float64, m.r*m.r), make([]float64, m.r*m.r)
	for at := 0; at < len(m.cross); at += len(cross) {
		blas.Axpy(1, m.cross[at:at+len(cross)], cross)
	}
	m.crossGram(m.m, m.ht, m.lastHt, crossHt)
	now, before := blas.Dot(m.sums.gram, m.gramH), m.lastProduct
	m.lastProduct = now
	return changeOf(now, blas.Dot(cross, crossHt), before)
}

// move takes a run to another panel.
func (m *member) move(p *panel, at int) {
	from, old := m.panel, m.place
	m.panel, m.place = p, p.places[at]
	p.members[at] = m
	for _, x := range [][2][]float64{{from.w, p.w}, {from.b, p.b}, {from.num, p.num}} {
		for i, j, k := old.first, m.first, 0; i < len(x[0]); i, j, k = i+from.ld, j+p.ld, 0 {
			for ; k < m.r; k++ {
				x[1][j+k*m.step] = x[0][i+k*old.step]
			}
		}
	}
}

// strip is some columns of a panel, at most [blas.StackWidth].
type strip struct {
	*panel
	first, columns int
}

// inner is the run's AᵀB for rows of its panel, or adds it to the existing values.
func (m *member) inner(p *panel, rows int, a, b []float64, first bool, to []float64) {
	to = to[:m.r*m.r]
	if m.step == 1 {
		beta := 1.0
		if first {
			beta = 0
		}
		m.kernels.Gemm(true, false, m.r, m.r, rows, 1, a[m.first:], p.ld, b[m.first:], p.ld, beta, to, m.r)
		return
	}
	if first {
		clear(to)
	}
	for at := m.first; at < rows*p.ld; at += p.ld {
		for k := range m.r {
			v := a[at+k*m.step]
			for l := range m.r {
				to[k*m.r+l] += v * b[at+l*m.step]
			}
		}
	}
}

// ended reports whether iteration t of a run is its last, by the rules that need no point.
func (m *member) ended(t int) bool {
	switch {
	case m.stop.tolerance == 0:
		return false
	case m.stop.rule == Change:
		return m.relativeChange() < m.stop.tolerance
	case m.stop.rule == Violation:
		return m.stop.violated(m.violation(), t)
	}
	return false
}
