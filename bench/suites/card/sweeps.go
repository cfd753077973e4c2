package card

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// nmfSet is a matrix to factorise, of rank components.
type nmfSet struct {
	name string
	n, m int // of a drawn matrix
	rank int
	file string // of the data folder
}

var nmfSets = []nmfSet{{name: "coil20", rank: 20, file: "coil20.X.npy"}, {name: "4000x2000", n: 4000, m: 2000, rank: 40}}

// load reads or draws the matrix: one of twice the rank, with noise.
func (s *nmfSet) load(e *bench.Env) (*mat.Dense, error) {
	if s.file != "" {
		d, err := bench.FromFile(s.file).Load(e)
		if err != nil {
			return nil, err
		}
		return d.X, nil
	}
	random := blas.NewStream(1)
	draw := func(n int) []float64 {
		x := make([]float64, n)
		random.Uniforms(x)
		return x
	}
	x := draw(s.n * s.m)
	blas.MustSelect("").Gemm(false, false, s.n, s.m, 2*s.rank, 1, draw(s.n*2*s.rank), 2*s.rank, draw(2*s.rank*s.m), s.m, 0.3, x, s.m)
	return mat.NewDense(s.n, s.m, x), nil
}

// starts are the seeds from which both sides begin: the way to an error depends on them.
var starts = []uint64{1, 2}

// start draws the factors from which both sides begin.
func (s *nmfSet) start(x *mat.Dense, seed uint64) (w, h *mat.Dense) {
	n, m := x.Dims()
	w, h = mat.NewDense(n, s.rank, nil), mat.NewDense(s.rank, m, nil)
	random := blas.NewStream(seed)
	random.Uniforms(w.RawMatrix().Data)
	random.Uniforms(h.RawMatrix().Data)
	return w, h
}

func (s *nmfSet) needs() []string {
	if s.file == "" {
		return nil
	}
	return []string{"data:" + s.file}
}

// A sweep of multiplicative updates is measured between these two.
const fewSweeps, manySweeps = 5, 25

// losses of the multiplicative updates, with scikit-learn's names.
var losses = []struct {
	name string
	loss *nmf.Loss
}{{"frobenius", nmf.Frobenius}, {"kullback-leibler", nmf.KL}}

// descent is an error to be reached: the error of coordinate descent after this many sweeps.
type descent struct {
	sweeps int
	start  uint64
}

func descents() (list []descent) {
	for _, sweeps := range []int{20, 200} {
		for _, start := range starts {
			list = append(list, descent{sweeps, start})
		}
	}
	return list
}

// The two kinds of comparison, for one set.
func (s *nmfSet) sweepGroup(loss string) string { return "nmf/" + s.name + "/sweep/" + loss }
func (s *nmfSet) descentGroup(sweeps int, start uint64) string {
	return fmt.Sprintf("nmf/%s/error-of-%d-sweeps/start=%d", s.name, sweeps, start)
}

func sweepCases() []bench.Case {
	var list []bench.Case
	for i := range nmfSets {
		s := &nmfSets[i]
		add := func(group, side, method string, params map[string]any, accuracy bench.Accuracy, run func(context.Context, *bench.Env) (*bench.Outcome, error)) {
			params["rank"] = s.rank
			list = append(list, bench.Case{
				Name: group + side, Group: group, Data: s.name, Method: method, Params: params, Accuracy: []bench.Accuracy{accuracy},
				Needs: append(s.needs(), "peer:sklearn"), Full: s.file == "" || group != s.sweepGroup(losses[0].name) && group != s.descentGroup(descents()[0].sweeps, starts[0]),
				Run: func(ctx context.Context, e *bench.Env, _ *bench.Case) (*bench.Outcome, error) { return run(ctx, e) },
			})
		}
		shown := bench.Reported("reconstruction")
		for _, l := range losses {
			group := s.sweepGroup(l.name)
			params := func() map[string]any { return map[string]any{"sweeps": []int{fewSweeps, manySweeps}, "loss": l.name} }
			add(group, oursSide, "nmf", params(), shown.Against(group+sklearnSide, bench.MaxErrorRatio), func(ctx context.Context, e *bench.Env) (*bench.Outcome, error) { return s.ourSweep(ctx, e, l.loss) })
			add(group, sklearnSide, "scikit-learn nmf-mu", params(), shown, func(ctx context.Context, e *bench.Env) (*bench.Outcome, error) {
				return s.theirs(ctx, e, starts[0], "mu", l.name, fewSweeps, manySweeps)
			})
		}
		for _, d := range descents() {
			sweeps, start := d.sweeps, d.start
			group := s.descentGroup(sweeps, start)
			for _, extrapolate := range []bool{false, true} {
				side := "/hals" + oursSide
				if extrapolate {
					side = "/hals-extrapolated" + oursSide
				}
				add(group, side, "nmf", map[string]any{"solver": "hals", "extrapolate": extrapolate, "sweeps": sweeps, "start": start}, shown.Against(group+sklearnSide, 1.001),
					func(ctx context.Context, e *bench.Env) (*bench.Outcome, error) {
						return s.ourDescent(ctx, e, extrapolate, sweeps, start)
					})
			}
			add(group, sklearnSide, "scikit-learn nmf-cd", map[string]any{"sweeps": sweeps, "start": start}, shown, func(ctx context.Context, e *bench.Env) (*bench.Outcome, error) {
				return s.theirs(ctx, e, start, "cd", "frobenius", sweeps)
			})
		}
	}
	return list
}

