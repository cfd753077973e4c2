package neighbors

import (
	"fmt"
	"hash/fnv"
	"math"
	"testing"

	"github.com/orthant-go/orthant/blas"
)

// adversaries are samples that are hard for partitions, bytes or bounded lists, of more rows than a leaf holds.
var adversaries = map[string]struct {
	x       func() Points
	k       int
	replace bool // bytes do not separate them
}{
	"equal": {x: func() Points { return Points{N: 5000, M: 6, Data: make([]float64, 5000*6)} }, k: 10},
	"a tenth doubled": {x: func() Points {
		x := smooth(5000, 20, 4, 2)
		for i := range 500 {
			copy(x.Row(4500+i), x.Row(i))
		}
		return x
	}, k: 10},
	"half in one cluster": {x: func() Points {
		x := sources["normal"](6000, 12)
		for i := range 3000 {
			blas.Scale(.1, x.Row(i))
		}
		return x
	}, k: 10},
	"heavy tails": {x: func() Points {
		x := Points{N: 5000, M: 8, Data: make([]float64, 5000*8)}
		rng := blas.NewStream(3)
		for i := range x.Data {
			x.Data[i] = math.Tan(math.Pi * (rng.Uniform() - .5))
		}
		return x
	}, k: 10, replace: true},
	"lattice": {x: func() Points {
		x := Points{N: 5000, M: 8, Data: make([]float64, 5000*8)}
		rng := blas.NewStream(3)
		for i := range x.Data {
			x.Data[i] = float64(rng.Below(4))
		}
		return x
	}, k: 10},
	"long lists":     {x: func() Points { return smooth(3000, 20, 5, 4) }, k: 100},
	"grey values":    {x: func() Points { return whole(smooth(5000, 70, 5, 4)) }, k: 15},
	"one column":     {x: func() Points { return smooth(5000, 1, 1, 4) }, k: 15, replace: true},
	"zeros as units": {x: func() Points { return turnedZeros() }, k: 15},
	"no structure":   {x: func() Points { return sources["normal"](5000, 60) }, k: 15},
}

// whole rounds to 256 grey values.
func whole(x Points) Points {
	low, high := math.Inf(1), math.Inf(-1)
	for _, v := range x.Data {
		low, high = min(low, v), max(high, v)
	}
	for i, v := range x.Data {
		x.Data[i] = math.Round((v - low) / (high - low) * 255)
	}
	return x
}

// turnedZeros are rows for a search by cosine, of which every tenth has no direction.
func turnedZeros() Points {
	x := smooth(5000, 20, 4, 6)
	for i := 0; i < x.N; i += 10 {
		clear(x.Row(i))
	}
	x, err := Cosine.ToEuclidean(x)
	if err != nil {
		panic(err)
	}
	return x
}

func fingerprint(g *Graph) string {
	h := fnv.New64a()
	for p, j := range g.Index {
		fmt.Fprintf(h, "%d %x ", j, math.Float64bits(g.Dist[p]))
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

func TestLeavesFindNeighborsOfAdversaries(t *testing.T) {
	for name, c := range adversaries {
		t.Run(name, func(t *testing.T) {
			threads := []int{1, 2, 3, 7}
			if testing.Short() {
				threads = threads[2:]
			}
			x := c.x()
			var first string
			var report Report
			for _, threads := range threads {
				g, r, err := Approximate(t.Context(), x, c.k, ApproximateOptions{Seed: 3, Threads: threads, always: true})
				if err != nil {
					t.Fatal(err)
				}
				if first == "" {
					first, report = fingerprint(g), r
					checkLists(t, x, c.k, g)
					if (r.Partitions == 0) != c.replace {
						t.Errorf("%d partitions: %+v", r.Partitions, r)
					}
					if testing.Short() {
						continue
					}
					truth, err := Exact(t.Context(), x, c.k, Options{})
					if err != nil {
						t.Fatal(err)
					}
					if recall := recallAgainst(g, truth); recall < .985 || math.Abs(recall-r.Recall) > .005 {
						t.Errorf("recall %v, reported as %v", recall, r.Recall)
					}
				} else if got := fingerprint(g); got != first || r != report {
					t.Errorf("%d threads: %s, %+v differ from %s, %+v", threads, got, r, first, report)
				}
			}
		})
	}
}

// The rows that a leaf search keeps are decided by whole numbers alone, so that the lists are the same for every
// instruction set.
func TestLeavesAreTheSameForEveryInstructionSet(t *testing.T) {
	const want = "b09b54c3112b9ff7"
	g, r, err := Approximate(t.Context(), whole(smooth(6000, 33, 5, 4)), 8, ApproximateOptions{Seed: 3, Recall: .9})
	if err != nil || r.Partitions == 0 || r.Iterations > 0 {
		t.Fatalf("%+v, %v", r, err)
	}
	if got := fingerprint(g); got != want {
		t.Errorf("the graph is %s, not %s", got, want)
	}
}

// Where more partitions are wanted than an exact search costs, that is taken.
func TestLeavesLeaveToExact(t *testing.T) {
	x := sources["normal"](9000, 100)
	g, r, err := Approximate(t.Context(), x, 15, ApproximateOptions{Seed: 3, Recall: .999})
	if err != nil || r.Partitions == 0 || !r.Exact || r.Trees > 0 || r.Reached >= .999 {
		t.Fatalf("%+v, %v", r, err)
	}
	checkLists(t, x, 15, g)
}
