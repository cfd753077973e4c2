package nonnegative

import (
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
)

// The update rules on digits: the paper's against the penalty, and those that
// diverge.

const (
	digitsEach = 50 // of each of ten classes
	digitsDim  = 5
	digitsPCA  = "digits/pca"
	nonppRaw   = "digits/nonpp/update=printed"
	nonppUnit  = "digits/nonpp/update=printed,normalise"
)

// The seeds of the starts, for a maximum and for a minimum.
var (
	npcaStarts = []uint64{1, 2, 3, 4, 5, 6, 7, 8}
	ruleStarts = npcaStarts[:4]
)

// npcaRules are the rules for a maximum, by what they are called.
var npcaRules = []struct {
	name, title string
	set         map[string]string
	reference   [2]string // orthogonality and rounded trace, on other digits
}{
	{"paper", "paper", map[string]string{"update": "paper"}, [2]string{"0.8–1.1", "2.63–2.79"}},
	{"paper-shifted", "paper, σ = 2λ₁", map[string]string{"update": "paper", "sigma": "2"}, [2]string{"0.28–0.32", "2.71–2.80"}},
	{"penalty", "penalty", map[string]string{"update": "penalty"}, [2]string{"0.03", "2.65–2.80"}},
}

// minimizers are the methods that make an alignment small, with the method whose
// eigenvalues bound them and the multiple of the largest eigenvalue that is their
// shift. Those of embeddings have the trivial vector besides.
var minimizers = []struct {
	name, signed string
	margin       float64
	trivial      bool
	reference    [2]string // the paper's rule and the penalty, on other digits
}{
	{"nle", "le", 0, true, [2]string{".033–.040", ".075–.186"}},
	{"nlle", "lle", 1.01, true, [2]string{".011–.015", ".037–.045"}},
	{"nonpp", "onpp", 1.515, false, [2]string{".009–.024", ".009–.030"}},
	{"nolpp", "olpp", 1.515, false, [2]string{"", ""}},
}

func npcaRuleName(rule string, seed uint64) string {
	return fmt.Sprintf("digits/npca/%s/seed=%d", rule, seed)
}

func minimizerName(method, update string, seed uint64) string {
	return fmt.Sprintf("digits/%s/update=%s/seed=%d", method, update, seed)
}

func signedName(method string) string { return "digits/" + method }

// someDigits are the first digits of each class, scaled so that the largest
// eigenvalue of XcᵀXc is 1. They are kept, as they are asked for by many cases.
func someDigits(each int) func(*bench.Env) (*datasets.Set, error) {
	return func(e *bench.Env) (*datasets.Set, error) {
		key := fmt.Sprintf("digits %d scaled %s", each, e.Data)
		d, err := bench.Cached(key, func() (*bench.Data, error) {
			all, err := datasets.Load(e.Data, "usps6000")
			if err != nil {
				return nil, err
			}
			d := (&bench.Data{X: all.X, Labels: all.Labels}).Rows(datasets.FirstOfEach(all.Labels, each))
			var pairs mat.EigenSym
			if !pairs.Factorize(scatter(d.X), false) {
				return nil, fmt.Errorf("the eigenvalues of the digits were not found")
			}
			d.X.Scale(1/math.Sqrt(slices.Max(pairs.Values(nil))), d.X)
			return d, nil
		})
		if err != nil {
			return nil, err
		}
		return &datasets.Set{X: d.X, Labels: d.Labels}, nil
	}
}

// scatter is XcᵀXc.
func scatter(x *mat.Dense) *mat.SymDense {
	n, m := x.Dims()
	centered := mat.DenseCopyOf(x)
	for j := range m {
		column := mat.Col(nil, j, x)
		mean := mat.Sum(mat.NewVecDense(n, column)) / float64(n)
		for i, v := range column {
			centered.Set(i, j, v-mean)
		}
	}
	c := mat.NewSymDense(m, nil)
	c.SymOuterK(1, centered.T())
	return c
}

// onDigits makes a case on digits of an embedded one.
func onDigits(x bench.SetEmbedding, each int) bench.Case {
	x.Data, x.Load = fmt.Sprintf("usps6000, the first %d of each class, scaled", each), someDigits(each)
	c := x.Case()
	c.Needs = append(bench.SelectionNeeds("usps6000"), "method:"+x.Method)
	return c
}

