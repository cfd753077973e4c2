package lnp

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
)

// The embedding by the program that the paper's authors published, which is not the
// paper's: every method's weights are made a graph W = max(|S|, |Sᵀ|), which Laplacian
// eigenmaps embed. The weights of LNP are divided by squared distances before, and those
// of the others cut to 95 % of their sum.

// programs are the methods as in that program: LNP as printed, LLE without a regulariser
// where K is at most the number of features, LE with weights of one, SMCE among 50.
var programs = []chooser{byLLE, byLE, bySMCE50, byPrinted}

func (q closedCurve) program(x chooser) string { return "program/" + q.name(x) }

func (q closedCurve) programCases(sizes []int) []bench.Case {
	var cases []bench.Case
	for _, x := range programs {
		params := programParams(x, sizes, q.params)
		params["dim"] = 2
		cases = append(cases, bench.Case{
			Name: q.program(x), Data: q.data, Method: x.method, Params: params, Repeats: 1, Needs: append(bench.SelectionNeeds(q.data), "method:"+x.method),
			Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
				s, err := q.load(e)
				if err != nil {
					return nil, err
				}
				n, m := s.X.Dims()
				out := &bench.Outcome{Samples: n, Features: m, DataHash: bench.HashMatrix(s.X), Series: map[string][]float64{}, Pictures: map[string]*bench.Picture{}}
				for _, k := range sizes {
					y, err := programEmbedding(ctx, s.X, x, k, engine.Options{Threads: max(c.Threads, 1), Backend: c.Backend})
					if err != nil {
						return nil, fmt.Errorf("%d neighbours: %w", k, err)
					}
					ring, err := ringShare(ctx, y)
					if err != nil {
						return nil, err
					}
					out.Series["K"], out.Series["ring"] = append(out.Series["K"], float64(k)), append(out.Series["ring"], ring)
					if slices.Contains(q.drawn, k) {
						out.Pictures[pictureOf(k)] = &bench.Picture{Points: y, Color: mat.Col(nil, 0, s.Params)}
					}
				}
				return out, nil
			},
		})
	}
	return cases
}

// programParams are the parameters of a case over several K.
func programParams(x chooser, sizes []int, more map[string]any) map[string]any {
	params := x.recorded(sizes, more)
	params["graph"] = "max(|S|, |Sᵀ|)"
	delete(params, "components")
	switch x.key {
	case byLLE.key:
		params["gamma"] = minGamma
	case byLE.key:
		params["weights"] = "binary"
		delete(params, "t")
	}
	return params
}

// minGamma means no regulariser.
const minGamma = 1e-12

// programEmbedding embeds in two dimensions as the program does.
func programEmbedding(ctx context.Context, points *mat.Dense, x chooser, k int, o engine.Options) (*mat.Dense, error) {
	lists, err := programLists(ctx, points, x, k, o)
	if err != nil {
		return nil, err
	}
	w, n := symmetric(lists), len(lists)
	root := make([]float64, n)
	for i := range n {
		for _, v := range w[i*n : (i+1)*n] {
			root[i] += v
		}
		root[i] = math.Sqrt(root[i])
	}
	vectors, err := leading(w, n, 3, o) // the first is the constant vector
	if err != nil {
		return nil, err
	}
	y := mat.NewDense(n, 2, nil)
	for i := range n {
		y.Set(i, 0, vectors[n+i]/root[i])
		y.Set(i, 1, vectors[i]/root[i])
	}
	return y, nil
}

// symmetric is the graph max(|S|, |Sᵀ|) of lists, all its entries.
func symmetric(lists [][]weighted) []float64 {
	n := len(lists)
	w := make([]float64, n*n)
	for i, list := range lists {
		for _, e := range list {
			v := max(w[i*n+e.to], math.Abs(e.weight))
			w[i*n+e.to], w[e.to*n+i] = v, v
		}
	}
	return w
}

// weighted is an edge of a sample.
type weighted struct {
	to     int
	weight float64
}

