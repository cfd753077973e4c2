package neml

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// Figs 1 and 2: how far w(γ), the weights of LLE, are from w*, the exact weights of least
// norm, and from w₁, the weights of the k − d smallest singular values.

const limitsCase = "limits/roll"

// limitNoises are half widths of the noise over the median distance to the k-th neighbour.
var limitNoises = []float64{0, 0.001, 0.01, 0.1}

func limitCases() []bench.Case {
	return []bench.Case{{
		Name: limitsCase, Data: "swiss-roll", N: 1500, M: 3, Method: "lle", Repeats: 1,
		Params: map[string]any{"neighbors": 10, "dim": 2, "seed": 1, "noise": limitNoises},
		Run: func(ctx context.Context, _ *bench.Env, c *bench.Case) (*bench.Outcome, error) {
			return runLimits(ctx, c.N)
		},
	}}
}

// runLimits holds the neighbours of the clean roll, so that noise changes G alone.
func runLimits(ctx context.Context, n int) (*bench.Outcome, error) {
	s, err := datasets.Generate("swiss-roll", n, 1, nil)
	if err != nil {
		return nil, err
	}
	g, err := bench.NearestNeighbors(ctx, s.X, 10)
	if err != nil {
		return nil, err
	}
	out := &bench.Outcome{Quality: map[string]float64{}, Series: map[string][]float64{"gamma": sweptGammas, "noise": limitNoises}}
	clean, err := limitsOf(s.X, g)
	if err != nil {
		return nil, err
	}
	radius := medianRadius(g)
	for _, level := range limitNoises {
		x := noisy(s.X, level*radius)
		at, err := limitsOf(x, g)
		if err != nil {
			return nil, err
		}
		for _, which := range []string{"exact", "small"} {
			out.Series["moved/"+which] = append(out.Series["moved/"+which], medianDistance(clean[which], at[which]))
		}
		for _, gamma := range sweptGammas {
			w, err := lleWeights(ctx, x, g, gamma)
			if err != nil {
				return nil, err
			}
			for _, which := range []string{"exact", "small"} {
				key := limitKey(which, level)
				out.Series[key] = append(out.Series[key], medianDistance(at[which], w))
			}
		}
	}
	return out, nil
}

// limitKey names the curve of the distance to w* ("exact") or to w₁ ("small").
func limitKey(which string, noise float64) string { return fmt.Sprintf("to-%s/noise=%v", which, noise) }

// limitsOf returns w* and w₁ of every sample, n × k.
func limitsOf(x *mat.Dense, g *neighbors.Graph) (map[string]*mat.Dense, error) {
	n, k := g.Len(), g.MaxDegree()
	exact, small := mat.NewDense(n, k, nil), mat.NewDense(n, k, nil)
	for i := range n {
		l, sound := newLocal(x, i, g.Of(i), 2)
		if !sound {
			return nil, fmt.Errorf("sample %d lies on all its neighbours", i)
		}
		exact.SetRow(i, l.limitWeights(l.rank()))
		small.SetRow(i, l.limitWeights(l.d))
	}
	return map[string]*mat.Dense{"exact": exact, "small": small}, nil
}

// medianDistance is the median over the samples of ‖b − a‖/‖a‖.
func medianDistance(a, b *mat.Dense) float64 {
	n, _ := a.Dims()
	all := make([]float64, n)
	for i := range all {
		all[i] = distance(a.RawRowView(i), b.RawRowView(i)) / norm(a.RawRowView(i))
	}
	return median(all)
}

// medianRadius is the median distance to the last neighbour.
func medianRadius(g *neighbors.Graph) float64 {
	all := make([]float64, g.Len())
	for i := range all {
		all[i] = g.Dist[g.Ptr[i+1]-1]
	}
	return median(all)
}

// noisy adds width·(1 − 2u) to every coordinate, by one draw for all widths.
func noisy(x *mat.Dense, width float64) *mat.Dense {
	moved := mat.DenseCopyOf(x)
	data := moved.RawMatrix().Data
	u := make([]float64, len(data))
	blas.NewStream(2).Uniforms(u)
	for q := range data {
		data[q] += width * (1 - 2*u[q])
	}
	return moved
}

// near is the relative distance up to which weights count as the same.
const near = 0.1

