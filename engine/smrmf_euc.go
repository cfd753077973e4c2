package engine

import "github.com/orthant-go/orthant/solvers/selective"

// SMRMFEuc is [SMRMF] with distances for dissimilarities: those between samples over the
// largest of them, and the squared ones between indicators, in place of the kernel's.
type SMRMFEuc struct {
	Neighbors *int `json:"neighbors" default:"auto" allowed:"≥ 1" doc:"k, the neighbours of each exemplar, at most n − 1; auto: ⌊√n⌋"`
	BoundedEncoding
	FeatureScale
	Lagrangian
	IndicatorLabels
}

// Name returns "smrmf-euc".
func (SMRMFEuc) Name() string { return "smrmf-euc" }

func (p SMRMFEuc) check(n, _ int) error {
	return checkSelection(p.Name(), p.Neighbors, p.Exemplars, p.P, n)
}

func (p SMRMFEuc) factoring() factoring {
	return factoring{run: bySelection{byALM: byALM{}.with(p.FeatureScale, p.Lagrangian), graph: selective.Options{Plain: true}, k: p.Neighbors}.encoded(p.BoundedEncoding)}
}

func (p SMRMFEuc) grouping() grouping { return factorGrouping(p.Labels, p.factoring()) }
