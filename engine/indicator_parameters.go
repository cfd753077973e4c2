package engine

// The groups of parameters of methods that look for the indicators of clusters.

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

// with is the solver with the parameters of both groups.
func (r byALM) with(s FeatureScale, g Lagrangian) byALM {
	r.scale = s.Scale
	r.Mu, r.Rho, r.Passes, r.Tolerance = g.Mu, g.Rho, g.Iterations, *g.Tolerance
	return r
}
