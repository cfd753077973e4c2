package consensus

import "math"

// Together returns the share of the runs in which two samples have the same label, S × S, from
// S labels of every run (Brunet et al. 2004).
func Together(labels [][]int64) []float64 {
	s := len(labels[0])
	shares := make([]float64, s*s)
	for _, run := range labels {
		for i, a := range run {
			row := shares[i*s : (i+1)*s]
			for j, b := range run {
				if a == b {
					row[j]++
				}
			}
		}
	}
	for i := range shares {
		shares[i] /= float64(len(labels))
	}
	return shares
}

// Cophenetic returns the correlation, over the pairs of S samples, of the distance 1 − shares
// and the height at which average linkage joins the pair. 1: all runs group the samples
// alike. NaN if all pairs have the same distance. O(S²) memory and time.
func Cophenetic(shares []float64, s int) float64 {
	distances := make([]float64, len(shares))
	for i, v := range shares {
		distances[i] = 1 - v
	}
	heights := averageLinkage(distances, s)
	var n, sx, sy, sxx, syy, sxy float64
	for i := range s {
		for j := range i {
			x, y := 1-shares[i*s+j], heights[i*s+j]
			n, sx, sy = n+1, sx+x, sy+y
			sxx, syy, sxy = sxx+x*x, syy+y*y, sxy+x*y
		}
	}
	vx, vy := sxx-sx*sx/n, syy-sy*sy/n
	if !(vx > 1e-12*n) || !(vy > 1e-12*n) {
		return math.NaN()
	}
	return (sxy - sx*sy/n) / math.Sqrt(vx*vy)
}

// averageLinkage computes the tree of average linkage by nearest-neighbour chains (Murtagh 1983)
// and returns the height at which each pair of samples
// is joined. It overwrites the distances.
func averageLinkage(d []float64, s int) []float64 {
	heights := make([]float64, s*s)
	members := make([][]int, s) // members of the cluster that a sample represents; nil: none
	for i := range members {
		members[i] = []int{i}
	}
	var chain []int
	for left := s; left > 1; {
		if len(chain) == 0 {
			for i, m := range members {
				if m != nil {
					chain = append(chain, i)
					break
				}
			}
		}
		a := chain[len(chain)-1]
		before := -1
		if len(chain) > 1 {
			before = chain[len(chain)-2]
		}
		b := before // the first on ties, because otherwise the chain could cycle
		for j, m := range members {
			if m != nil && j != a && (b < 0 || d[a*s+j] < d[a*s+b]) {
				b = j
			}
		}
		if b != before {
			chain = append(chain, b)
			continue
		}
		chain = chain[:len(chain)-2]
		height := d[a*s+b]
		for _, i := range members[a] {
			for _, j := range members[b] {
				heights[i*s+j], heights[j*s+i] = height, height
			}
		}
		p, q := float64(len(members[a])), float64(len(members[b]))
		for j, m := range members {
			if m != nil && j != a && j != b {
				v := (p*d[a*s+j] + q*d[b*s+j]) / (p + q)
				d[a*s+j], d[j*s+a] = v, v
			}
		}
		members[a], members[b] = append(members[a], members[b]...), nil
		left--
	}
	return heights
}
