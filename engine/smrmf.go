package engine

// SMRMF is selective manifold regularised matrix factorisation (Mani, Domeniconi and
// Griva 2020): rmnmf whose graph is learned with the indicators, from an encoding Z of
// all samples by few,
//
//	min Σᵢ ‖(X − GFᵀ)ᵢ‖₂ + λ tr(GᵀLG) + β⟨D, Z⟩
//	under GᵀG = I, G ≥ 0, Z ≥ 0, 1ᵀZ = 1ᵀ, Σᵢ ‖zᵢ‖_p ≤ τ,
//
// D the dissimilarities by a kernel whose width follows the density. L is that of the k
// largest entries of each of the τ largest rows of Z. n²m flops, and O(n²) for each step of
// A2DM2 and O(n²C) for each iteration; 4n² bytes.
type SMRMF struct {
	Neighbors  *int     `json:"neighbors" default:"auto" allowed:"≥ 1" doc:"k, the neighbours of each exemplar, and the rank of the distance that is the bandwidth; auto: ⌊√n⌋"`
	Exemplars  int      `json:"exemplars" default:"0" allowed:"≥ 0" doc:"τ, the samples whose neighbourhoods regularise the factors, and the bound on the rows of Z; 0: a tenth of them"`
	Lambda     *float64 `json:"lambda" default:"0.1" allowed:"≥ 0" doc:"λ, the weight of the graph term, also in the encoding"`
	Beta       *float64 `json:"beta" default:"auto" allowed:"> 0" doc:"β, the weight of the samples' dissimilarities in the encoding; auto: λ, or 1 where that is 0"`
	P          string   `json:"p" default:"inf" allowed:"inf|2" doc:"the norm of the rows of Z, of which the sum is at most τ; with 2, τ has to be at least √n"`
	Mode       string   `json:"mode" default:"learned" allowed:"learned|input" doc:"the neighbours of an exemplar: those of its k largest entries in Z, or its k nearest samples"`
	Diag       string   `json:"diag" default:"keep" allowed:"keep|rank|drop" doc:"how much samples stand for themselves: it counts in the choice of exemplars (keep), it does not (rank), or none does (drop)"`
	StartSteps int      `json:"start_steps" default:"500" allowed:"≥ 1" doc:"of A2DM2, which finds the first encoding: at most"`
	Scale      string   `json:"scale" default:"minmax" allowed:"minmax|shift|none" doc:"of the features: to [0, 1], to a least value of 0, or as they are"`
	Mu         float64  `json:"mu" default:"0.01" allowed:"> 0" doc:"μ, the penalty of the first iteration"`
	Rho        float64  `json:"rho" default:"1.1" allowed:"≥ 1" doc:"ρ, by which the penalty grows"`
	Iterations int      `json:"iterations" default:"150" allowed:"≥ 1" doc:"at most"`
	Tolerance  *float64 `json:"tolerance" default:"1e-5" allowed:"≥ 0" doc:"stop when the residuals of the splittings are at most so large; 0: never"`
	Labels     string   `json:"labels" default:"argmax" allowed:"argmax|kmeans" doc:"of a clustering: by each sample's largest entry of G, or by k-means among its rows"`
}

// Name returns "smrmf".
func (SMRMF) Name() string { return "smrmf" }

func (p SMRMF) check(n, _ int) error {
	return checkSelection(p.Name(), p.Neighbors, p.Exemplars, p.P, n)
}

func (p SMRMF) factoring() factoring {
	o := selecting{lambda: p.Lambda, beta: p.Beta, exemplars: p.Exemplars, norm: p.P, mode: p.Mode, diag: p.Diag}.graph()
	o.Start = p.StartSteps
	return factoring{run: bySelection{
		byALM: byALM{Options: lagrangian(p.Lambda, p.Mu, p.Rho, p.Iterations, p.Tolerance), scale: p.Scale},
		graph: o, k: p.Neighbors,
	}}
}

func (p SMRMF) grouping() grouping { return factorGrouping(p.Labels, p.factoring()) }