func ruleCases() []bench.Case {
	sumOf := func(_ context.Context, _ *datasets.Set, r *engine.Result, out *bench.Outcome) error {
		for _, v := range r.Values {
			out.Quality["sum"] += v
		}
		if r.Method == "pca" {
			out.Quality["sum"] *= float64(r.Samples - 1) // of XcᵀXc, not of the covariance
		}
		return nil
	}
	cases := []bench.Case{
		onDigits(bench.SetEmbedding{Name: digitsPCA, Method: "pca", Set: map[string]string{"dim": fmt.Sprint(digitsDim)}, Measure: sumOf}, digitsEach),
		stepsCase("paper"), stepsCase("penalty"),
	}
	for _, rule := range npcaRules {
		for _, seed := range npcaStarts {
			set := map[string]string{"dim": fmt.Sprint(digitsDim), "round": "true"}
			for key, text := range rule.set {
				set[key] = text
			}
			cases = append(cases, onDigits(bench.SetEmbedding{Name: npcaRuleName(rule.name, seed), Method: "npca", Seed: seed, Set: set, Measure: measureRounded}, digitsEach))
		}
	}
	for _, m := range minimizers {
		dim := digitsDim
		if m.trivial {
			dim--
		}
		set := map[string]string{"dim": fmt.Sprint(dim)}
		if m.signed == "le" {
			set["weights"] = "heat"
		}
		cases = append(cases, onDigits(bench.SetEmbedding{Name: signedName(m.signed), Method: m.signed, Set: set, Measure: sumOf}, digitsEach))
		for _, update := range []string{"paper", "penalty"} {
			for _, seed := range ruleStarts {
				cases = append(cases, onDigits(bench.SetEmbedding{
					Name: minimizerName(m.name, update, seed), Method: m.name, Seed: seed,
					Set: map[string]string{"dim": fmt.Sprint(digitsDim), "update": update, "round": "true"}, Measure: measureRounded,
				}, digitsEach))
			}
		}
	}
	printed := map[string]string{"dim": fmt.Sprint(digitsDim), "update": "printed", "iterations": "2000"}
	unit := map[string]string{"dim": fmt.Sprint(digitsDim), "update": "printed", "iterations": "2000", "normalise": "true"}
	return append(cases,
		divergent(onDigits(bench.SetEmbedding{Name: nonppRaw, Method: "nonpp", Set: printed, Measure: measureCosines}, digitsEach)),
		divergent(onDigits(bench.SetEmbedding{Name: nonppUnit, Method: "nonpp", Set: unit, Measure: measureCosines}, digitsEach)))
}

// measureRounded keeps the rounded objective, by itself and over the largest
// eigenvalue where the shift tells it.
func measureRounded(_ context.Context, _ *datasets.Set, r *engine.Result, out *bench.Outcome) error {
	out.Quality["rounded"] = r.Details["rounded_objective"].(float64)
	out.Quality["orthogonality"] = r.Details["orthogonality_before_rounding"].(float64)
	out.Quality["sigma"] = r.Details["sigma"].(float64)
	return nil
}

// measureCosines keeps the least cosine between two directions.
func measureCosines(ctx context.Context, _ *datasets.Set, r *engine.Result, out *bench.Outcome) error {
	u, err := directions(ctx, r)
	if err != nil {
		return err
	}
	out.Quality["least-cosine"] = leastCosine(u)
	out.Quality["iterations"] = float64(r.Iterations)
	return nil
}

// pairOf is two columns of a matrix.
func pairOf(u *mat.Dense, p, q int) *mat.Dense {
	n, _ := u.Dims()
	pair := mat.NewDense(n, 2, nil)
	pair.SetCol(0, mat.Col(nil, p, u))
	pair.SetCol(1, mat.Col(nil, q, u))
	return pair
}

// saysDiverged is how an iteration says so.
var saysDiverged = regexp.MustCompile(`diverged after (\d+) iterations`)

// divergent makes a case of which divergence is a result.
func divergent(c bench.Case) bench.Case {
	run := c.Run
	c.Run = func(ctx context.Context, e *bench.Env, one *bench.Case) (*bench.Outcome, error) {
		out, err := run(ctx, e, one)
		if err == nil {
			return out, nil
		}
		told := saysDiverged.FindStringSubmatch(err.Error())
		if told == nil {
			return nil, err
		}
		after, err2 := strconv.ParseFloat(told[1], 64)
		return &bench.Outcome{Quality: map[string]float64{"diverged-after": after}, Note: "An error, as it should be: " + err.Error()}, err2
	}
	return c
}
