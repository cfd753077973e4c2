package library

import (
	"encoding/json"
	"math"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/assign"
)

// number is a float64 that is null in JSON where it is not finite.
type number float64

// MarshalJSON writes the shortest text that reads back the same.
func (x number) MarshalJSON() ([]byte, error) {
	if v := float64(x); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

func numbersOf(v []float64) []number {
	out := make([]number, len(v))
	for i, x := range v {
		out[i] = number(x)
	}
	return out
}

// finite replaces numbers that JSON cannot hold, so that no report fails.
func finite(values map[string]any) map[string]any {
	out := map[string]any{}
	for key, v := range values {
		switch v := v.(type) {
		case float64:
			out[key] = number(v)
		case []float64:
			out[key] = numbersOf(v)
		default:
			out[key] = v
		}
	}
	return out
}

// listed is [] in JSON if it is empty, not null.
func listed[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// sound is 1 or 0, or NaN for a result without a verdict.
func sound(verdict engine.Judgement) float64 {
	if verdict == engine.NotJudged {
		return math.NaN()
	}
	return truth(verdict == engine.Sound)
}

// standardized adds how the data were standardised: by columns, or the median of the sums of counts.
func standardized(arrays map[string]array, s *engine.Standardization) map[string]array {
	if s != nil && s.Center != nil {
		arrays["standardize_center"] = column(s.Center)
	}
	if s != nil && s.Spread != nil {
		arrays["standardize_spread"] = column(s.Spread)
	}
	return arrays
}

// madeOfEmbedding reports an embedding with the command's names.
func madeOfEmbedding(r *engine.Result, warnings []string) *made {
	return &made{
		arrays: standardized(map[string]array{"embedding": arrayOf(r.Y), "eigenvalues": column(r.Values), "residuals": column(r.Residuals), "objective": column(r.Objective)}, r.Standard),
		numbers: map[string]float64{
			"iterations": float64(r.Iterations), "converged": truth(r.Converged), "sound": sound(r.Quality.Verdict), "warnings": float64(len(warnings)), "components": float64(r.Components),
			"duplicates": float64(r.Duplicates), "seconds": r.Seconds["total"], "next_eigenvalue": r.Next},
		report: func() map[string]any { return reportOfEmbedding(r, warnings) },
	}
}

func reportOfEmbedding(r *engine.Result, warnings []string) map[string]any {
	report := map[string]any{
		"method": r.Method, "params": finite(r.Params), "samples": r.Samples, "features": r.Features, "dim": r.Dim, "sparse": r.Sparse,
		"eigenvalues": numbersOf(r.Values), "residuals": numbersOf(r.Residuals), "next_eigenvalue": number(r.Next), "converged": r.Converged,
		"components": r.Components, "component_sizes": listed(r.Sizes), "duplicates": r.Duplicates, "details": finite(r.Details),
		"plan": r.Plan, "backend": r.Backend, "threads": r.Threads, "seconds": r.Seconds, "cpu_seconds": r.CPUSeconds, "warnings": listed(warnings),
		"quality": r.Quality,
	}
	if n := len(r.Objective); n > 0 {
		report["objective"] = map[string]number{"first": number(r.Objective[0]), "last": number(r.Objective[n-1])}
		report["iterations"], report["orthogonality"], report["kkt"] = r.Iterations, number(r.Orthogonality), number(r.KKT)
	}
	return report
}

func madeOfFactors(r *engine.Factorization, warnings []string) *made {
	trace, at := make([]float64, len(r.Trace)), make([]int, len(r.Trace))
	for i, p := range r.Trace {
		trace[i], at[i] = p.Objective, p.Iteration
	}
	offset := r.Offset
	if offset == nil {
		offset = make([]float64, r.Features)
	}
	arrays := map[string]array{"h": arrayOf(r.H), "offset": column(offset), "objective": column(trace)}
	if r.W != nil {
		arrays["w"] = arrayOf(r.W)
	}
	if r.Own != nil {
		arrays["own"] = arrayOf(r.Own)
	}
	return &made{
		arrays: standardized(arrays, r.Standard),
		numbers: map[string]float64{
			"iterations": float64(r.Iterations), "converged": truth(r.Converged), "sound": sound(r.Quality.Verdict), "warnings": float64(len(warnings)), "components": float64(r.Components),
			"duplicates": float64(r.Duplicates), "seconds": r.Seconds["total"], "relative_error": r.RelativeError},
		report: func() map[string]any {
			report := map[string]any{
				"method": r.Method, "params": finite(r.Params), "samples": r.Samples, "features": r.Features, "rank": r.Rank,
				"objective": map[string]number{"first": number(trace[0]), "last": number(trace[len(trace)-1])}, "objective_iterations": at,
				"iterations": r.Iterations, "converged": r.Converged, "relative_error": number(r.RelativeError), "components": r.Components,
				"component_sizes": listed(r.Sizes), "duplicates": r.Duplicates, "details": finite(r.Details), "plan": r.Plan, "quality": r.Quality,
				"backend": r.Backend, "threads": r.Threads, "seconds": r.Seconds, "cpu_seconds": r.CPUSeconds, "warnings": listed(warnings)}
			if len(r.Parts) > 0 {
				parts := []map[string]any{}
				for _, p := range r.Parts {
					parts = append(parts, map[string]any{"share": number(p.Share), "sparseness": number(p.Sparseness)})
				}
				report["parts"] = parts
			}
			if found := r.RankFound; found != nil {
				held := heldOut(&found.RankChoice, found.HeldOut)
				held["masks"] = found.Masks
				for i, one := range held["ranks"].([]map[string]any) {
					one["behind"], one["behind_standard_error"] = number(found.Ranks[i].Behind), number(found.Ranks[i].BehindError)
				}
				report["held_out"] = held
			}
			if r.Blocks != nil {
				report["blocks"] = r.Blocks
			}
			if r.Datasets != nil {
				report["datasets"] = r.Datasets
			}
			return report
		},
	}
}

// allMethods lists the methods, and by task the parameters that they share.
func allMethods() any {
	type entry struct {
		engine.Entry
		Shared map[string][]engine.Parameter `json:"shared"` // by task
		Former map[string]string             `json:"former"` // former keys, accepted only until 1.0, with their present names; empty if there are none
	}
	shared := map[string][]engine.Parameter{
		"embed": engine.CommonParameters(), "factorize": engine.FactorizeParameters(), "cluster": engine.ClusterParameters(), "select": engine.SelectParameters()}
	list := []entry{}
	for _, e := range engine.Methods() {
		of := map[string][]engine.Parameter{}
		for _, task := range e.Tasks {
			of[task] = listed(shared[task])
		}
		former := map[string]string{}
		if m, err := engine.New(e.Name); err == nil {
			former = assign.DeprecatedKeys(m)
		}
		list = append(list, entry{e, of, former})
	}
	return map[string]any{"methods": list}
}
