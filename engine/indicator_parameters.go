package engine

import "github.com/orthant-go/orthant/engine/internal/factor"

// The groups of parameters of methods that look for the indicators of clusters.

// FeatureScale says how the features are scaled before anything else.
type FeatureScale struct {
	Scale string `json:"scale" default:"minmax" allowed:"minmax|shift|none" doc:"of the features: to [0, 1] (constant ones to 0), to a least value of 0, or as they are"`
}

// Lagrangian is the augmented Lagrangian of rmnmf and its kin. A tolerance of 0 runs all
// iterations.
type Lagrangian struct {
	Mu         float64  `json:"mu" default:"0.01" allowed:"> 0" doc:"μ, the penalty of the first iteration"`
	Rho        float64  `json:"rho" default:"1.1" allowed:"≥ 1" doc:"ρ, by which the penalty grows, up to 10¹⁰"`
	Iterations int      `json:"iterations" default:"150" allowed:"≥ 1" doc:"at most"`
	Tolerance  *float64 `json:"tolerance" default:"1e-5" allowed:"≥ 0" doc:"stop when the residuals of the splittings are at most so large; 0: never"`
}

// IndicatorLabels says how samples are clustered by their indicators.
type IndicatorLabels struct {
	Labels string `json:"labels" default:"argmax" allowed:"argmax|kmeans" doc:"of a clustering: by each sample's largest entry of G (the first of equal ones; clusters can stay empty), or by k-means among its rows"`
}

// byALM is the solver with the parameters of both groups.
func byALM(r factor.ByALM, s FeatureScale, g Lagrangian) factor.ByALM {
	r.Scale = s.Scale
	r.Mu, r.Rho, r.Passes, r.Tolerance = g.Mu, g.Rho, g.Iterations, *g.Tolerance
	return r
}
