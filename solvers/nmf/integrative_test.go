package nmf

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// collectionCases are collections of 61 × 23 data: datasets next to each other and not, blocks that samples lack, and both.
func collectionCases() map[string]Options {
	const n, m = 61, 23
	together, scattered, blocks, pattern := make([]int32, n), make([]int32, n), make([]int32, m), make([]int32, n)
	for i := range n {
		scattered[i], pattern[i] = int32((i*i+i/7)%3), int32(i%4/3+i%3)
		if i >= 30 {
			together[i] = 1
		}
	}
	for j := range m {
		blocks[j] = int32(j % 7 / 3) // some columns at a time
	}
	patterns := [][]bool{{true, true, true}, {false, true, true}, {true, true, false}, {false, false, true}}
	return map[string]Options{
		"datasets":            {Collection: &Collection{Datasets: together, OwnPenalty: 5}},
		"scattered datasets":  {Collection: &Collection{Datasets: scattered, OwnPenalty: 0.3, Hold: 2, Weights: []float64{1, 3, 0.5}}},
		"missing blocks":      {Collection: &Collection{Blocks: blocks, Patterns: patterns, Pattern: pattern}},
		"both, and penalties": {Collection: &Collection{Datasets: scattered, OwnPenalty: 2, Weights: []float64{2, 1, 0.7}, Blocks: blocks, Patterns: patterns, Pattern: pattern}, Penalties: Penalties{W: 0.004, H: 0.003, L1Ratio: 0.4}, Normalize: Never},
	}
}

// plainCollection is a collection by its definition.
type plainCollection struct {
	o       Options
	n, m, r int
	x, w, h []float64
	own     [][]float64
}

func newPlainCollection(d Data, o Options) *plainCollection {
	p := &plainCollection{o: o, n: d.Rows, m: d.Cols, r: o.Rank, x: d.Dense, w: slices.Clone(o.W), h: slices.Clone(o.H)}
	datasets, _ := o.Collection.Counts()
	for range datasets {
		p.own = append(p.own, make([]float64, p.r*p.m))
	}
	return p
}

// known reports whether sample i has the block of column j.
func (p *plainCollection) known(i, j int) bool {
	c := p.o.Collection
	return c.Patterns == nil || c.Patterns[c.Pattern[i]][c.Blocks[j]]
}

// residual is x − w(h + v) of an entry, and w·v.
func (p *plainCollection) residual(i, j int) (e, own float64) {
	e = p.x[i*p.m+j]
	v := p.own[p.o.Collection.dataset(i)]
	for k := range p.r {
		e -= p.w[i*p.r+k] * (p.h[k*p.m+j] + v[k*p.m+j])
		own += p.w[i*p.r+k] * v[k*p.m+j]
	}
	return e, own
}

// objective is the sum over all entries, and the penalties.
func (p *plainCollection) objective() (sum float64) {
	c := p.o.Collection
	for i := range p.n {
		for j := range p.m {
			if e, own := p.residual(i, j); p.known(i, j) {
				sum += c.weight(c.dataset(i)) * (e*e + c.OwnPenalty*own*own)
			}
		}
	}
	w, h := penaltiesOf(p.o.Penalties, p.n, p.m)
	return sum + 2*(w.value(p.w)+h.value(p.h))
}

// minimum moves one entry to the minimum of the objective, from its slope and curvature.
func minimum(z *float64, slope, curvature float64) { *z = max(denominator, *z+slope/curvature) }

// step moves every entry of H, then of V, then of W.
func (p *plainCollection) step(iteration int) {
	c := p.o.Collection
	penaltyW, penaltyH := penaltiesOf(p.o.Penalties, p.n, p.m)
	for j := range p.m {
		for k := range p.r {
			z := &p.h[k*p.m+j]
			slope, curvature := -penaltyH.l1-penaltyH.l2**z, penaltyH.l2
			for i := range p.n {
				if w := p.w[i*p.r+k]; p.known(i, j) {
					e, _ := p.residual(i, j)
					slope += c.weight(c.dataset(i)) * w * e
					curvature += c.weight(c.dataset(i)) * w * w
				}
			}
			minimum(z, slope, curvature)
		}
		for d, v := range p.own {
			for k := range p.r {
				if c.Datasets == nil || iteration <= c.Hold {
					continue
				}
				var slope, curvature float64
				for i := range p.n {
					if w := p.w[i*p.r+k]; c.dataset(i) == d && p.known(i, j) {
						e, own := p.residual(i, j)
						slope += w * (e - c.OwnPenalty*own)
						curvature += (1 + c.OwnPenalty) * w * w
					}
				}
				minimum(&v[k*p.m+j], slope, curvature)
			}
		}
	}
	for i := range p.n {
		v, weight := p.own[c.dataset(i)], c.weight(c.dataset(i))
		for k := range p.r {
			z := &p.w[i*p.r+k]
			slope, curvature := (-penaltyW.l1-penaltyW.l2**z)/weight, penaltyW.l2/weight
			for j := range p.m {
				if p.known(i, j) {
					e, own := p.residual(i, j)
					a, b := p.h[k*p.m+j]+v[k*p.m+j], v[k*p.m+j]
					slope += a*e - c.OwnPenalty*b*own
					curvature += a*a + c.OwnPenalty*b*b
				}
			}
			minimum(z, slope, curvature)
		}
	}
}

