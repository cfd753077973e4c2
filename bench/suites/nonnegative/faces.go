package nonnegative

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/measures"
)

// Faces, which section 5 of the paper names as its next step: recognition after signed and
// nonnegative projections, and what the directions look like.

// faceSet is a set of images of people.
type faceSet struct {
	key, title string
	side       int // of an image, in pixels
}

func (s faceSet) source() bench.Source { return bench.FromFile(s.key + ".X.npy") }

// needs are the images and who is on them.
func (s faceSet) needs() []string {
	source := s.source()
	return append(source.Needs(), "data:"+source.PartFile("y"))
}

var (
	faceSets    = []faceSet{{"orl32", "ORL", 32}, {"yaleb32", "Extended Yale B", 32}}
	faceMethods = []string{"pca", "npca", "onpp", "nonpp"}
	faceDims    = []int{10, 25, 50}
	faceTrial   = measures.Trial{Splits: 5, Train: 0.5, Seed: 1}
)

// basesDim is the number of directions that are looked at.
const basesDim = 25

func facesName(s faceSet, method string, dim int) string {
	return fmt.Sprintf("faces/%s/%s/dim=%d", s.key, method, dim)
}

func facesRaw(s faceSet) string { return "faces/" + s.key + "/raw" }

func basesName(s faceSet, method string) string {
	return fmt.Sprintf("faces/%s/bases/%s", s.key, method)
}

// faceSettings are a method's: the paper's rule where it is nonnegative.
func faceSettings(method string, dim int) map[string]string {
	set := map[string]string{"dim": fmt.Sprint(dim)}
	if counterpart[method] != "" {
		set["update"] = "paper"
	}
	return set
}

// facesOptions are the options of all fits: a neighbour graph that falls apart is one problem all
// the same, as a projection has but one answer.
func facesOptions(c *bench.Case, method string) engine.Options {
	o := engine.Options{Threads: c.ThreadCount(), Backend: c.Backend, Seed: 1}
	if method == "onpp" || method == "nonpp" {
		o.Components = "joint"
	}
	return o
}

func facesCases() (cases []bench.Case) {
	for _, s := range faceSets {
		trial := map[string]any{"splits": faceTrial.Splits, "train": faceTrial.Train, "split-seed": faceTrial.Seed, "projection": "separate"}
		cases = append(cases, bench.Case{
			Name: facesRaw(s), Data: s.key, Method: "none", Repeats: 1, Threads: 1, Full: true, Needs: s.needs(), Params: trial,
			Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
				return faceErrors(e, s, func(d *bench.Data) ([]measures.Rates, error) {
					with, err := bench.MeasureOptions(c)
					if err != nil {
						return nil, err
					}
					return measures.HolisticErrors(ctx, d.X, d.Labels, faceTrial, with, measures.NN)
				})
			},
		})
		for _, method := range faceMethods {
			for _, dim := range faceDims {
				cases = append(cases, recognitionCase(s, method, dim, trial))
			}
			if counterpart[method] != "" {
				cases = append(cases, basesCase(s, method))
			}
		}
	}
	return cases
}

func recognitionCase(s faceSet, method string, dim int, trial map[string]any) bench.Case {
	set := faceSettings(method, dim)
	params := bench.MethodParams(method, set)
	for key, v := range trial {
		params[key] = v
	}
	return bench.Case{
		Name: facesName(s, method, dim), Data: s.key, Method: method, Repeats: 1, Threads: 1, Full: true,
		Needs: append(s.needs(), "method:"+method), Params: params,
		Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
			m, err := bench.NewMethod(method, set)
			if err != nil {
				return nil, err
			}
			return faceErrors(e, s, func(d *bench.Data) ([]measures.Rates, error) {
				return engine.SeparateErrors(ctx, d.X, d.Labels, m, facesOptions(c, method), faceTrial, measures.NN)
			})
		},
	}
}

// faceErrors keeps mean and deviation over the splits, in percent.
func faceErrors(e *bench.Env, s faceSet, errors func(*bench.Data) ([]measures.Rates, error)) (*bench.Outcome, error) {
	d, err := s.source().Load(e)
	if err != nil {
		return nil, err
	}
	rates, err := errors(d)
	if err != nil {
		return nil, err
	}
	n, m := d.X.Dims()
	return &bench.Outcome{Samples: n, Features: m, DataHash: d.Hash, Series: map[string][]float64{"nn": rates[0]},
		Quality: map[string]float64{"nn-error": 100 * rates[0].Mean(), "nn-sd": 100 * rates[0].Deviation()}}, nil
}