// theirs runs scikit-learn for this many sweeps; for two numbers of sweeps the time is
// the time of one sweep between them.
func (s *nmfSet) theirs(ctx context.Context, e *bench.Env, start uint64, solver, loss string, sweeps ...int) (*bench.Outcome, error) {
	x, err := s.load(e)
	if err != nil {
		return nil, err
	}
	dir, remove, err := e.Folder()
	if err != nil {
		return nil, err
	}
	defer remove()
	w, h := s.start(x, start)
	paths := map[string]*mat.Dense{"x": x, "w": w, "h": h}
	for name, m := range paths {
		if err := bench.SaveMatrix(filepath.Join(dir, name+".npy"), m); err != nil {
			return nil, err
		}
	}
	p, err := bench.CallPeer(ctx, dir, bench.PeerCall{Method: "nmf-sweeps", In: filepath.Join(dir, "x.npy"), Threads: 1, Params: map[string]any{
		"rank": s.rank, "solver": solver, "loss": loss, "sweeps": sweeps, "runs": 1, "init_w": filepath.Join(dir, "w.npy"), "init_h": filepath.Join(dir, "h.npy")}})
	if err != nil {
		return nil, err
	}
	out := s.outcome(x, p.Quality[fmt.Sprintf("seconds-%d", sweeps[len(sweeps)-1])])
	if len(sweeps) == 2 {
		out = s.outcome(x, (p.Quality[fmt.Sprintf("seconds-%d", sweeps[1])]-p.Quality[fmt.Sprintf("seconds-%d", sweeps[0])])/float64(sweeps[1]-sweeps[0]))
	}
	out.Backend, out.Quality["reconstruction"] = p.Version, p.Quality[fmt.Sprintf("error-%d", sweeps[len(sweeps)-1])]
	return out, nil
}

func (s *nmfSet) outcome(x *mat.Dense, cpu float64) *bench.Outcome {
	n, m := x.Dims()
	return &bench.Outcome{Seconds: engine.Seconds{"total": cpu}, CPUSeconds: engine.Seconds{"total": cpu}, Samples: n, Features: m, Quality: map[string]float64{}}
}

// factorize runs ours from the start to its end, and says what it took and left.
func (s *nmfSet) factorize(ctx context.Context, x *mat.Dense, start uint64, o nmf.Options) (r *nmf.Result, cpu, reconstruction float64, err error) {
	n, m := x.Dims()
	w, h := s.start(x, start)
	o.Rank, o.Threads, o.Normalize, o.Init, o.W, o.H = s.rank, 1, nmf.Never, nmf.Given, w.RawMatrix().Data, h.RawMatrix().Data
	begun, _ := bench.ProcessorSeconds()
	if r, err = nmf.Factorize(ctx, nmf.Dense(n, m, x.RawMatrix().Data), o); err != nil {
		return nil, 0, 0, err
	}
	ended, _ := bench.ProcessorSeconds()
	rest := mat.DenseCopyOf(x)
	blas.MustSelect("").Gemm(false, false, n, m, s.rank, -1, r.W, s.rank, r.H, m, 1, rest.RawMatrix().Data, m)
	return r, ended - begun, mat.Norm(rest, 2) / mat.Norm(x, 2), nil
}