// knownBlocks are data with zeros in the blocks that samples lack.
func knownBlocks(d Data, c *Collection) Data {
	d.Dense = slices.Clone(d.Dense)
	for at := range d.Dense {
		if i, j := at/d.Cols, at%d.Cols; c.Blocks != nil && !c.Has(i, int(c.Blocks[j])) {
			d.Dense[at] = 0
		}
	}
	return d
}

// Coordinate descent for a collection takes the steps of its definition, from dense and sparse data, with the same bits
// for any number of threads; its trace is the objective, which never rises with several sweeps either.
func TestCollectionFollowsItsDefinition(t *testing.T) {
	const n, m, r = 61, 23, 3
	w, h := uniformFactors(n, m, r, 8)
	for name, o := range collectionCases() {
		t.Run(name, func(t *testing.T) {
			d := knownBlocks(lowRankData(n, m, r, 5), o.Collection)
			o.Rank, o.Solver, o.Init, o.W, o.H, o.Iterations, o.TraceEvery, o.Sweeps, o.Normalize = r, HALS, Given, w, h, 6, 1, 1, Never
			want := newPlainCollection(d, o)
			objectives := []float64{want.objective()}
			for iteration := range o.Iterations {
				want.step(iteration + 1)
				objectives = append(objectives, want.objective())
			}
			for what, data := range map[string]Data{"dense": d, "sparse": Sparse(compressed(t, n, m, d.Dense))} {
				o.Threads = 1
				got := factorize(t, data, o)
				closeTo(t, what+" W", got.W, want.w, 1e-8)
				closeTo(t, what+" H", got.H, want.h, 1e-8)
				if o.Collection.own() {
					closeTo(t, what+" V", got.Own, slices.Concat(want.own...), 1e-8)
				}
				for at, p := range got.Trace {
					if math.Abs(p.Objective-objectives[at]) > 1e-9*objectives[0] {
						t.Errorf("%s: after %d steps the objective is %v, by definition %v", what, at, p.Objective, objectives[at])
					}
				}
				more := o
				more.Iterations, more.Sweeps = 60, 0
				one := factorize(t, data, more)
				more.Threads = 3
				three := factorize(t, data, more)
				if !slices.Equal(one.W, three.W) || !slices.Equal(one.H, three.H) || !slices.Equal(one.Own, three.Own) {
					t.Errorf("%s: three threads find other bits than one", what)
				}
				for at := 1; at < len(one.Trace); at++ {
					if before, now := one.Trace[at-1].Objective, one.Trace[at].Objective; now > before*(1+1e-12) {
						t.Errorf("%s: step %d raises the objective from %v to %v", what, at, before, now)
					}
				}
			}
		})
	}
}

// A collection that says nothing has the factors of plain coordinate descent.
func TestCollectionOfOneMatrix(t *testing.T) {
	d := lowRankData(61, 23, 3, 5)
	o := Options{Rank: 3, Solver: HALS, Iterations: 30, Sweeps: 2}
	want := factorize(t, d, o)
	o.Collection = &Collection{}
	got := factorize(t, d, o)
	closeTo(t, "W", got.W, want.W, 1e-8)
	closeTo(t, "H", got.H, want.H, 1e-8)
}

// Blocks that samples lack have the minimum that weights of 0 have.
func TestMissingBlocksAreWeights(t *testing.T) {
	o := collectionCases()["missing blocks"]
	c := o.Collection
	d := knownBlocks(lowRankData(61, 23, 3, 5), c)
	w, h := uniformFactors(61, 23, 3, 8)
	o.Rank, o.Solver, o.Init, o.W, o.H, o.Iterations, o.Normalize = 3, HALS, Given, w, h, 300, Never
	got := factorize(t, d, o)
	d.Weights.Dense = make([]float64, len(d.Dense))
	for at := range d.Dense {
		if c.Has(at/d.Cols, int(c.Blocks[at%d.Cols])) {
			d.Weights.Dense[at] = 1
		}
	}
	o.Collection = nil
	want := factorize(t, d, o)
	last := func(r *Result) float64 { return r.Trace[len(r.Trace)-1].Residual }
	if math.Abs(last(got)-last(want)) > 1e-3 {
		t.Errorf("the error is %v, with weights %v", last(got), last(want))
	}
}

