package smacof

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// points returns n rows of normal numbers.
func points(n, dim int, seed uint64) *mat.Dense {
	y := mat.NewDense(n, dim, nil)
	blas.NewStream(seed).Normals(y.RawMatrix().Data)
	return y
}

// complete returns all distances between rows.
func complete(x *mat.Dense) *Pairs {
	n, _ := x.Dims()
	p := &Pairs{N: n}
	for i := range n {
		for j := i + 1; j < n; j++ {
			p.Delta = append(p.Delta, math.Sqrt(blas.SquaredDistance(x.RawRowView(i), x.RawRowView(j))))
		}
	}
	return p
}

// some returns the pairs that keep says, in lists.
func some(p *Pairs, keep func(i, j int) bool) *Pairs {
	s := &Pairs{N: p.N, Ptr: []int{0}}
	for i := range p.N {
		for j := i + 1; j < p.N; j++ {
			if at := p.begin(i) + j - i - 1; keep(i, j) && p.weight(at) > 0 {
				s.Index, s.Delta = append(s.Index, int32(j)), append(s.Delta, p.Delta[at])
				if p.Weight != nil {
					s.Weight = append(s.Weight, p.Weight[at])
				}
			}
		}
		s.Ptr = append(s.Ptr, len(s.Index))
	}
	return s
}

// weighted gives pairs weights from 0 to 2, one in four of them 0.
func weighted(p *Pairs, seed uint64) *Pairs {
	w := *p
	stream := blas.NewStream(seed)
	for range p.Delta {
		v := stream.Uniform() * 2
		if stream.Below(4) == 0 {
			v = 0
		}
		w.Weight = append(w.Weight, v)
	}
	return &w
}

// rounded makes ties: dissimilarities to a multiple of a step.
func rounded(p *Pairs, step float64) *Pairs {
	r := *p
	r.Delta = slices.Clone(p.Delta)
	for at, v := range r.Delta {
		r.Delta[at] = step * math.Round(v/step)
	}
	return &r
}

// cases are all forms of pairs, with and without ties.
func cases() map[string]*Pairs {
	x := points(24, 5, 3)
	all := complete(x)
	near := func(i, j int) bool { return (i*j+i+j)%3 > 0 }
	return map[string]*Pairs{
		"complete": all, "weighted": weighted(all, 5), "listed": some(all, near), "listed, weighted": some(weighted(all, 6), near),
		"tied": rounded(all, 0.5), "tied, weighted": weighted(rounded(all, 0.5), 5), "tied, listed": some(rounded(all, 0.5), near),
	}
}

// oracle is the definition, written out: the Guttman transform by the pseudo-inverse of V, and monotone regression by its minimax
// formula max over a ≤ k of min over b ≥ k of the mean from a to b.
type oracle struct {
	p       *Pairs
	dim     int
	ties    Ties
	ordinal bool
}

type oraclePair struct {
	i, j              int
	delta, w, d, dhat float64
}