func (s *nmfSet) ourSweep(ctx context.Context, e *bench.Env, loss *nmf.Loss) (*bench.Outcome, error) {
	x, err := s.load(e)
	if err != nil {
		return nil, err
	}
	o := nmf.Options{Loss: loss, TraceEvery: manySweeps, Iterations: fewSweeps}
	_, few, _, err := s.factorize(ctx, x, starts[0], o)
	if err != nil {
		return nil, err
	}
	o.Iterations = manySweeps
	_, many, reconstruction, err := s.factorize(ctx, x, starts[0], o)
	if err != nil {
		return nil, err
	}
	out := s.outcome(x, (many-few)/(manySweeps-fewSweeps))
	out.Quality["reconstruction"] = reconstruction
	return out, nil
}

// aims are the errors to be reached, by set and sweeps: they are the same every time.
var aims sync.Map

// aim is the error that scikit-learn's coordinate descent has after this many sweeps.
func (s *nmfSet) aim(ctx context.Context, e *bench.Env, sweeps int, start uint64) (float64, error) {
	key := s.descentGroup(sweeps, start)
	if known, found := aims.Load(key); found {
		return known.(float64), nil
	}
	out, err := s.theirs(ctx, e, start, "cd", "frobenius", sweeps)
	if err != nil {
		return 0, err
	}
	aims.Store(key, out.Quality["reconstruction"])
	return out.Quality["reconstruction"], nil
}

// ourDescent ends at the error of scikit-learn's coordinate descent.
func (s *nmfSet) ourDescent(ctx context.Context, e *bench.Env, extrapolate bool, sweeps int, start uint64) (*bench.Outcome, error) {
	x, err := s.load(e)
	if err != nil {
		return nil, err
	}
	aim, err := s.aim(ctx, e, sweeps, start)
	if err != nil {
		return nil, err
	}
	o := nmf.Options{Solver: nmf.HALS, Extrapolate: extrapolate, Iterations: 10 * sweeps, TraceEvery: 1}
	if extrapolate { // the error then costs products of its own
		o.TraceEvery = 5
	}
	squares := math.Pow(aim*mat.Norm(x, 2), 2)
	o.Watch = func(p nmf.Point) bool { return p.Objective <= squares }
	r, cpu, reconstruction, err := s.factorize(ctx, x, start, o)
	if err != nil {
		return nil, err
	}
	out := s.outcome(x, cpu)
	out.Quality["reconstruction"], out.Quality["iterations"] = reconstruction, float64(r.Iterations)
	return out, nil
}

// The README's words on factorisations.
const (
	sweepWords   = "a multiplicative sweep takes 1.16 to 1.30 of scikit-learn's time to the same error"
	klWords      = "with the Kullback–Leibler loss 0.37 to 0.83"
	descentWords = "coordinate descent reaches the error of its 20th and 200th sweep in 0.31 to 0.79 and in 0.13 to 0.84 of the time"
	errorWords   = "COIL-20, relative error 0.26 after 200 sweeps, and a dense 4000 × 2000"
)

