package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/orthant-go/orthant/engine"
)

// clusterReport is what --json prints of a clustering.
type clusterReport struct {
	Method      string            `json:"method"`
	Params      map[string]any    `json:"params"`
	Samples     int               `json:"samples"`
	Features    int               `json:"features"`
	Sparse      bool              `json:"sparse"` // the data were and stayed sparse
	Clusters    int               `json:"clusters"`
	Sizes       []int             `json:"cluster_sizes"`
	Parts       []part            `json:"parts"`
	Objective   map[string]number `json:"objective"`
	Inertia     number            `json:"inertia"` // of k-means among the samples; null: not asked of them
	Iterations  int               `json:"iterations"`
	Converged   bool              `json:"converged"`
	Eigenvalues []number          `json:"eigenvalues"`
	Residuals   []number          `json:"residuals"`
	Next        number            `json:"next_eigenvalue"`
	Quality     *engine.Verdict   `json:"quality"`
	Components  int               `json:"components"`
	CompSizes   []int             `json:"component_sizes"`
	Duplicates  int               `json:"duplicates"`
	Seed        uint64            `json:"seed"`
	Out         string            `json:"out"`
	Embeddings  string            `json:"out_embeddings"`
	Centers     string            `json:"out_centers"`
	Affinities  string            `json:"out_affinities"`
	Exemplars   []int             `json:"exemplars"` // rows of the samples, from 0; empty: the method has none
	Model       string            `json:"model"`
	Plot        string            `json:"plot"`
	Details     map[string]any    `json:"details"`
	Explained   []string          `json:"explanation,omitempty"`
	cost
	machine
}

func (c *clustering) report(r *engine.Clustering, parts []part) error {
	spent := c.spentBy(r.Seconds, r.CPUSeconds, r.Backend, r.Threads, r.EstimatedBytes)
	if c.json {
		for i := range parts {
			parts[i].Rows = nil // they are in the labels
		}
		return c.printJSON(clusterReport{
			Method: r.Method, Params: finite(r.Params), Samples: r.Samples, Features: r.Features, Sparse: r.Sparse, Clusters: r.Clusters, Sizes: r.Sizes, Parts: parts,
			Objective: map[string]number{"first": number(r.FirstCost), "last": number(r.Cost)}, Inertia: number(inertia(r)), Iterations: r.Iterations, Converged: r.Converged, Quality: r.Quality,
			Eigenvalues: numbers(r.Values), Residuals: numbers(r.Residuals), Next: number(r.Next), Components: r.Components, CompSizes: list(r.ComponentSizes),
			Duplicates: r.Duplicates, Seed: c.seed, Out: c.out, Embeddings: c.outEmbeddings, Centers: c.outCenters, Affinities: c.outAffinities, Exemplars: list(r.Exemplars), Model: c.model, Plot: c.plot, Details: finite(r.Details),
			Explained: c.explanation(), cost: spent, machine: c.machine(),
		})
	}
	w := c.say()
	line(w, r.Method, "%s", pairs(r.Params))
	kind := ""
	if r.Sparse {
		kind = ", sparse"
	}
	line(w, "data", "%s%s", shapeOf(r.Samples, r.Features), kind)
	const shown = 12
	text := fmt.Sprintf("%s of %v samples", counted(r.Clusters, "cluster"), r.Sizes[:min(len(r.Sizes), shown)])
	if dims := dimensions(r.Parts[:min(len(r.Parts), shown)]); dims != "" {
		text += ", dimensions " + dims
	}
	line(w, "clusters", "%s", text)
	if r.Components > 0 {
		line(w, "graph", "%s", counted(r.Components, "component"))
	}
	if len(r.Values) > 0 {
		line(w, "eigen", "%.4g  then %.4g", []float64(r.Values[:min(len(r.Values), 8)]), r.Next)
	}
	if left, ok := r.Details["relative_error"].(float64); ok {
		line(w, "factors", "error %.6g of ‖X‖ after %s", left, counted(r.Details["factor_iterations"].(int), "iteration"))
	}
	if !math.IsNaN(r.Cost) {
		heading := "cost"
		if _, by := r.Seconds["kmeans"]; by {
			heading = "k-means"
		}
		line(w, heading, "%.6g after %s", r.Cost, counted(r.Iterations, "iteration"))
	}
	writeCost(w, spent)
	writeWritten(w, c.out, c.outEmbeddings, c.outCenters, c.outAffinities, c.model, c.plot)
	return nil
}

// inertia is the cost of k-means among the samples themselves; NaN: there is none.
func inertia(r *engine.Clustering) float64 {
	if r.Centers == nil {
		return math.NaN()
	}
	return r.Cost
}

// dimensions lists the estimated dimensions of clusters; empty: there are none.
func dimensions(parts []engine.Part) string {
	var text []string
	known := false
	for _, p := range parts {
		known = known || p.Dimension > 0
		text = append(text, fmt.Sprint(p.Dimension))
	}
	if !known {
		return ""
	}
	return strings.Join(text, ", ")
}
