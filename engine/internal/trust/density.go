package trust

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/samples"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// density compares the distance of the last listed neighbour in the map and in the data: the logarithm of their ratio for each
// sample, less the median, and the rank correlation. Samples with copies have no ratio: NaN.
func density(data, there *neighbors.Graph) (ratio []float32, correlation float64) {
	n := data.Len()
	if data.Dist == nil {
		return nil, math.NaN()
	}
	ratio = make([]float32, n)
	var a, b, known []float64
	for i := range n {
		in, out := data.Distances(i), there.Distances(i)
		ratio[i] = float32(math.NaN())
		if len(in) == 0 || len(out) == 0 {
			continue
		}
		x, y := in[len(in)-1], out[len(out)-1]
		a, b = append(a, x), append(b, y)
		if x > 0 && y > 0 {
			ratio[i] = float32(math.Log(y) - math.Log(x))
			known = append(known, float64(ratio[i]))
		}
	}
	if len(known) > 0 {
		slices.Sort(known)
		middle := known[len(known)/2]
		for i := range ratio {
			ratio[i] -= float32(middle)
		}
	}
	return ratio, Spearman(a, b)
}

// between returns the rank correlation of the distances of the centres of groups in the data and in the map; NaN: there are fewer
// than four groups.
func between(x samples.Samples, y *mat.Dense, label []int32, count int) float64 {
	if count < 4 || x.Absent() || x.Compressed() != nil {
		return math.NaN()
	}
	_, dim := y.Dims()
	m := x.M()
	inData, inMap, size := mat.NewDense(count, m, nil), mat.NewDense(count, dim, nil), make([]float64, count)
	for i, c := range label {
		blas.Axpy(1, x.Row(i), inData.RawRowView(int(c)))
		blas.Axpy(1, y.RawRowView(i), inMap.RawRowView(int(c)))
		size[c]++
	}
	for c := range count {
		blas.Scale(1/size[c], inData.RawRowView(c))
		blas.Scale(1/size[c], inMap.RawRowView(c))
	}
	var a, b []float64
	for c := range count {
		for d := range c {
			a = append(a, blas.SquaredDistance(inData.RawRowView(c), inData.RawRowView(d)))
			b = append(b, blas.SquaredDistance(inMap.RawRowView(c), inMap.RawRowView(d)))
		}
	}
	return Spearman(a, b)
}

// Spearman returns the correlation of the ranks of two lists; equal numbers have the mean of their ranks. NaN: one is constant.
func Spearman(a, b []float64) float64 {
	ra, rb := ranks(a), ranks(b)
	middle := float64(len(a)-1) / 2
	var aa, bb, ab float64
	for i := range ra {
		x, y := ra[i]-middle, rb[i]-middle
		aa, bb, ab = aa+x*x, bb+y*y, ab+x*y
	}
	return ab / math.Sqrt(aa*bb)
}

func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(values[a], values[b]), a-b) })
	rank := make([]float64, len(values))
	for lo := 0; lo < len(order); {
		hi := lo + 1
		for hi < len(order) && values[order[hi]] == values[order[lo]] {
			hi++
		}
		for _, i := range order[lo:hi] {
			rank[i] = float64(lo+hi-1) / 2
		}
		lo = hi
	}
	return rank
}
