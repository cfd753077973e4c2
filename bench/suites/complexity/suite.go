// Package complexity is the suite that holds each paper's statements on complexity to
// exponents fitted to running times.
package complexity

import (
	"context"
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/internal/draw"
)

// Suite fits exponents to what the papers say of cost.
var Suite = bench.Suite{
	Name:  "complexity",
	Title: "The papers' statements on complexity, against fitted exponents",
	About: `One size grows and all others stay, on generated data and on one thread: samples, columns, neighbours, components. A step of an
iteration is timed within one run, and the least of some steps counts, in processor time; of NEML the phase that finds the weights counts. Next to each
time is the error of what was computed in it: of a multiplicative step, the relative distance from the same step by plain loops; of
a projection, how far it is from the conditions of its optimum; of a pass of SMRMF, how far the indicators are from orthonormal; of
NEML, the residual of the eigenpairs.

An exponent is the slope of least squares in log–log over all sizes of a curve (two to a doubling, four at least), with its confidence interval of 95 %
by Student's t. A stated order is an upper bound. The rule was fixed before the first run: it reproduces where the upper end of the
interval is at most the order + 0.15, in part where the slope is and the end is not, and does not reproduce where the slope is not. A target of
this project is reached where the upper end is within the same distance.

SMRMF's paper states cubic costs for Z and C, which its plain search for thresholds takes; ours finds the same points without a cubic step,
which is a target of its own. Where a paper writes its steps as formulas and prints no order, the order follows from the formulas, and the
claim says so. An order is of operations: where data leave a cache between two sizes, the time of an entry rises there, and the exponent
with it. The count of O(k(K − k)/2) candidates of LNP is taken by the suite lnp. Logarithms count as nothing in an exponent.`,
	Speed:    true,
	Cases:    allCases,
	Claims:   claims(),
	Sections: sections,
}

// sweep is one cost over sizes of one kind, the others staying as they are.
type sweep struct {
	key, title string
	size       string // the letter of what grows
	sizes      []int
	quick      int // the largest size of the quick version
	data       string
	method     string
	params     map[string]any // what stays
	error      bench.Accuracy
	memory     func(size int) int64 // bytes that it takes; nil: little
	run        func(ctx context.Context, size int) (*bench.Outcome, error)
}

// sweeps lists them, paper by paper.
func sweeps() []*sweep {
	return []*sweep{
		&weightsBySamples, &weightsByNeighbors,
		&robustBySamples, &robustByColumns, &robustByRank,
		&encodings, &balls, &selectivePasses, &fastPasses,
		&denseByOrder, &denseByColumns, &sparseBySamples,
	}
}

func (s *sweep) caseName(size int) string { return fmt.Sprintf("%s/%s=%d", s.key, s.size, size) }

func allCases(*bench.Env) []bench.Case {
	var cases []bench.Case
	for _, s := range sweeps() {
		for _, size := range s.sizes {
			cases = append(cases, s.newCase(size))
		}
	}
	return cases
}

func (s *sweep) newCase(size int) bench.Case {
	c := bench.Case{
		Name: s.caseName(size), Data: s.data, Method: s.method, Threads: 1, Full: size > s.quick,
		Params: map[string]any{s.size: size}, Accuracy: []bench.Accuracy{s.error},
		Run: func(ctx context.Context, _ *bench.Env, _ *bench.Case) (*bench.Outcome, error) {
			return s.run(ctx, size)
		},
	}
	for key, v := range s.params {
		c.Params[key] = v
	}
	if s.memory != nil {
		if bytes := s.memory(size); bytes > 1<<28 {
			c.Needs = []string{fmt.Sprintf("memory:%.1fGiB", float64(bytes)/(1<<30))}
		}
	}
	return c
}

// grown reads the curve of a sweep from the records, by ascending size.
func (s *sweep) grown(r *bench.Records) (sizes, seconds []float64, cases []string) {
	for _, size := range s.sizes {
		name := s.caseName(size)
		if v, found := r.CPU(name); found {
			sizes, seconds, cases = append(sizes, float64(size)), append(seconds, v), append(cases, name)
		}
	}
	return sizes, seconds, cases
}

