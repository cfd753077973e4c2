package datasets

import (
	"math"
	"runtime"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// The counts of a programme have the means that they are drawn by.
func TestProgrammesHaveTheirMeans(t *testing.T) {
	p := must.Get(GenerateProgrammes(6000, 3, map[string]string{"programmes": "4", "dims": "30", "depth": "200"}))(t)
	n, m := 6000, 30
	sums, usages := make([]float64, m), make([]float64, 4)
	var all float64
	for i := range n {
		cols, vals := p.Counts.Row(i)
		for q, j := range cols {
			sums[j] += vals[q]
			all += vals[q]
		}
		row := p.Usages.RawRowView(i)
		blas.Axpy(1, row, usages)
		var sum float64
		for _, v := range row {
			sum += v
		}
		if math.Abs(sum-1) > 1e-12 || p.Labels[i] != int64(i%4) {
			t.Fatalf("sample %d of programme %d has the usages %v", i, p.Labels[i], row)
		}
	}
	// The mean of exp(0.3 z) is exp(0.045).
	if mean := all / float64(n); math.Abs(mean/(200*math.Exp(0.045))-1) > 0.02 {
		t.Errorf("a sample has %v counts on average", mean)
	}
	for j, got := range sums {
		var want float64
		for k, u := range usages {
			want += u * p.Spectra.At(k, j)
		}
		want *= 200 * math.Exp(0.045)
		if math.Abs(got-want) > 6*math.Sqrt(want)+0.03*want {
			t.Errorf("feature %d has %v counts, want about %v", j, got, want)
		}
	}
}

func TestPoissonOfLargeMeans(t *testing.T) {
	s := blas.NewStream(5)
	for _, mean := range []float64{0, 0.5, 30, 1730} {
		var sum, squares float64
		const n = 4000
		for range n {
			v := poisson(s, mean)
			sum, squares = sum+v, squares+v*v
		}
		average := sum / n
		variance := squares/n - average*average
		if math.Abs(average-mean) > 5*math.Sqrt(mean/n) || math.Abs(variance-mean) > 0.15*mean {
			t.Errorf("mean %v: average %v, variance %v", mean, average, variance)
		}
	}
}

func TestProgrammesForAnyNumberOfThreads(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	draw := func() *Programmes {
		p := must.Get(GenerateProgrammes(700, 9, map[string]string{"dims": "50"}))(t)
		return p
	}
	one := draw()
	runtime.GOMAXPROCS(4)
	four := draw()
	if !slices.Equal(one.Counts.Val, four.Counts.Val) || !slices.Equal(one.Counts.Col, four.Counts.Col) {
		t.Error("the counts depend on the number of threads")
	}
	set := must.Get(Generate("programmes", 700, 9, map[string]string{"dims": "50"}))(t)
	for i := range 700 {
		cols, vals := one.Counts.Row(i)
		for q, j := range cols {
			if set.X.At(i, int(j)) != vals[q] {
				t.Fatalf("the dense set has %v in row %d, column %d, the sparse one %v", set.X.At(i, int(j)), i, j, vals[q])
			}
		}
	}
}
