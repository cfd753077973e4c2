package method

import "github.com/orthant-go/orthant/engine/internal/factor"

// DSMF is deep semi-nonnegative factorisation (Trigeorgis, Bousmalis, Zafeiriou and
// Schuller 2014): samples of unit length, in layers,
//
//	Xᵀ ≈ Z₁Z₂⋯Z_lH_l,   H_i ≥ 0,
//
// where the next layer factorises each layer's H, and finally all are tuned together. W is H_lᵀ
// with every row in the scale of its sample, and H is (Z₁⋯Z_l)ᵀ, with entries of any sign, like the
// data. Sparse data stay sparse. 4nmR flops for each iteration, and 8nmR for training
// the first layer.
type DSMF struct {
	Layers     string   `json:"layers" default:"auto" doc:"the ranks of the layers, such as 40,20: each at most the previous one and the smaller side of the data, the last equal to the rank R; auto: 2R,R, where 2R is at most the rank of the data"`
	Iterations int      `json:"iterations" default:"500" allowed:"≥ 1" doc:"the most iterations of the training of each layer, and of the fine-tuning"`
	Tolerance  *float64 `json:"tolerance" default:"1e-5" allowed:"≥ 0" doc:"stop when the error ‖X − WH‖ of samples of unit length changes by less than this times max(1, error); 0: never"`
	Labels     string   `json:"labels" default:"kmeans" allowed:"kmeans|argmax" doc:"how a clustering gets labels: by k-means among the codes of samples of unit length (20 starts), or by each sample's largest code, which may mean nothing, because components have any sign"`
}

// Name returns "dsmf".
func (DSMF) Name() string { return "dsmf" }

func (p DSMF) row() Row {
	return Row{Factorize: p.factoring, Cluster: p.grouping}
}

func (p DSMF) factoring() factor.Plan {
	return factor.Plan{Solve: factor.Deep{Layers: p.Layers, Iterations: p.Iterations, Tolerance: *p.Tolerance}, Sparse: true}
}

func (p DSMF) grouping(int) Grouping {
	g := factorGrouping(p.Labels, p.factoring())
	g.KMeans.Restarts = deepRestarts
	return g
}

// deepRestarts is the number of starts of k-means among codes.
const deepRestarts = 20
