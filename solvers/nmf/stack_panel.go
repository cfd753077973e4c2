package nmf

import (
	"iter"
	"slices"

	"github.com/orthant-go/orthant/blas"
)

// panel is factors of several runs side by side, in rows of ld numbers.
type panel struct {
	ld      int
	w       []float64 // n × ld
	b       []float64 // m × ld: Hᵀ
	num     []float64 // m × ld: what the last pass summed
	places  []place
	members []*member // by place; nil: nobody's

	partials [][]float64 // of dense data: num of every chunk of rows
}

// place is where a run's numbers stand in a row: component k at first + k·step.
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

	// Where the change of WH is asked for, of the iteration before:
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

// put writes the rows of a matrix to the run's place in those of a panel.
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

// collect copies what a pass has summed, transposed, to where the step of H looks for it.
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

// grown is a slice of n numbers, the given one where it is large enough.
func grown(x *[]float64, n int) []float64 {
	if len(*x) < n {
		*x = make([]float64, n)
	}
	return (*x)[:n]
}

// pieces is the number of pieces of rows of a pass.
func (s *stack) pieces() int { return (s.data.Rows + s.piece - 1) / s.piece }

// relativeChange is that of [factorization.relativeChange], by what the pass has summed.
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