// Of two datasets with the same three components, and two more each in its own columns, the shared ones are found in H and the
// others in V; the rule of the change stops the fit.
func TestIntegrativeFindsSharedComponents(t *testing.T) {
	const n, m, r = 200, 40, 3
	random := blas.NewStream(3)
	h, own := make([]float64, r*m), [2][]float64{make([]float64, r*m), make([]float64, r*m)}
	for k := range r {
		for j := k * 10; j < k*10+10; j++ {
			h[k*m+j] = 0.5 + random.Uniform()
		}
		for d := range own {
			for j := 30 + 5*d; j < 35+5*d; j++ {
				own[d][k*m+j] = 0.6 * random.Uniform() // which dataset d adds
			}
		}
	}
	x, sets := make([]float64, n*m), make([]int32, n)
	for i := range n {
		sets[i] = int32(i % 2)
		for k := range r {
			w := random.Uniform()
			for j := range m {
				x[i*m+j] += w * (h[k*m+j] + own[sets[i]][k*m+j])
			}
		}
	}
	got := factorize(t, Dense(n, m, x), Options{Rank: r, Solver: HALS, Iterations: 2000, Tolerance: 1e-5, Collection: &Collection{Datasets: sets, OwnPenalty: 1}})
	if !got.Converged {
		t.Errorf("no convergence in %d iterations", got.Iterations)
	}
	for k := range r {
		best := 0.0
		for l := range r {
			a, b := h[k*m:k*m+30], got.H[l*m:l*m+30]
			best = max(best, blas.Dot(a, b)/math.Sqrt(blas.Dot(a, a)*blas.Dot(b, b)))
		}
		if best < 0.98 {
			t.Errorf("the cosine of shared component %d to the nearest found is %v", k, best)
		}
	}
	for d := range own {
		v := got.Own[d*r*m : (d+1)*r*m]
		var inside, outside float64
		for at, z := range v {
			if j := at % m; j >= 30+5*d && j < 35+5*d {
				inside += z * z
			} else {
				outside += z * z
			}
		}
		if !(inside > 5*outside) {
			t.Errorf("dataset %d: %v of its own part is in its columns, %v in others", d, inside, outside)
		}
	}
}

func TestCollectionRefusals(t *testing.T) {
	d := lowRankData(6, 4, 2, 5)
	three := []int32{0, 0, 1, 1, 2, 2}
	for words, o := range map[string]Options{
		"solver hals":                         {Collection: &Collection{Datasets: three}, Solver: Multiplicative},
		"for loss frobenius":                  {Collection: &Collection{Datasets: three}, Loss: KL},
		"no extrapolation":                    {Collection: &Collection{Datasets: three}, Extrapolate: true},
		"no fixed factor":                     {Collection: &Collection{Datasets: three}, Fixed: WFixed, Init: Given, W: make([]float64, 12)},
		"datasets of 2 samples":               {Collection: &Collection{Datasets: three[:2]}},
		"dataset 1 has no sample":             {Collection: &Collection{Datasets: []int32{0, 0, 2, 2, 2, 2}}},
		"2 weights of 3 datasets":             {Collection: &Collection{Datasets: three, Weights: []float64{1, 1}}},
		"weight of dataset 1 is 0":            {Collection: &Collection{Datasets: three, Weights: []float64{1, 0, 1}}},
		"penalty of the own parts":            {Collection: &Collection{Datasets: three, OwnPenalty: math.NaN()}},
		"label -1":                            {Collection: &Collection{Datasets: []int32{0, 0, 0, 0, 0, -1}}},
		"pattern 0 has 1 blocks":              {Collection: &Collection{Blocks: []int32{0, 0, 1, 1}, Patterns: [][]bool{{true}}, Pattern: make([]int32, 6)}},
		"row 1 (counting from 1) lacks every": {Collection: &Collection{Blocks: []int32{0, 0, 1, 1}, Patterns: [][]bool{{false, false}}, Pattern: make([]int32, 6)}},
		"no sample has block 1":               {Collection: &Collection{Blocks: []int32{0, 0, 1, 1}, Patterns: [][]bool{{true, false}}, Pattern: make([]int32, 6)}},
		"in a block that the sample lacks":    {Collection: &Collection{Blocks: []int32{0, 0, 1, 1}, Patterns: [][]bool{{true, false}, {true, true}}, Pattern: three[:0:0]}},
	} {
		o.Rank = 2
		setDefault(&o.Solver, HALS)
		if p := o.Collection.Pattern; p != nil && len(p) == 0 {
			o.Collection.Pattern = []int32{0, 1, 1, 1, 1, 1}
		}
		must.Refuse(t, words)(Factorize(context.Background(), d, o))
	}
}
