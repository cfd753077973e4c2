package smrmf

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/measures"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/solvers/alm"
	"github.com/orthant-go/orthant/solvers/kmeans"
	"github.com/orthant-go/orthant/sparse"
)

// What a selection of neighbourhoods could bring at most: the tenth of them that are purest
// by the labels against all, from the same start; and whether the objective of rmnmf is
// lower for the classes than for the clusters of k-means, as it would have to be for its
// minimum to be near them.

// oracleSets are those whose tables are quick to make.
func oracleSets() []dataSet {
	var list []dataSet
	for _, key := range []string{"sonar", "ionosphere", "movement", "wave", "musk1", "isolet", "coil-5", "orl"} {
		list = append(list, dataSets[slices.IndexFunc(dataSets, func(s dataSet) bool { return s.key == key })])
	}
	return list
}

func oracleName(s dataSet) string { return "oracle/" + s.key }

func oracleCases() []bench.Case {
	var cases []bench.Case
	for _, s := range oracleSets() {
		cases = append(cases, bench.Case{
			Name: oracleName(s), Data: s.source.Name(), N: s.n, M: s.m, Method: "rmnmf", Repeats: 1, Threads: bench.LongCaseThreads, Needs: append(s.needs(), "method:rmnmf"), Full: !s.quick,
			Params: map[string]any{"neighbors": oracleNeighbors(s.n), "exemplars": selectedTenth(s.n), "starts": oracleStarts},
			Run: func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
				return s.oracle(ctx, e, c)
			},
		})
	}
	return cases
}

// oracleStarts is the number of seeds of k-means, of whose figures the median is reported.
const oracleStarts = 5

func oracleNeighbors(n int) int { return min(7, int(math.Sqrt(float64(n)))) }

func selectedTenth(n int) int { return max(1, n/10) }

// oracle clusters the set with all neighbourhoods and with the purest ones.
func (s dataSet) oracle(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
	d, err := s.load(e, 1)
	if err != nil {
		return nil, err
	}
	n, m := d.X.Dims()
	out := &bench.Outcome{Quality: map[string]float64{}, Series: map[string][]float64{}, Samples: n, Features: m, DataHash: bench.HashMatrix(d.X)}
	near, err := nearestOf(ctx, d.X, oracleNeighbors(n), c.ThreadCount())
	if err != nil {
		return nil, err
	}
	o := alm.Options{Rank: s.classes, Balanced: true, Hold: 10, Harden: 20, Tolerance: 1e-5, Threads: c.ThreadCount()}
	if o.Kernels, err = blas.Select(c.Backend); err != nil {
		return nil, err
	}
	x := centered(d.X)
	if _, err := alm.Normalize(ctx, n, m, x, o); err != nil {
		return nil, err
	}
	whole := keptGraph(near, nil)
	graphs := map[string]*sparse.CSR{"full": whole, "purest": keptGraph(near, purest(near, d.Labels, selectedTenth(n)))}
	classes := make([]int, n)
	for i, y := range d.Labels {
		classes[i] = slices.Index(distinctLabels(d.Labels), y)
	}
	for seed := range uint64(oracleStarts) {
		means, err := kmeans.KMeans(ctx, x, n, m, s.classes, kmeans.KMeansOptions{Seed: seed + 1, Threads: o.Threads})
		if err != nil {
			return nil, err
		}
		add := func(key string, v float64) { out.Series[key] = append(out.Series[key], v) }
		for name, graph := range graphs {
			found, err := indicatorsFrom(ctx, n, m, x, means.Labels, graph, o)
			if err != nil {
				return nil, err
			}
			acc, err := measures.Accuracy(d.Labels, places(found.W, s.classes))
			if err != nil {
				return nil, err
			}
			add("acc-"+name, acc)
			if name == "full" {
				add("loss-kmeans", found.Partitions[0].Loss)
				add("term-kmeans", found.Partitions[0].Regularizer)
			}
		}
		labels := make([]int64, n)
		for i, c := range means.Labels {
			labels[i] = int64(c)
		}
		acc, err := measures.Accuracy(d.Labels, labels)
		if err != nil {
			return nil, err
		}
		add("acc-kmeans", acc)
		if seed > 0 {
			continue
		}
		own := o
		own.Passes = 1
		found, err := indicatorsFrom(ctx, n, m, x, classes, whole, own)
		if err != nil {
			return nil, err
		}
		add("loss-classes", found.Partitions[0].Loss)
		add("term-classes", found.Partitions[0].Regularizer)
	}
	for key, values := range out.Series {
		out.Quality[key] = bench.Summarize(values).Median
	}
	return out, nil
}

