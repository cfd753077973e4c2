package communities

// Quality is a function of a partition that [Leiden] maximises.
type Quality uint8

// The quality functions, of a graph with weights w_ij, degrees d_i and total weight w = Σ_ij w_ij.
const (
	// Modularity is Σ_c (w_cc/w − γ (d_c/w)²), where w_cc sums the weights within community c, and d_c its degrees (Newman, Girvan 2004;
	// γ: Reichardt, Bornholdt 2006). Communities have more edges within than vertices of their degrees have by chance.
	Modularity Quality = iota
	// CPM is the constant Potts model, Σ_c (w_cc/2 − γ n_c(n_c − 1)/2) for communities of n_c vertices (Traag, Van Dooren, Nesterov 2011). Pairs
	// within a community have a mean weight above γ, and pairs between two communities one below it.
	CPM
)

func (o Options) resolution() float64 {
	if o.Resolution == nil {
		return 1
	}
	return *o.Resolution
}

// rate is r in the gain w(v, C) − r·n_v·n_C of a vertex v that joins the community C, for a graph of this weight.
func (o Options) rate(total float64) float64 {
	if o.Quality == CPM || total == 0 {
		return o.resolution()
	}
	return o.resolution() / total
}

// of returns the quality of a partition.
func (q Quality) of(g *graph, label []int32, count int, resolution, total float64) float64 {
	within, size := make([]float64, count), make([]float64, count)
	for i, c := range label {
		size[c] += g.size[i]
		cols, vals := g.row(int32(i))
		for p, j := range cols {
			if label[j] == c && (q == Modularity || int(j) != i) {
				within[c] += vals[p]
			}
		}
	}
	var sum float64
	for c := range count {
		switch {
		case q == CPM:
			sum += within[c]/2 - float64(resolution*size[c]*(size[c]-1)/2)
		case total > 0:
			share := size[c] / total
			sum += within[c]/total - float64(resolution*share*share)
		}
	}
	return sum
}