func (o oracle) pairs(x []float64) []oraclePair {
	var list []oraclePair
	o.p.each(func(i, j, at int) {
		list = append(list, oraclePair{i: i, j: j, delta: o.p.Delta[at], w: o.p.weight(at), d: math.Sqrt(blas.SquaredDistance(x[i*o.dim:(i+1)*o.dim], x[j*o.dim:(j+1)*o.dim]))})
	})
	if !o.ordinal {
		for k := range list {
			list[k].dhat = list[k].delta
		}
		return list
	}
	slices.SortStableFunc(list, func(a, b oraclePair) int {
		if c := cmp.Compare(a.delta, b.delta); c != 0 || o.ties == Secondary {
			return c
		}
		return cmp.Compare(a.d, b.d)
	})
	// Items of the regression: pairs, or groups of equal dissimilarities.
	var value, mass []float64
	item := make([]int, len(list))
	for k, q := range list {
		if last := len(value) - 1; o.ties == Secondary && k > 0 && q.delta == list[k-1].delta {
			value[last] = (value[last]*mass[last] + q.w*q.d) / (mass[last] + q.w)
			mass[last] += q.w
		} else {
			value, mass = append(value, q.d), append(mass, q.w)
		}
		item[k] = len(value) - 1
	}
	sum, total := make([]float64, len(value)+1), make([]float64, len(value)+1) // of the items before
	for k, v := range value {
		sum[k+1], total[k+1] = sum[k]+mass[k]*v, total[k]+mass[k]
	}
	fit := make([]float64, len(value))
	for k := range value {
		fit[k] = math.Inf(-1)
		for a := range k + 1 {
			least := math.Inf(1)
			for b := k; b < len(value); b++ {
				least = min(least, (sum[b+1]-sum[a])/(total[b+1]-total[a]))
			}
			fit[k] = max(fit[k], least)
		}
	}
	var of, to float64
	for k := range list {
		list[k].dhat = fit[item[k]]
		of += list[k].w * list[k].dhat * list[k].dhat
		to += list[k].w * list[k].delta * list[k].delta
	}
	for k := range list {
		list[k].dhat *= math.Sqrt(to / of)
	}
	return list
}

// step returns the transform, the stress of x at its best scale relative to Σ w d̂², and that scale.
func (o oracle) step(t *testing.T, x []float64) (g *mat.Dense, stress, scale float64) {
	n := o.p.N
	v, b := mat.NewSymDense(n, nil), mat.NewDense(n, n, nil)
	var dd, td, tt float64
	for _, q := range o.pairs(x) {
		v.SetSym(q.i, q.j, -q.w)
		v.SetSym(q.i, q.i, v.At(q.i, q.i)+q.w)
		v.SetSym(q.j, q.j, v.At(q.j, q.j)+q.w)
		r := q.w * q.dhat / q.d
		b.Set(q.i, q.j, -r)
		b.Set(q.j, q.i, -r)
		b.Set(q.i, q.i, b.At(q.i, q.i)+r)
		b.Set(q.j, q.j, b.At(q.j, q.j)+r)
		dd += q.w * q.d * q.d
		td += q.w * q.d * q.dhat
		tt += q.w * q.dhat * q.dhat
	}
	var e mat.EigenSym
	if !e.Factorize(v, true) {
		t.Fatal("no eigenvalues")
	}
	var u mat.Dense
	e.VectorsTo(&u)
	inverse := mat.NewDense(n, n, nil)
	for k, l := range e.Values(nil) {
		if l > 1e-9 {
			inverse.Add(inverse, outer(1/l, mat.Col(nil, k, &u)))
		}
	}
	var bx mat.Dense
	bx.Mul(b, mat.NewDense(n, o.dim, x))
	g = new(mat.Dense)
	g.Mul(inverse, &bx)
	return g, 1 - td*td/(dd*tt), td / dd
}

func outer(a float64, v []float64) *mat.Dense {
	var m mat.Dense
	m.Outer(a, mat.NewVecDense(len(v), v), mat.NewVecDense(len(v), v))
	return &m
}

// Transforms, stresses and scales are those of the definition, for all forms of pairs, columns and treatments of ties.
func TestTransformIsTheDefinition(t *testing.T) {
	for name, p := range cases() {
		for _, dim := range []int{1, 2, 3, 5} {
			for _, o := range []Options{{}, {NonMetric: true}, {NonMetric: true, Ties: Secondary}} {
				t.Run(fmt.Sprintf("%s in %d, %v %v", name, dim, o.NonMetric, o.Ties), func(t *testing.T) {
					x := points(p.N, dim, 8).RawMatrix().Data
					center(dim, x)
					m := must.Get(newMinimization(context.Background(), p, dim, o))(t)
					g := make([]float64, len(x))
					s := must.Get(m.evaluate(context.Background(), x, g))(t)
					want, stress, scale := oracle{p, dim, o.Ties, o.NonMetric}.step(t, x)
					var diff mat.Dense
					diff.Sub(mat.NewDense(p.N, dim, g), want)
					if d := mat.Norm(&diff, math.Inf(1)) / mat.Norm(want, math.Inf(1)); !(d < 1e-12) {
						t.Errorf("the transform differs by %.1e", d)
					}
					if got := s.stress() / m.square; !(math.Abs(got-stress) < 1e-12) {
						t.Errorf("stress %v, want %v", got, stress)
					}
					if got := s.scale(); !(math.Abs(got-scale) < 1e-12*scale) {
						t.Errorf("scale %v, want %v", got, scale)
					}
				})
			}
		}
	}
}