// indicatorsFrom runs the passes from a partition, with the λ of the defaults.
func indicatorsFrom(ctx context.Context, n, m int, x []float64, labels []int, graph *sparse.CSR, o alm.Options) (*alm.Result, error) {
	var loss, degree float64
	for i := range n {
		loss += math.Sqrt(blas.Dot(x[i*m:(i+1)*m], x[i*m:(i+1)*m]))
		_, vals := graph.Row(i)
		for _, v := range vals {
			degree += v / float64(n)
		}
	}
	o.Lambda = 0.5 * loss / (float64(o.Rank) * degree)
	var err error
	if o.W, o.H, err = alm.Rays(ctx, n, m, x, o.Rank, labels, nil, o); err != nil {
		return nil, err
	}
	return alm.Factorize(ctx, n, m, x, alm.Fixed(graph), o)
}

// keptGraph is (M + Mᵀ)/2, M with 1 for the neighbours of the chosen samples; nil: of all.
func keptGraph(g *neighbors.Graph, chosen []int) *sparse.CSR {
	if chosen == nil {
		for i := range g.Len() {
			chosen = append(chosen, i)
		}
	}
	var entries []sparse.Triplet
	for _, i := range chosen {
		for _, j := range g.Of(i) {
			entries = append(entries, sparse.Triplet{Row: i, Col: int(j), Val: 0.5}, sparse.Triplet{Row: int(j), Col: i, Val: 0.5})
		}
	}
	s, err := sparse.FromTriplets(g.Len(), g.Len(), entries)
	if err != nil {
		panic(err) // the neighbours are samples
	}
	return s
}

// purest are the samples with the most neighbours of their own class, the first of equal ones.
func purest(g *neighbors.Graph, labels []int64, count int) []int {
	order, own := make([]int, g.Len()), make([]int, g.Len())
	for i := range order {
		order[i] = i
		for _, j := range g.Of(i) {
			if labels[j] == labels[i] {
				own[i]++
			}
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(own[b], own[a]) })
	return order[:count]
}

// centered are the samples less their mean, row after row.
func centered(x *mat.Dense) []float64 {
	n, m := x.Dims()
	out := slices.Clone(mat.DenseCopyOf(x).RawMatrix().Data)
	mean := make([]float64, m)
	for i := range n {
		blas.Axpy(1/float64(n), out[i*m:(i+1)*m], mean)
	}
	for i := range n {
		blas.Axpy(-1, mean, out[i*m:(i+1)*m])
	}
	return out
}

func distinctLabels(labels []int64) []int64 {
	return slices.Compact(slices.Sorted(slices.Values(labels)))
}

// places are the places of the largest entries of the rows of w.
func places(w []float64, r int) []int64 {
	labels := make([]int64, len(w)/r)
	for i := range labels {
		row := w[i*r : (i+1)*r]
		labels[i] = int64(slices.Index(row, slices.Max(row)))
	}
	return labels
}

func oracleSections(r *bench.Records) []bench.Section {
	s := bench.Section{
		Title: "What a selection could bring",
		Text:  fmt.Sprintf("RMNMF with the defaults of this program, from k-means: with the neighbourhoods of all samples (min(7, ⌊√n⌋) neighbours, weights 1), and with the tenth of them that are purest by the labels, which no selection can know. Medians of %d seeds. The rows below have the loss and the graph term of the best feasible factors of the classes, and of the clusters of k-means: where they are higher for the classes, less of the objective leads away from them.", oracleStarts),
		Table: &bench.Table{Columns: []string{"set", "k-means", "all neighbourhoods", "purest tenth", "loss, classes", "loss, k-means", "graph term, classes", "graph term, k-means"}},
	}
	for _, set := range oracleSets() {
		row := []bench.Cell{bench.PlainCell(set.title)}
		for _, key := range []string{"acc-kmeans", "acc-full", "acc-purest", "loss-classes", "loss-kmeans", "term-classes", "term-kmeans"} {
			row = append(row, r.QualityCell(oracleName(set), key, "%.3f"))
		}
		s.Table.Rows = append(s.Table.Rows, row)
	}
	return []bench.Section{s}
}