// minSizes is how many sizes a fit takes at least.
const minSizes = 4

// exponent is fitted to all sizes of a curve.
func exponent(sizes, seconds []float64) (e bench.Exponent, ok bool) {
	if len(sizes) < minSizes {
		return e, false
	}
	return bench.FitExponent(sizes, seconds, len(sizes))
}

// slack is how far an exponent may be above the order that is stated: because of caches and the
// other work of an iteration no two sizes are the same.
const slack = 0.15

// order is a statement on the growth of one or more costs.
type order struct {
	name, source, statement, paper string
	power                          float64
	sweeps                         []*sweep
}

var orders = []order{
	{"neml-samples", papers.NEML + ", cost of the algorithm", "The weights of NEML are found sample by sample: their cost grows no faster than N.", "O(N k³)", 1, []*sweep{&weightsBySamples}},
	{"neml-neighbors", papers.NEML + ", cost of the algorithm", "The weights of NEML cost O(k³) a sample.", "O(N k³)", 3, []*sweep{&weightsByNeighbors}},
	{"rnpa-samples", papers.RNPA + ", Algorithm 1", "The cost of an iteration of LP-RNA grows no faster than the number of samples.", "O(mNr), the products of eqs 10 and 13", 1, []*sweep{&robustBySamples}},
	{"rnpa-columns", papers.RNPA + ", Algorithm 1", "The cost of an iteration of LP-RNA grows no faster than the number of columns.", "O(mNr), the products of eqs 10 and 13", 1, []*sweep{&robustByColumns}},
	{"rnpa-rank", papers.RNPA + ", Algorithm 1", "The cost of an iteration of LP-RNA grows no faster than the number of components.", "O(mNr), the products of eqs 10 and 13", 1, []*sweep{&robustByRank}},
	{"smrmf-z", papers.SMRMF + ", eq. 5.18 and cost of the algorithm", "The encoding Z costs O(n³) a pass.", "O(n³)", 3, []*sweep{&encodings}},
	{"smrmf-c", papers.SMRMF + ", cost of the algorithm", "C, the nearest matrix of bounded rows, costs O(n² log n + n³) a pass.", "O(n² log n + n³)", 3, []*sweep{&balls}},
	{"smrmf-pass", papers.SMRMF + ", cost of the algorithm", "A pass of SMRMF, and of f-SMRMF, costs no more than these: O(n³).", "O(n² log n + n³)", 3, []*sweep{&selectivePasses, &fastPasses}},
	{"rule-order", papers.Nonnegative + ", eq. 12", "A step of the multiplicative rule takes two products of an n × n matrix with P columns: it grows no faster than n².", "O(n²P) by the formula; no order is printed", 2, []*sweep{&denseByOrder}},
	{"rule-columns", papers.Nonnegative + ", eq. 12", "A step of the multiplicative rule grows no faster than the number of columns P, as long as that is small compared with n.", "O(n²P) by the formula; no order is printed", 1, []*sweep{&denseByColumns}},
	{"rule-sparse", papers.Nonnegative + ", eq. 9", "On the Laplacian of a graph of neighbours a step of the multiplicative rule grows no faster than N.", "O(kNP) by the formula; no order is printed", 1, []*sweep{&sparseBySamples}},
	{"smrmf-square", "orthant, after " + papers.SMRMF, "Z, C and whole passes of SMRMF and f-SMRMF take no cubic step.", "O(n²)", 2, []*sweep{&encodings, &balls, &selectivePasses, &fastPasses}},
}

func claims() []bench.Claim {
	var list []bench.Claim
	for _, o := range orders {
		list = append(list, bench.Claim{Name: o.name, Source: o.source, Statement: o.statement, Paper: o.paper, Check: o.check})
	}
	return list
}

func (o order) own() bool { return strings.HasPrefix(o.source, "orthant") }