// The stress never rises, with extrapolation or without; the configuration has the reported stress, which is that of a fixed
// point; and extrapolation saves iterations.
func TestMinimize(t *testing.T) {
	for name, p := range cases() {
		for _, o := range []Options{{}, {NonMetric: true}, {NonMetric: true, Ties: Secondary}} {
			t.Run(fmt.Sprintf("%s, %v %v", name, o.NonMetric, o.Ties), func(t *testing.T) {
				o.Tolerance, o.Iterations = new(1e-10), 20000
				at := map[bool]*Result{}
				for _, plain := range []bool{false, true} {
					o.Plain = plain
					y := points(p.N, 2, 9)
					r := must.Get(Minimize(context.Background(), p, y, o))(t)
					at[plain] = r
					for k := 1; k < len(r.Stress1); k++ {
						if r.Stress1[k] > r.Stress1[k-1] {
							t.Fatalf("stress-1 rises from %v to %v in iteration %d", r.Stress1[k-1], r.Stress1[k], k)
						}
					}
					if !r.Converged || len(r.Stress1) != r.Iterations+1 {
						t.Errorf("%d iterations, %d values, converged: %v", r.Iterations, len(r.Stress1), r.Converged)
					}
					g, stress, scale := oracle{p, 2, o.Ties, o.NonMetric}.step(t, y.RawMatrix().Data)
					last := r.Stress1[len(r.Stress1)-1]
					if !(math.Abs(math.Sqrt(max(stress, 0))-last) < 1e-9) || !(math.Abs(scale-1) < 1e-9) {
						t.Errorf("stress-1 %v at scale %v, reported %v", math.Sqrt(stress), scale, last)
					}
					g.Sub(g, y)
					if d := mat.Norm(g, 2) / mat.Norm(y, 2); !(d < 1e-3) {
						t.Errorf("the transform of the result moves it by %.1e", d)
					}
				}
				if fast, slow := at[false].Iterations, at[true].Iterations; fast > slow+slow/4 {
					t.Errorf("%d iterations with extrapolation, %d without", fast, slow)
				}
			})
		}
	}
}

// Distances in the plane are found again, up to the position, of all pairs, of some and with weights.
func TestMinimizeRecovers(t *testing.T) {
	x := points(40, 2, 1)
	all := complete(x)
	for name, p := range map[string]*Pairs{"complete": all, "weighted": weighted(all, 2), "listed": some(all, func(i, j int) bool { return (i+2*j)%3 > 0 })} {
		y := mat.DenseCopyOf(x)
		y.Add(y, scaled(0.2, points(40, 2, 4)))
		r := must.Get(Minimize(context.Background(), p, y, Options{Iterations: 5000, Tolerance: new(0.0)}))(t)
		if !r.Converged {
			t.Errorf("%s: not converged", name)
		}
		for at, d := range complete(y).Delta {
			if !(math.Abs(d-all.Delta[at]) < 1e-6) {
				t.Fatalf("%s: distance %d is %v, want %v", name, at, d, all.Delta[at])
			}
		}
	}
}

func scaled(f float64, x *mat.Dense) *mat.Dense {
	x.Scale(f, x)
	return x
}

