package engine

// FSMRMF is the fast form of [SMRMF] (Mani, Domeniconi and Griva 2020): δ/2 ‖Z‖² takes
// the place of the bound on the rows of Z, so that every column is a projection on the
// simplex of its own and nothing of the size of Z is kept. n²m flops, and O(n²C) for
// each iteration; 4n² bytes.
type FSMRMF struct {
	Neighbors  *int     `json:"neighbors" default:"auto" allowed:"≥ 1" doc:"k, the neighbours of each exemplar, and the rank of the distance that is the bandwidth; auto: ⌊√n⌋"`
	Exemplars  int      `json:"exemplars" default:"0" allowed:"≥ 0" doc:"τ, the samples whose neighbourhoods regularise the factors; 0: a tenth of them"`
	Lambda     *float64 `json:"lambda" default:"0.1" allowed:"≥ 0" doc:"λ, the weight of the graph term, also in the encoding"`
	Beta       *float64 `json:"beta" default:"auto" allowed:"> 0" doc:"β, the weight of the samples' dissimilarities in the encoding; auto: λ, or 1 where that is 0"`
	Delta      float64  `json:"delta" default:"0" allowed:"≥ 0" doc:"δ, the weight of the squares of Z: the larger, the more samples stand for each; 0: by which k do on average"`
	Mode       string   `json:"mode" default:"learned" allowed:"learned|input" doc:"the neighbours of an exemplar: those of its k largest entries in Z, or its k nearest samples"`
	Diag       string   `json:"diag" default:"rank" allowed:"keep|rank|drop" doc:"how much samples stand for themselves: it counts in the choice of exemplars (keep), it does not (rank), or none does (drop)"`
	Scale      string   `json:"scale" default:"minmax" allowed:"minmax|shift|none" doc:"of the features: to [0, 1], to a least value of 0, or as they are"`
	Mu         float64  `json:"mu" default:"0.01" allowed:"> 0" doc:"μ, the penalty of the first iteration"`
	Rho        float64  `json:"rho" default:"1.1" allowed:"≥ 1" doc:"ρ, by which the penalty grows"`
	Iterations int      `json:"iterations" default:"150" allowed:"≥ 1" doc:"at most"`
	Tolerance  *float64 `json:"tolerance" default:"1e-5" allowed:"≥ 0" doc:"stop when the residuals of the splittings are at most so large; 0: never"`
	Labels     string   `json:"labels" default:"argmax" allowed:"argmax|kmeans" doc:"of a clustering: by each sample's largest entry of G, or by k-means among its rows"`
}

// Name returns "f-smrmf".
func (FSMRMF) Name() string { return "f-smrmf" }

func (p FSMRMF) check(n, _ int) error {
	return checkSelection(p.Name(), p.Neighbors, p.Exemplars, "inf", n)
}

func (p FSMRMF) factoring() factoring {
	o := selecting{lambda: p.Lambda, beta: p.Beta, exemplars: p.Exemplars, mode: p.Mode, diag: p.Diag}.graph()
	o.Fast, o.Delta = true, p.Delta
	return factoring{run: bySelection{
		byALM: byALM{Options: lagrangian(p.Lambda, p.Mu, p.Rho, p.Iterations, p.Tolerance), scale: p.Scale},
		graph: o, k: p.Neighbors,
	}}
}

func (p FSMRMF) grouping() grouping { return factorGrouping(p.Labels, p.factoring()) }
