package complexity

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// slack is how far an exponent may be above the order that is stated: caches and what an
// iteration does besides make no two sizes alike.
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
	{"rule-columns", papers.Nonnegative + ", eq. 12", "A step of the multiplicative rule grows no faster than the number of columns P, as long as that is small beside n.", "O(n²P) by the formula; no order is printed", 1, []*sweep{&denseByColumns}},
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

// check judges the exponents of all sweeps: the worst verdict is that of the claim.
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