// basesCase fits a method to all images and looks at its directions.
func basesCase(s faceSet, method string) bench.Case {
	set := faceSettings(method, basesDim)
	return bench.Case{
		Name: basesName(s, method), Data: s.key, Method: method, Repeats: 1, Threads: 1, Full: true,
		Needs: append(s.needs(), "method:"+method), Params: bench.MethodParams(method, set),
		Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
			d, err := s.source().Load(e)
			if err != nil {
				return nil, err
			}
			m, err := bench.NewMethod(method, set)
			if err != nil {
				return nil, err
			}
			r, err := engine.Embed(ctx, d.X, m, facesOptions(c, method))
			if err != nil {
				return nil, err
			}
			u, err := directions(ctx, r)
			if err != nil {
				return nil, err
			}
			out := &bench.Outcome{Samples: r.Samples, Features: r.Features, DataHash: d.Hash, Seconds: r.Seconds, CPUSeconds: r.CPUSeconds, Quality: lookOf(u, s.side)}
			out.Quality["orthogonality"] = r.Orthogonality
			return out, nil
		},
	}
}

// lookOf says what directions of images look like: the share of the pixels in use of which
// one direction has nine tenths ("alone"), the mean number of pixels of a direction above a
// tenth of its largest, and the mean share of its squares in the largest patch of those.
func lookOf(u *mat.Dense, side int) map[string]float64 {
	pixels, dim := u.Dims()
	tops := make([]float64, dim)
	for q := range dim {
		for i := range pixels {
			tops[q] = max(tops[q], u.At(i, q))
		}
	}
	var alone, used, bright, patch float64
	for i := range pixels {
		var sum, largest float64
		for q := range dim {
			v := u.At(i, q)
			sum, largest = sum+v*v, max(largest, v*v)
		}
		if sum > 1e-20 {
			used++
			if largest >= 0.9*sum {
				alone++
			}
		}
	}
	for q := range dim {
		lit := make([]bool, pixels)
		var whole float64
		for i := range pixels {
			v := u.At(i, q)
			whole += v * v
			if lit[i] = v > tops[q]/10; lit[i] {
				bright++
			}
		}
		patch += largestPatch(lit, mat.Col(nil, q, u), side) / max(whole, 1e-300)
	}
	return map[string]float64{"alone": alone / max(used, 1), "pixels": bright / float64(dim), "patch": patch / float64(dim)}
}

// largestPatch is the largest sum of squares over lit pixels that hang together by their sides.
func largestPatch(lit []bool, values []float64, side int) (best float64) {
	seen := make([]bool, len(lit))
	for start := range lit {
		if !lit[start] || seen[start] {
			continue
		}
		seen[start] = true
		var sum float64
		for stack := []int{start}; len(stack) > 0; {
			i := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			sum += values[i] * values[i]
			for _, next := range []struct {
				at    int
				there bool
			}{{i - side, i >= side}, {i + side, i+side < len(lit)}, {i - 1, i%side > 0}, {i + 1, i%side < side-1}} {
				if next.there && lit[next.at] && !seen[next.at] {
					seen[next.at] = true
					stack = append(stack, next.at)
				}
			}
		}
		best = max(best, sum)
	}
	return best
}

// facePairs are the nonnegative projections with their signed counterparts.
var facePairs = [][2]string{{"npca", "pca"}, {"nonpp", "onpp"}}

var facesClaims = []bench.Claim{
	{
		Name: "faces-recognition", Source: papers.Nonnegative + ", section 5",
		Statement: "Nonnegative projections carry over to faces: the nearest neighbour by NPCA errs no more than by PCA, by NONPP no more than by ONPP, to two standard deviations over the splits.",
		Paper:     "named as the next step; no figure",
		Check:     checkFaces,
	},
	{
		Name: "faces-orthonormal", Source: papers.Nonnegative + ", eqs 11, 15 and section 5",
		Statement: "On faces the multiplicative rule ends with nonnegative directions under UᵀU = I (to 0.1).",
		Paper:     "stated for the rules; no figure for faces",
		Check: func(r *bench.Records) bench.Finding {
			var names []string
			for _, s := range faceSets {
				for _, pair := range facePairs {
					names = append(names, basesName(s, pair[0]))
				}
			}
			f, ready := r.Unready(names...)
			if !ready {
				return r.FindingWithout(names...)
			}
			met := 0
			for i, name := range names {
				v, _ := r.Quality(name, "orthogonality")
				if v < 0.1 {
					met++
				}
				f.Ours += fmt.Sprintf("%s on %s %.2f, ", facePairs[i%2][0], faceSets[i/2].title, v)
			}
			f.Ours = fmt.Sprintf("‖UᵀU − I‖ of %d directions after 500 iterations: ", basesDim) + f.Ours[:len(f.Ours)-2]
			if f.Verdict = inPart(met, len(names), len(names)/2); f.Verdict != bench.Reproduces {
				f.Why = "Where the matrix has entries of both signs fixed points of the rule need not be orthonormal: see local-optimum."
			}
			return f
		},
	},
}