// programLists are the edges that the program gives each sample.
func programLists(ctx context.Context, points *mat.Dense, x chooser, k int, o engine.Options) ([][]weighted, error) {
	if x.key == byLE.key {
		g, err := bench.NearestNeighbors(ctx, points, k)
		if err != nil {
			return nil, err
		}
		lists := make([][]weighted, g.Len())
		for i := range lists {
			for _, j := range g.Of(i) {
				lists[i], lists[j] = addOnce(lists[i], int(j)), addOnce(lists[j], i)
			}
		}
		return cut(lists), nil
	}
	more := map[string]string{}
	if _, m := points.Dims(); x.key == byLLE.key && k <= m {
		more["gamma"] = fmt.Sprint(minGamma)
	}
	m, err := x.with(k, more)
	if err != nil {
		return nil, err
	}
	g, err := engine.Represent(ctx, points, m, o)
	if err != nil {
		return nil, err
	}
	lists := make([][]weighted, g.Len())
	for i := range lists {
		for a, j := range g.Of(i) {
			lists[i] = append(lists[i], weighted{int(j), g.Weights(i)[a]})
		}
	}
	if x.method != "lnp" {
		return cut(lists), nil
	}
	for i, list := range lists {
		sum := 0.0
		for a := range list {
			list[a].weight /= g.Distances(i)[a] * g.Distances(i)[a]
			sum += list[a].weight
		}
		for a := range list {
			list[a].weight /= sum
		}
	}
	return lists, nil
}

// addOnce adds an edge of weight 1 that is not there yet.
func addOnce(list []weighted, to int) []weighted {
	if slices.ContainsFunc(list, func(e weighted) bool { return e.to == to }) {
		return list
	}
	return append(list, weighted{to, 1})
}

// cut keeps of every sample the largest weights, in magnitude, that hold 95 % of their sum.
func cut(lists [][]weighted) [][]weighted {
	for i, list := range lists {
		slices.SortFunc(list, func(a, b weighted) int {
			return cmp.Or(cmp.Compare(math.Abs(b.weight), math.Abs(a.weight)), cmp.Compare(a.to, b.to))
		})
		sum, held := 0.0, 0.0
		for _, e := range list {
			sum += math.Abs(e.weight)
		}
		for a, e := range list {
			if held += math.Abs(e.weight); held >= 0.95*sum {
				lists[i] = list[:a+1]
				break
			}
		}
	}
	return lists
}

// Clusters by the graphs of the published program.

func (q apart) program(x chooser) string { return "program/" + q.name(x) }

func (q apart) programCases(sizes []int) []bench.Case {
	var cases []bench.Case
	for _, x := range programs {
		cases = append(cases, bench.Case{
			Name: q.program(x), Data: q.data, Method: x.method, Params: programParams(x, sizes, q.params), Repeats: 1, Full: q.full, Needs: append(slices.Clone(q.needs), "method:"+x.method),
			Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
				s, err := q.load(e)
				if err != nil {
					return nil, err
				}
				n, m := s.X.Dims()
				out := &bench.Outcome{Samples: n, Features: m, DataHash: bench.HashMatrix(s.X), Quality: map[string]float64{}, Series: map[string][]float64{}}
				o := engine.Options{Threads: max(c.Threads, 1), Backend: c.Backend}
				for _, k := range sizes {
					lists, err := programLists(ctx, s.X, x, k, o)
					if err != nil {
						return nil, fmt.Errorf("%d neighbours: %w", k, err)
					}
					labels, err := clustersOf(ctx, symmetric(lists), n, q.count(), o)
					if err != nil {
						return nil, fmt.Errorf("%d neighbours: %w", k, err)
					}
					wrong, err := measures.Misclassification(s.Labels, labels)
					if err != nil {
						return nil, err
					}
					out.Series["K"], out.Series["misclassification"] = append(out.Series["K"], float64(k)), append(out.Series["misclassification"], wrong)
				}
				out.Quality["misclassification"] = stat.Mean(out.Series["misclassification"], nil)
				return out, nil
			},
		})
	}
	return cases
}

