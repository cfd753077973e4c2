package restarts_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/restarts"
	"github.com/orthant-go/orthant/internal/must"
)

// Three runs of two components: the first component of run 0 is found by all, the second turns.
func ExampleStabilityOfParts() {
	spectra := mat.NewDense(6, 3, []float64{
		1, 0, 0,
		0, 3, 4,
		0, 1, 0, // run 1, in the other order
		2, 0, 0,
		5, 0, 0,
		0, 0, 7,
	})
	parts, err := restarts.StabilityOfParts(context.Background(), spectra, 2, 0, restarts.StabilityOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range parts {
		fmt.Printf("cosine %.2f, at least %.2f, silhouette %.2f\n", p.Cosine, p.Least, p.Silhouette)
	}
	fmt.Println(restarts.ComparedRuns(5, 2, 3, 4))
	// Output:
	// cosine 1.00, at least 1.00, silhouette 1.00
	// cosine 0.70, at least 0.60, silhouette 0.31
	// [0 1 2 3 4]
}

// Components that are found again are told from those that are not, by the plain definitions.
func TestStabilityIsThatOfThePlainDefinition(t *testing.T) {
	const rank, runs, best = 3, 5, 2
	_, spectra := programmesOf(t, 80, rank, runs, map[string]string{"programmes": "2", "dims": "20", "depth": "80"})
	got := must.Get(restarts.StabilityOfParts(context.Background(), spectra, rank, best, restarts.StabilityOptions{Threads: 2}))(t)
	unit := mat.DenseCopyOf(spectra)
	for i := range runs * rank {
		row := unit.RawRowView(i)
		length := mat.Norm(mat.NewVecDense(len(row), row), 2)
		for j := range row {
			row[j] /= length
		}
	}
	dot := func(i, j int) float64 { return mat.Dot(unit.RowView(i), unit.RowView(j)) }
	orders := [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}
	labels := make([]int, runs*rank)
	mean, least := make([]float64, rank), []float64{2, 2, 2}
	for run := range runs {
		sum := func(o []int) (s float64) {
			for i, k := range o {
				s += dot(run*rank+i, best*rank+k)
			}
			return s
		}
		most := orders[0]
		for _, o := range orders {
			if sum(o) > sum(most) {
				most = o
			}
		}
		for i, k := range most {
			labels[run*rank+i] = k
			if run != best {
				c := dot(run*rank+i, best*rank+k)
				mean[k] += c / (runs - 1)
				least[k] = min(least[k], c)
			}
		}
	}
	widths := make([]float64, rank)
	for i, own := range labels {
		sums := make([]float64, rank)
		for j, k := range labels {
			sums[k] += math.Sqrt(max(0, 2-2*dot(i, j)))
		}
		a, b := sums[own]/(runs-1), math.Inf(1)
		for k, s := range sums {
			if k != own {
				b = min(b, s/runs)
			}
		}
		widths[own] += (b - a) / max(a, b) / runs
	}
	for k, p := range got {
		if math.Abs(p.Cosine-mean[k]) > 1e-12 || math.Abs(p.Least-least[k]) > 1e-12 || math.Abs(p.Silhouette-widths[k]) > 1e-6 {
			t.Errorf("component %d: %+v, want %v, %v, %v", k, p, mean[k], least[k], widths[k])
		}
	}
	if least[0] > 0.999 && least[1] > 0.999 && least[2] > 0.999 {
		t.Error("the runs agree, and nothing is tested")
	}
}

// The parts of a consensus have shares of its usages, the members of its clusters, and together its stability.
func TestPartsOfAConsensus(t *testing.T) {
	const rank, runs = 3, 6
	p, spectra := programmesOf(t, 100, rank, runs, map[string]string{"programmes": "3", "dims": "20", "depth": "150"})
	c := must.Get(restarts.FindConsensus(context.Background(), p.Counts, spectra, rank, restarts.ConsensusOptions{Threshold: 2}))(t)
	var stability, shares float64
	kept := 0
	product := mat.NewDense(100, 20, nil)
	product.Mul(c.Usages, c.Spectra)
	for k, part := range c.Parts {
		stability += part.Silhouette * float64(part.Kept)
		kept += part.Kept
		var one mat.Dense
		one.Mul(c.Usages.ColView(k), c.Spectra.RowView(k).T())
		if want := mat.Sum(&one) / mat.Sum(product); math.Abs(part.Share-want) > 1e-12 {
			t.Errorf("component %d has the share %v, want %v", k, part.Share, want)
		}
		shares += part.Share
		if !(part.Least <= part.Cosine && part.Cosine <= 1+1e-12 && part.Sparseness > 0) {
			t.Errorf("component %d: %+v", k, part)
		}
	}
	if math.Abs(stability/float64(kept)-c.Stability) > 1e-12 || kept != c.Kept || math.Abs(shares-1) > 1e-12 {
		t.Errorf("stability %v of %d, shares %v; of the consensus %v of %d", stability/float64(kept), kept, shares, c.Stability, c.Kept)
	}
}

func TestStabilityRefuses(t *testing.T) {
	spectra := mat.NewDense(4, 2, []float64{1, 0, 0, 1, 1, 0, 0, 1})
	for _, c := range []struct {
		rank, run int
		says      string
	}{{3, 0, "4 components are not runs of rank 3"}, {4, 0, "give two runs at least"}, {2, 2, "run 2 of 2"}, {0, 0, "rank 0"}} {
		must.Refuse(t, c.says)(restarts.StabilityOfParts(context.Background(), spectra, c.rank, c.run, restarts.StabilityOptions{}))
	}
	spectra.Set(3, 1, math.NaN())
	must.Refuse(t, "run 1")(restarts.StabilityOfParts(context.Background(), spectra, 2, 0, restarts.StabilityOptions{}))
	ended, end := context.WithCancel(context.Background())
	end()
	must.Refuse(t, "canceled")(restarts.StabilityOfParts(ended, spectra, 2, 0, restarts.StabilityOptions{}))
	if some := engine.ComparedRuns(1000, 1000, 1000, 7); len(some) != 8 || some[0] != 7 {
		t.Errorf("%v are compared", some)
	}
}