// check judges the exponents of all sweeps: the worst verdict is the verdict of the claim.
func (o order) check(r *bench.Records) bench.Finding {
	var texts, why, all []string
	unsure, above, lower := false, false, 0
	for _, s := range o.sweeps {
		sizes, seconds, cases := s.grown(r)
		e, ok := exponent(sizes, seconds)
		if !ok {
			return s.unfit(r)
		}
		all = append(all, cases...)
		texts = append(texts, o.text(s, e))
		switch limit := o.power + slack; {
		case e.Slope > limit:
			above = true
			why = append(why, fmt.Sprintf("%s: %.2f is above %.2f", s.title, e.Slope, limit))
		case e.High() > limit:
			unsure = true
			why = append(why, fmt.Sprintf("%s: the interval reaches %.2f, beyond %.2f", s.title, e.High(), limit))
		case e.High() <= limit-1:
			lower++
		}
	}
	if lower == len(o.sweeps) {
		why = append(why, "ours is of a lower order than is stated")
	}
	f, ready := r.Sound(all...)
	if !ready {
		return f
	}
	short := r.Shortfalls(all...)
	f.Ours, f.Why = strings.Join(texts, "; "), strings.Join(append(why, short...), "; ")
	switch {
	case o.own():
		f.Verdict = bench.TargetReached
		if above || unsure || len(short) > 0 {
			f.Verdict = bench.TargetMissed
		}
	case above || len(short) > 0:
		f.Verdict = bench.DoesNot
	case unsure:
		f.Verdict = bench.PartlyHolds
	default:
		f.Verdict = bench.Reproduces
	}
	return f
}

// text writes an exponent, with what it is of where the claim is about several.
func (o order) text(s *sweep, e bench.Exponent) string {
	if len(o.sweeps) == 1 {
		return fmt.Sprintf("exponent of %s: %v", s.size, e)
	}
	return fmt.Sprintf("%s, exponent of %s: %v", s.title, s.size, e)
}

// unfit says why a sweep has too few sizes for a fit.
func (s *sweep) unfit(r *bench.Records) bench.Finding {
	var names []string
	for _, size := range s.sizes {
		names = append(names, s.caseName(size))
	}
	if f, ready := r.Unready(names...); !ready {
		return f
	}
	return bench.Finding{Verdict: bench.CannotCheck, Why: fmt.Sprintf("%s: too few sizes have a time for a fit", s.title), Cases: names}
}

// sections shows every fit with its order, and the curves that it was made to.
func sections(r *bench.Records) []bench.Section {
	table := &bench.Table{Columns: []string{"what is timed", "grows", "fitted exponent", "stated order at most", "largest size", "CPU and error there"}}
	plot := &bench.Plot{XLabel: "N, n, m, k, r or P", YLabel: "processor seconds", LogX: true, LogY: true}
	for _, s := range sweeps() {
		sizes, seconds, cases := s.grown(r)
		if len(cases) == 0 {
			continue
		}
		last := cases[len(cases)-1]
		name := fmt.Sprintf("%s, by %s", s.title, s.size)
		fit := bench.Cell{Text: fmt.Sprintf("takes %d sizes", minSizes), Case: last, Mark: bench.Absent}
		if e, ok := exponent(sizes, seconds); ok {
			fit = bench.Cell{Text: e.String(), Case: last}
			name += " ∝ " + s.size + draw.Superscript(fmt.Sprintf("%.2f", e.Slope))
		}
		table.Rows = append(table.Rows, []bench.Cell{
			bench.PlainCell(s.title), bench.PlainCell(s.size), fit, bench.PaperCell(fmt.Sprint(s.stated())),
			bench.PlainCell(draw.Number(sizes[len(sizes)-1], 7)), r.TimedCell(last, "total"),
		})
		plot.Curves = append(plot.Curves, bench.Curve{Name: name, X: sizes, Y: seconds, Cases: cases})
	}
	if len(table.Rows) == 0 {
		return nil
	}
	return []bench.Section{{Title: "Fitted exponents", Table: table}, {Title: "Time against size", Plot: plot}}
}

// stated is the order of a paper's statement on the sweep.
func (s *sweep) stated() float64 {
	for _, o := range orders {
		for _, one := range o.sweeps {
			if one == s {
				return o.power
			}
		}
	}
	return 0
}