// ringByProgram is the claim on a closed curve, embedded that way.
func ringByProgram(q closedCurve, figure string, good float64) bench.Claim {
	return bench.Claim{
		Name: q.prefix + "-embedding-by-program", Source: papers.LNP + ", " + figure,
		Statement: fmt.Sprintf("By the program that the authors published, LNP as printed embeds %s as a ring for every K, and of the four methods it alone does.", q.title),
		Paper:     "pictures",
		Check: func(r *bench.Records) bench.Finding {
			names := caseNames(programs, q.program)
			f, ready := r.Unready(names...)
			if !ready {
				return f
			}
			ours, everywhere := always(r, "ring", good, programs, q.program)
			f.Ours, f.Verdict = "ring at least "+fmt.Sprint(good)+": "+ours, bench.DoesNot
			switch others := everywhere[byLLE.key] || everywhere[byLE.key] || everywhere[bySMCE50.key]; {
			case everywhere[byPrinted.key] && !others:
				f.Verdict = bench.Reproduces
			case everywhere[byPrinted.key]:
				f.Verdict, f.Why = bench.PartlyHolds, "LNP is not the only one."
			default:
				broken, low, high := everyK(r, q.program(byPrinted), "ring", func(v float64) bool { return v >= good })
				f.Why = fmt.Sprintf("LNP keeps from %.2f to %.2f of the ring, less than that at %d K.", low, high, len(broken))
			}
			return f
		},
	}
}

// knotsByProgram is the claim on the two knots, separated in that way.
var knotsByProgram = bench.Claim{
	Name: "two-trefoils-by-program", Source: papers.LNP + ", Fig. 5(a)",
	Statement: "By the program that the authors published, the misclassification of two trefoil knots by LNP as printed is always stable and good: at most 0.01 at every K.",
	Paper:     "a curve near 0",
	Check: func(r *bench.Records) bench.Finding {
		names := caseNames(programs, twoKnots.program)
		f, ready := r.Unready(names...)
		if !ready {
			return f
		}
		var said []string
		wrongAt, of := 0, 0
		for i, x := range programs {
			sizes, _ := byK(r, names[i], "misclassification")
			broken, _, worst := everyK(r, names[i], "misclassification", func(v float64) bool { return v <= 0.01 })
			said = append(said, fmt.Sprintf("%s at worst %.3f, above 0.01 at %d of %d K", x.name, worst, len(broken), len(sizes)))
			if x.key == byPrinted.key {
				wrongAt, of = len(broken), len(sizes)
			}
		}
		f.Ours, f.Verdict = strings.Join(said, "; "), verdictOn(wrongAt, of)
		if wrongAt > 0 {
			f.Why = fmt.Sprintf("LNP misclassifies more than 0.01 at %d of %d K.", wrongAt, of)
		}
		return f
	},
}

var programClaims = []bench.Claim{ringByProgram(knot, "Fig. 3", 1), ringByProgram(duck, "Fig. 7", 0.95), knotsByProgram}

func programSections(r *bench.Records) []bench.Section {
	var list []bench.Section
	for _, q := range []struct {
		closedCurve
		title string
		last  int
	}{{knot, "The trefoil", knotSizes}, {duck, "The COIL-20 duck", duckSizes}} {
		s := bench.Section{
			Title: q.title + ": rings by the published program",
			Text:  "The program that the authors published in September 2014 does not embed by (I−S)(I−S)ᵀ as the paper does, but all four methods by Laplacian eigenmaps of the graph max(|S|, |Sᵀ|): the weights of LNP are divided by squared distances before, and those of the others cut to 95 % of their sum. LLE has no regulariser there up to K = the number of features, LE weights of one, and SMCE 50 candidates.",
			Table: tableByK(r, "ring", "%.2f", q.last, programs, q.program), Plot: plotByK(r, "ring", "ring", programs, q.program),
		}
		for _, x := range programs {
			for _, k := range q.drawn {
				if r.Get(q.program(x)) != nil {
					s.Pictures = append(s.Pictures, bench.Figure{Case: q.program(x), Picture: pictureOf(k), Caption: fmt.Sprintf("%s, K = %d", x.name, k), Cyclic: true})
				}
			}
		}
		list = append(list, s)
	}
	return append(list, bench.Section{
		Title: "Two trefoil knots by the published program", Text: "Their misclassification by spectral clustering of the same graphs.",
		Table: tableByK(r, "misclassification", "%.3f", knotSizes, programs, twoKnots.program), Plot: plotByK(r, "misclassification", "misclassification", programs, twoKnots.program),
	})
}