func sweepClaims() []bench.Claim {
	claim := func(name, words, statement string, most float64, pairs func(s *nmfSet) []pair) bench.Claim {
		return bench.Claim{Name: "readme/" + name, Source: "orthant", Paper: words,
			Statement: statement + fmt.Sprintf(" in at most %g of scikit-learn's time, a tenth more at most.", most),
			Check:     func(r *bench.Records) bench.Finding { return shareOfTime(r, most, pairs) }}
	}
	sweep := func(loss string) func(*nmfSet) []pair {
		return func(s *nmfSet) []pair {
			return []pair{{s.sweepGroup(loss) + oursSide, s.sweepGroup(loss) + sklearnSide}}
		}
	}
	descent := func(sweeps int) func(*nmfSet) []pair {
		return func(s *nmfSet) (list []pair) {
			for _, start := range starts {
				group := s.descentGroup(sweeps, start)
				list = append(list, pair{group + "/hals" + oursSide, group + sklearnSide}, pair{group + "/hals-extrapolated" + oursSide, group + sklearnSide})
			}
			return list
		}
	}
	mu, kl, cd := bench.Figures(sweepWords), bench.Figures(klWords), bench.Figures(descentWords)
	return []bench.Claim{
		claim("nmf-sweep", sweepWords, "A multiplicative sweep for the squared error is done", mu[1], sweep("frobenius")),
		claim("nmf-kl-sweep", klWords, "A multiplicative sweep for the Kullback–Leibler loss is done", kl[1], sweep("kullback-leibler")),
		claim("nmf-20-sweeps", descentWords, "Coordinate descent reaches the error of scikit-learn's 20th sweep, with extrapolation and without,", cd[3], descent(20)),
		claim("nmf-200-sweeps", descentWords, "Coordinate descent reaches the error of scikit-learn's 200th sweep, with extrapolation and without,", cd[5], descent(200)),
		{
			Name: "readme/nmf-error", Source: "orthant", Paper: errorWords,
			Statement: "The error of COIL-20 after 200 sweeps is the README's, to a tenth.",
			Check: func(r *bench.Records) bench.Finding {
				name, printed := nmfSets[0].descentGroup(200, starts[0])+sklearnSide, bench.Figures(errorWords)[1]
				f, ready := r.Unready(name)
				if !ready {
					return f
				}
				v, _ := r.Quality(name, "reconstruction")
				f = bench.TargetFinding(v >= printed*(1-bench.FigureTolerance) && v <= printed*(1+bench.FigureTolerance), bench.ErrorText(v), f.Cases)
				if f.Verdict == bench.TargetMissed {
					f.Why = fmt.Sprintf("not %g", printed)
				}
				return f
			},
		},
	}
}

// pair is a case of ours and one of scikit-learn.
type pair struct{ ours, theirs string }

// shareOfTime judges the largest share of scikit-learn's time over the sets and starts.
func shareOfTime(r *bench.Records, most float64, pairs func(*nmfSet) []pair) bench.Finding {
	var list []pair
	var all, ours, why []string
	for i := range nmfSets {
		list = append(list, pairs(&nmfSets[i])...)
	}
	for _, p := range list {
		all = append(all, p.ours, p.theirs)
	}
	f, ready := r.Sound(all...)
	if !ready {
		return f
	}
	for _, p := range list {
		a, _ := r.CPU(p.ours)
		b, _ := r.CPU(p.theirs)
		what := strings.TrimSuffix(strings.TrimPrefix(p.ours, "nmf/"), oursSide)
		ours = append(ours, fmt.Sprintf("%s %.2f at %s to %s", what, a/b, r.AccuracyCell(p.ours).Text, r.AccuracyCell(p.theirs).Text))
		if !(a <= most*(1+bench.FigureTolerance)*b) {
			why = append(why, fmt.Sprintf("%s takes %.2f of the time", what, a/b))
		}
	}
	return r.SpeedFinding(len(why) == 0, strings.Join(ours, "; "), all, why...)
}

func sweepSections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"matrix", "", "orthant", "scikit-learn", "of its time"}}
	add := func(set, title, ours, theirs string) {
		share := bench.Cell{Text: "–", Mark: bench.Absent}
		a, found := r.CPU(ours)
		if b, both := r.CPU(theirs); found && both && b > 0 {
			share = bench.Cell{Text: fmt.Sprintf("%.2f", a/b), Case: ours}
		}
		t.Rows = append(t.Rows, []bench.Cell{{Text: set}, {Text: title}, r.TimedCell(ours, "total"), r.TimedCell(theirs, "total"), share})
	}
	for i := range nmfSets {
		s := &nmfSets[i]
		for _, l := range losses {
			add(s.name, "a multiplicative sweep, "+l.name, s.sweepGroup(l.name)+oursSide, s.sweepGroup(l.name)+sklearnSide)
		}
		for _, d := range descents() {
			group := s.descentGroup(d.sweeps, d.start)
			for _, way := range []string{"hals", "hals-extrapolated"} {
				add(s.name, fmt.Sprintf("%s to the error of %d sweeps, start %d", way, d.sweeps, d.start), group+"/"+way+oursSide, group+sklearnSide)
			}
		}
	}
	return []bench.Section{{Title: "Factorisations from the same start, one thread", Table: t}}
}