// inPart is the verdict on several comparisons: all hold, at least least of them, or fewer.
func inPart(held, all, least int) bench.Verdict {
	switch {
	case held == all:
		return bench.Reproduces
	case held >= least:
		return bench.PartlyHolds
	}
	return bench.DoesNot
}

// checkFaces reproduces if all comparisons hold and does so in part if half of them do.
func checkFaces(r *bench.Records) bench.Finding {
	var names []string
	for _, s := range faceSets {
		for _, method := range faceMethods {
			for _, dim := range faceDims {
				names = append(names, facesName(s, method, dim))
			}
		}
	}
	f, ready := r.Unready(names...)
	if !ready {
		return r.FindingWithout(names...)
	}
	held, all := 0, 0
	for _, s := range faceSets {
		for _, pair := range facePairs {
			f.Ours += fmt.Sprintf("%s on %s", pair[0], s.title)
			for _, dim := range faceDims {
				mean, _ := r.Quality(facesName(s, pair[0], dim), "nn-error")
				own, _ := r.Quality(facesName(s, pair[0], dim), "nn-sd")
				signed, _ := r.Quality(facesName(s, pair[1], dim), "nn-error")
				other, _ := r.Quality(facesName(s, pair[1], dim), "nn-sd")
				all++
				if mean <= signed+2*max(own, other) {
					held++
				}
				f.Ours += fmt.Sprintf(" %.1f/%.1f", mean, signed)
			}
			f.Ours += ", "
		}
	}
	f.Ours = fmt.Sprintf("errors in per cent, nonnegative/signed, with %d, %d and %d directions: ", faceDims[0], faceDims[1], faceDims[2]) + f.Ours[:len(f.Ours)-2] + fmt.Sprintf("; %d of %d comparisons hold", held, all)
	if f.Verdict = inPart(held, all, all/2); f.Verdict != bench.Reproduces {
		f.Why = "A direction without negative entries is a weighted sum of pixels and changes with the light; differences of pixels, which signed directions take, need not."
	}
	return f
}

func facesSections(r *bench.Records) []bench.Section {
	errors := bench.Section{
		Title: "Faces: recognition (the outlook of section 5)",
		Text:  "ORL (400 images of 40 people) and Extended Yale B (2414 images of 38), 32 × 32 pixels as they are: percentage of nearest training images of another person; fitted to half of each person's images, the other half projected by the model; mean and deviation over five splits. NPCA and NONPP by the paper's rule (for a minimum on the shifted matrix), 500 iterations; ONPP and NONPP with k = 12.",
		Table: &bench.Table{Columns: []string{"set", "directions", "pca", "npca", "onpp", "nonpp", "pixels"}},
	}
	bases := bench.Section{
		Title: "Faces: the directions",
		Text:  fmt.Sprintf("%d directions fitted to all images of a set by the paper's rule. Alone: the share of the pixels in use of which one direction has nine tenths of the squares. Pixels: the pixels of a direction above a tenth of its largest, in the mean. One patch: the mean share of a direction's squares that lies in the largest connected patch of those, 1 where every direction is one part of the face.", basesDim),
		Table: &bench.Table{Columns: []string{"set", "method", "‖UᵀU − I‖", "alone", "pixels", "one patch"}},
	}
	for _, s := range faceSets {
		for _, dim := range faceDims {
			row := []bench.Cell{bench.PlainCell(s.title), bench.PlainCell(fmt.Sprint(dim))}
			for _, method := range faceMethods {
				row = append(row, r.ErrorCell(facesName(s, method, dim), "nn"))
			}
			errors.Table.Rows = append(errors.Table.Rows, append(row, r.ErrorCell(facesRaw(s), "nn")))
		}
		for _, pair := range facePairs {
			name := basesName(s, pair[0])
			bases.Table.Rows = append(bases.Table.Rows, []bench.Cell{bench.PlainCell(s.title), bench.PlainCell(pair[0]), r.QualityCell(name, "orthogonality", "%.2f"), r.QualityCell(name, "alone", "%.2f"), r.QualityCell(name, "pixels", "%.0f"), r.QualityCell(name, "patch", "%.2f")})
		}
	}
	return []bench.Section{errors, bases}
}
