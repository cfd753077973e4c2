package nonnegative

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/datasets"
)

// The rules for a minimum as printed, of the two methods that have no curve in the paper
// and no case of their own yet.

// printedRules are the methods by the equations of their problem and rule.
var printedRules = []struct{ method, title, equations string }{
	{"nlle", "NLLE", "eqs 6 and 7"},
	{"nolpp", "NOLPP", "eqs 16 and 18"},
}

func printedName(method string, seed uint64) string {
	return fmt.Sprintf("digits/%s/update=printed/seed=%d", method, seed)
}

func printedNames(method string) (names []string) {
	for _, seed := range ruleStarts {
		names = append(names, printedName(method, seed))
	}
	return names
}

func printedCases() (cases []bench.Case) {
	for _, rule := range printedRules {
		for _, seed := range ruleStarts {
			cases = append(cases, divergent(onDigits(bench.SetEmbedding{
				Name: printedName(rule.method, seed), Method: rule.method, Seed: seed,
				Set: map[string]string{"dim": fmt.Sprint(digitsDim), "update": "printed"}, Measure: measurePrinted,
			}, digitsEach)))
		}
	}
	return cases
}

// measurePrinted keeps how near the columns of U are to orthonormal and to each other.
func measurePrinted(ctx context.Context, _ *datasets.Set, r *engine.Result, out *bench.Outcome) error {
	u := r.Y
	if r.Method == "nolpp" {
		var err error
		if u, err = directions(ctx, r); err != nil {
			return err
		}
	}
	out.Quality["orthogonality"], out.Quality["objective"] = r.Orthogonality, r.Objective[r.Iterations]
	out.Quality["least-cosine"] = minCosine(u)
	return nil
}

// minCosine is the least cosine between two columns.
func minCosine(u *mat.Dense) float64 {
	_, columns := u.Dims()
	least := 1.0
	for q := range columns {
		for p := range q {
			least = min(least, cosineOf(pairOf(u, p, q)))
		}
	}
	return least
}

// printedClaims hold these rules to what NLE's is held to: columns that are no one vector,
// and orthonormal to 0.1.
func printedClaims() (claims []bench.Claim) {
	for _, rule := range printedRules {
		claims = append(claims, bench.Claim{
			Name: rule.method + "-printed", Source: papers.Nonnegative + ", " + rule.equations,
			Statement: "The multiplicative rule for " + rule.title + " as printed minimises its objective under UᵀU = I.",
			Paper:     "stated",
			Check:     func(r *bench.Records) bench.Finding { return checkPrinted(r, printedNames(rule.method)) },
		})
	}
	return claims
}

func checkPrinted(r *bench.Records, names []string) bench.Finding {
	if f, ready := r.Unready(names...); !ready {
		return f
	}
	f := bench.Finding{Verdict: bench.DoesNot, Cases: names, Why: "It is the rule for the maximum of tr(−UᵀMU), which orthonormal columns repel."}
	if after, _ := r.Qualities("diverged-after", names...); len(after) > 0 {
		low, high := ends(after)
		f.Ours = fmt.Sprintf("from %d of %d starts entries pass 1e100, after %.0f to %.0f iterations", len(after), len(names), low, high)
		return f
	}
	orthogonality, _ := r.Qualities("orthogonality", names...)
	cosine, _ := r.Qualities("least-cosine", names...)
	nearest, farthest := ends(orthogonality)
	_, alike := ends(cosine)
	f.Ours = fmt.Sprintf("‖UᵀU − I‖ %.2g to %.2g from %d starts; the two columns that are least alike have a cosine of up to %.4f", nearest, farthest, len(names), alike)
	if farthest < 0.1 && alike < 0.5 {
		f.Verdict, f.Why = bench.Reproduces, ""
	}
	return f
}
