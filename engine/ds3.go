package engine

import (
	"math"

	"github.com/orthant-go/orthant/solvers/exemplars"
	norms "github.com/orthant-go/orthant/solvers/projections"
)

// DS3 chooses representatives by the dissimilarities of all pairs of samples (Elhamifar,
// Sapiro and Sastry 2016): zᵢⱼ is how much sample i stands for sample j, and
//
//	min ⟨D, Z⟩   under Z ≥ 0, 1ᵀZ = 1ᵀ, Σᵢ ‖zᵢ‖_p ≤ τ     (constrained)
//	min ⟨D, Z⟩ + α ρ_max Σᵢ ‖zᵢ‖_p under the first two   (regularised)
//
// with ‖·‖_p of rows and D divided by its largest entry; samples whose rows are large
// represent the others. Exemplars come by falling norm of their rows. In the
// constrained form τ is their number for p = ∞, and √(n·number) for p = 2: so much have
// rows that share the samples evenly. To cluster, there are as many exemplars as clusters,
// and each sample goes to the one that stands for it most. O(n²) an iteration, 40n² bytes.
// The objective is ⟨D, Z⟩.
type DS3 struct {
	Form            string   `json:"form" default:"constrained" allowed:"constrained|regularised" doc:"the sum of the norms of Z's rows is bounded, or a term of the objective"`
	P               string   `json:"p" default:"inf" allowed:"inf|2" doc:"the norm of a row: its largest entry, or its length"`
	Alpha           float64  `json:"alpha" default:"0.1" allowed:"> 0" doc:"α, the weight of the term as a share of ρ_max, the one that leaves a single representative (regularised); smaller takes more exemplars"`
	Mu              float64  `json:"mu" default:"0.1" allowed:"> 0" doc:"μ, the penalty of the alternating directions; it changes the way to the solution, not the solution"`
	Iterations      int      `json:"iterations" default:"3000" allowed:"≥ 1" doc:"at most"`
	Tolerance       *float64 `json:"tolerance" default:"1e-7" allowed:"≥ 0" doc:"stop when both copies of Z differ, and one of them changes, by no more than this in the mean; 0: never"`
	Dissimilarities string   `json:"dissimilarities" default:"euclidean" allowed:"euclidean|kernel" doc:"between samples: distances, or 1 less the similarities of dpp"`
	Neighbors       *int     `json:"neighbors" default:"auto" allowed:"≥ 1" doc:"k, the nearest sample whose distance is the width of the kernel; auto: ⌊√n⌋"`
	FeatureScale
}

// Name returns "ds3".
func (DS3) Name() string { return "ds3" }

func (m DS3) check(n, _ int) error {
	if m.Dissimilarities != "kernel" {
		return nil
	}
	return checkRoot(m.Name(), m.Neighbors, n, n-1)
}

func (m DS3) choose(p *problem, count int) (*choice, error) {
	found, first, err := m.solve(p, count)
	if err != nil {
		return nil, err
	}
	c := &choice{first: first, last: found.Objective, iterations: found.Iterations, converged: found.Converged}
	chosen := found.Representatives
	p.details["representatives"] = len(chosen)
	c.indices, err = p.filled(chosen[:min(count, len(chosen))], count, "no other row of Z is large")
	return c, err
}

// solve runs the programme for at most count representatives, and returns the objective
// of the start besides.
func (m DS3) solve(p *problem, count int) (found *exemplars.DS3Result, first float64, err error) {
	n := p.x.N
	if err := p.limit(40*int64(n)*int64(n)+16*int64(n)*int64(p.x.M), "take fewer samples, or raise the limit"); err != nil {
		return nil, 0, err
	}
	p.scaleFeatures(m.Scale)
	var d []float64
	if m.Dissimilarities == "kernel" {
		if d, err = p.adaptiveSimilarities(m.Neighbors); err == nil {
			for at, v := range d {
				d[at] = max(1-v, 0)
			}
		}
	} else {
		d, err = p.euclideanShares()
	}
	if err != nil {
		return nil, 0, err
	}
	o := exemplars.DS3Options{P: norms.Max, Mu: m.Mu, Alpha: m.Alpha, Iterations: m.Iterations, Tolerance: *m.Tolerance,
		Threads: p.options.Threads, Progress: p.fraction("solve")}
	if o.Tolerance == 0 {
		o.Tolerance = math.SmallestNonzeroFloat64
	}
	tau := float64(count)
	if m.P == "2" {
		o.P, tau = norms.Euclidean, math.Sqrt(float64(n)*tau)
	}
	if m.Form == "constrained" {
		o.Tau, o.Representatives = tau, count
		p.details["tau"] = tau
	}
	defer p.clock.Phase("solve")()
	if found, err = exemplars.DS3(p.ctx, d, n, o); err != nil {
		return nil, 0, err
	}
	if m.Form == "regularised" {
		p.details["rho_max"] = found.RhoMax
	}
	if !found.Converged && o.Tolerance > math.SmallestNonzeroFloat64 {
		p.warn("ds3 reached %d iterations before its tolerance: the representatives are the best found", found.Iterations)
	}
	return found, medoidCost(d, n), nil
}

// medoidCost is what it costs that one sample stands for all, with the largest
// dissimilarity scaled to 1.
func medoidCost(d []float64, n int) float64 {
	least, top := math.Inf(1), 0.0
	for i := range n {
		var sum float64
		for _, v := range d[i*n : (i+1)*n] {
			sum += v
			top = max(top, v)
		}
		least = min(least, sum)
	}
	if top == 0 {
		return 0
	}
	return least / top
}

func (m DS3) grouping() grouping {
	return grouping{
		assign: m.assign,
		within: pursuitWithin(12),
		embed:  func(_, dim int) Method { return PCA{Dim: dim} },
	}
}

// assign clusters by the exemplars that stand for the samples.
func (m DS3) assign(p *problem, r *Clustering) error {
	own := p.x
	found, first, err := m.solve(p, r.Clusters)
	p.x = own // what is said of the clusters is said of the samples as they came
	if err != nil {
		return err
	}
	r.Labels, r.FirstCost, r.Cost = found.Labels, first, found.Objective
	r.Iterations, r.Converged = found.Iterations, found.Converged
	p.details["exemplars"] = found.Representatives
	used := int64(0)
	for _, label := range found.Labels {
		used = max(used, label+1)
	}
	if int(used) < r.Clusters {
		p.warn("only %d of %d clusters have samples: no other exemplar stands for any", used, r.Clusters)
	}
	return nil
}