// The order of distances is enough: dissimilarities that are a monotone function of distances have stress 0, and the function is found.
func TestNonMetricRecovers(t *testing.T) {
	x := points(50, 2, 1)
	all := complete(x)
	p := &Pairs{N: 50}
	for _, d := range all.Delta {
		p.Delta = append(p.Delta, math.Exp(2*d))
	}
	y := mat.DenseCopyOf(x)
	y.Add(y, scaled(0.2, points(50, 2, 4)))
	r := must.Get(Minimize(context.Background(), p, y, Options{NonMetric: true, Iterations: 5000}))(t)
	if last := r.Stress1[len(r.Stress1)-1]; !(last < 0.003) {
		t.Errorf("stress-1 %v", last)
	}
	found := complete(y).Delta
	ratio := norm(found) / norm(all.Delta)
	for at, d := range all.Delta {
		if !(math.Abs(found[at]/ratio-d) < 0.05) {
			t.Fatalf("distance %d is %v, want %v", at, found[at]/ratio, d)
		}
		if got := r.Curve.At(p.Delta[at]); !(math.Abs(got-found[at]) < 0.05*ratio) {
			t.Fatalf("the curve gives %v to a distance of %v", got, found[at])
		}
	}
	if !slices.IsSorted(r.Curve.Delta) || !slices.IsSorted(r.Curve.Target) {
		t.Error("the curve is not monotone")
	}
}

func norm(v []float64) float64 { return math.Sqrt(blas.Dot(v, v)) }

func TestCurve(t *testing.T) {
	c := Curve{Delta: []float64{1, 2, 4}, Target: []float64{3, 3, 5}}
	for delta, want := range map[float64]float64{0: 0, 0.5: 1.5, 1: 3, 1.5: 3, 2: 3, 3: 4, 4: 5, 9: 5} {
		if got := c.At(delta); got != want {
			t.Errorf("at %v: %v, want %v", delta, got, want)
		}
	}
	if got := (Curve{}).At(7); got != 7 {
		t.Errorf("without corners: %v", got)
	}
}

func TestSameBitsForAnyThreads(t *testing.T) {
	x := points(150, 4, 2)
	for name, p := range map[string]*Pairs{"complete": complete(x), "weighted": weighted(complete(x), 3), "tied": rounded(complete(x), 0.25)} {
		for _, ordinal := range []bool{false, true} {
			for _, dim := range []int{2, 3} {
				var want *mat.Dense
				for _, threads := range []int{1, 2, 7} {
					y := points(150, dim, 9)
					must.Get(Minimize(context.Background(), p, y, Options{NonMetric: ordinal, Iterations: 20, Threads: threads}))(t)
					if want == nil {
						want = y
					} else if !mat.Equal(y, want) {
						t.Errorf("%s, non-metric %v, %d columns: other bits with %d threads", name, ordinal, dim, threads)
					}
				}
			}
		}
	}
}

// Objects that begin in one place come apart if they differ, and stay together if they are equal.
func TestOnePlace(t *testing.T) {
	p := complete(mat.NewDense(4, 1, []float64{0, 1, 3, 3}))
	y := mat.NewDense(4, 1, nil)
	r := must.Get(Minimize(context.Background(), p, y, Options{}))(t)
	if last := r.Stress1[len(r.Stress1)-1]; !(last < 0.5) || y.At(2, 0) != y.At(3, 0) {
		t.Errorf("stress-1 %v, coordinates %v", last, y.RawMatrix().Data)
	}
	p.Delta = make([]float64, 6)
	if r := must.Get(Minimize(context.Background(), p, points(4, 2, 1), Options{}))(t); !r.Converged || r.Stress1[0] != 0 {
		t.Errorf("all dissimilarities 0: %+v", r)
	}
}

// A new object that has the distances of a place gets that place, with any power of the weights.
func TestAmong(t *testing.T) {
	for _, dim := range []int{1, 2, 3} {
		fixed, x := points(60, dim, 1), points(20, dim, 2)
		var e sparse.Edges
		e.Ptr = []int{0}
		for i := range 20 {
			for j := range 60 {
				e.Index, e.Weight = append(e.Index, int32(j)), append(e.Weight, math.Sqrt(blas.SquaredDistance(x.RawRowView(i), fixed.RawRowView(j))))
			}
			e.Ptr = append(e.Ptr, len(e.Index))
		}
		for _, power := range []float64{0, 1, 2} {
			place := must.Get(Among(fixed, power, 2))(t)
			y := mat.NewDense(20, dim, nil)
			if err := place(context.Background(), e, y); err != nil {
				t.Fatal(err)
			}
			y.Sub(y, x)
			if d := mat.Norm(y, math.Inf(1)); !(d < 1e-5) {
				t.Errorf("%d columns, power %v: off by %v", dim, power, d)
			}
		}
	}
}