var limitClaims = []bench.Claim{
	{
		Name: "weights-limits", Source: papers.NEML + ", Figs 1 and 2",
		Statement: "The weights w(γ) of LLE are the exact ones, w*, for small γ only; as γ grows they pass to w₁, those of the k − d smallest singular values, and leave these too.",
		Paper:     "curves",
		Check: func(r *bench.Records) bench.Finding {
			one := r.Get(limitsCase)
			if one == nil {
				return r.FindingWithout(limitsCase)
			}
			exact, small := one.Series[limitKey("exact", 0)], one.Series[limitKey("small", 0)]
			last, closest := len(exact)-1, slices.Index(small, slices.Min(small))
			parts := []struct {
				holds bool
				said  string
			}{
				{exact[0] <= near, "w(γ) is not near w* at the smallest γ"},
				{small[closest] <= near && exact[closest] > near, "no γ brings w(γ) to w₁ and away from w*"},
				{small[last] > near, "the largest γ leaves w(γ) at w₁"},
			}
			f := bench.Finding{Verdict: bench.DoesNot, Cases: []string{limitsCase}, Ours: fmt.Sprintf(
				"median relative distance to w* %.1e at γ = %s; to w₁ %.2g at γ = %s, where w* is %.2g away, and %.2g at γ = %s",
				exact[0], powerOfTen(sweptGammas[0]), small[closest], powerOfTen(sweptGammas[closest]), exact[closest], small[last], powerOfTen(sweptGammas[last]))}
			var missed []string
			for _, part := range parts {
				if !part.holds {
					missed = append(missed, part.said)
				}
			}
			switch len(missed) {
			case 0:
				f.Verdict = bench.Reproduces
			case 1:
				f.Verdict = bench.PartlyHolds
			}
			if len(missed) > 0 {
				f.Why = "By a median distance of a tenth of the norm, " + strings.Join(missed, ", ") + "; the three parts are our reading of curves without numbers."
			}
			return f
		},
	},
	{
		Name: "weights-noise", Source: papers.NEML + ", Figs 1 and 2",
		Statement: "Noise that is small compared with the neighbourhoods moves the exact weights w*.",
		Paper:     "curves",
		Check: func(r *bench.Records) bench.Finding {
			one := r.Get(limitsCase)
			if one == nil {
				return r.FindingWithout(limitsCase)
			}
			at := slices.Index(limitNoises, 0.01)
			exact, small := one.Series["moved/exact"][at], one.Series["moved/small"][at]
			return bench.Finding{
				Verdict: bench.ReproducesIf(exact > near), Cases: []string{limitsCase},
				Ours: fmt.Sprintf("noise of 1 %% of the neighbourhoods' radius moves w* by %.0f %% of its norm in the median, w₁ by %.0f %%", 100*exact, 100*small),
			}
		},
	},
}

func limitSections(r *bench.Records) []bench.Section {
	one := r.Get(limitsCase)
	if one == nil {
		return nil
	}
	s := bench.Section{
		Title: "Between w* and w₁ (Figs 1 and 2)",
		Text:  "Swiss roll, k = 10, d = 2: the median over the samples of the distance of w(γ) to the exact weights of least norm, w* (full lines), and to those of the k − d smallest singular values, w₁ (dashed), over their norm. Without noise, and with noise of 0.1 of the median distance to the tenth neighbour, the neighbours held; less noise leaves the first curves. The table says how far w* and w₁ themselves move by the noise.",
		Plot:  &bench.Plot{XLabel: "γ", YLabel: "relative distance of w(γ)", LogX: true, LogY: true},
		Table: &bench.Table{Columns: []string{"noise over radius", "w* moves by", "w₁ moves by"}},
	}
	for i, level := range limitNoises {
		if level == 0 || i == len(limitNoises)-1 { // those between lie on the first
			s.Plot.Curves = append(s.Plot.Curves,
				bench.Curve{Name: fmt.Sprintf("to w*, noise %v", level), X: sweptGammas, Y: one.Series[limitKey("exact", level)], Cases: []string{limitsCase}},
				bench.Curve{Name: fmt.Sprintf("to w₁, noise %v", level), X: sweptGammas, Y: one.Series[limitKey("small", level)], Dashed: true, Cases: []string{limitsCase}})
		}
		if level > 0 {
			s.Table.Rows = append(s.Table.Rows, []bench.Cell{bench.PlainCell(fmt.Sprint(level)),
				{Text: fmt.Sprintf("%.1f %%", 100*one.Series["moved/exact"][i]), Case: limitsCase}, {Text: fmt.Sprintf("%.1f %%", 100*one.Series["moved/small"][i]), Case: limitsCase}})
		}
	}
	return []bench.Section{s}
}