func TestRefuses(t *testing.T) {
	ctx := context.Background()
	good := func() *Pairs { return complete(points(4, 2, 1)) }
	with := func(change func(p *Pairs)) *Pairs { p := good(); change(p); return p }
	for words, p := range map[string]*Pairs{
		"0 objects":                       {},
		"5 dissimilarities":               with(func(p *Pairs) { p.Delta = p.Delta[:5] }),
		"the dissimilarity -1":            with(func(p *Pairs) { p.Delta[3] = -1 }),
		"the dissimilarity NaN":           with(func(p *Pairs) { p.Delta[3] = math.NaN() }),
		"the weight +Inf":                 with(func(p *Pairs) { p.Weight = []float64{1, 1, 1, math.Inf(1), 1, 1} }),
		"3 pointers":                      with(func(p *Pairs) { p.Ptr = []int{0, 1, 2} }),
		"0 indices for 6 pairs":           with(func(p *Pairs) { p.Ptr = []int{0, 3, 5, 6, 6} }),
		"row 1 (counting from 0) lists":   with(func(p *Pairs) { p.Ptr, p.Index = []int{0, 3, 5, 6, 6}, []int32{1, 2, 3, 1, 3, 3} }),
		"in 2 groups (the largest of 3)":  {N: 4, Ptr: []int{0, 1, 2, 2, 2}, Index: []int32{1, 2}, Delta: []float64{1, 1}},
		"in 2 groups (the largest of 2),": with(func(p *Pairs) { p.Weight = []float64{1, 0, 0, 0, 0, 1} }),
	} {
		must.Refuse(t, words)(Minimize(ctx, p, points(4, 2, 1), Options{}))
	}
	must.Refuse(t, "5 rows of coordinates for 4 objects")(Minimize(ctx, good(), points(5, 2, 1), Options{}))
	must.Refuse(t, "row 1, column 0")(Minimize(ctx, good(), mat.NewDense(4, 1, []float64{0, math.NaN(), 1, 2}), Options{}))
	must.Refuse(t, "row 1, column 0")(Among(mat.NewDense(4, 1, []float64{0, math.NaN(), 1, 2}), 0, 1))
	place := must.Get(Among(points(3, 2, 1), 1, 1))(t)
	for words, e := range map[string]sparse.Edges{
		"0 lists":         {Ptr: []int{0}},
		"list 0":          {Ptr: []int{0, 0}},
		"object 3 of 3":   {Ptr: []int{0, 1}, Index: []int32{3}, Weight: []float64{1}},
		"dissimilarity 0": {Ptr: []int{0, 1}, Index: []int32{1}, Weight: []float64{0}},
	} {
		if err := place(ctx, e, mat.NewDense(1, 2, nil)); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", words, err)
		}
	}
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := Minimize(cancelled, good(), points(4, 2, 1), Options{}); err != context.Canceled {
		t.Errorf("cancelled: %v", err)
	}
}

func BenchmarkMinimize(b *testing.B) {
	for _, ordinal := range []bool{false, true} {
		for _, dim := range []int{2, 3} {
			b.Run(fmt.Sprintf("nonmetric=%v/dim=%d", ordinal, dim), func(b *testing.B) {
				p := complete(points(2000, 10, 1))
				m := must.Get(newMinimization(context.Background(), p, dim, Options{NonMetric: ordinal}))(b)
				x, g := points(2000, dim, 2).RawMatrix().Data, make([]float64, 2000*dim)
				for b.Loop() {
					must.Get(m.evaluate(context.Background(), x, g))(b)
				}
			})
		}
	}
}
