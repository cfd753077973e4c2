package measures

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
)

// TestSplitsByHand follows the definition step by step for two classes.
func TestSplitsByHand(t *testing.T) {
	labels := []int64{7, 3, 7, 3, 3, 7, 3, 3}
	got := must.Get(StratifiedSplits(labels, 2, 0.5, 4))(t)
	rng := blas.NewStream(4)
	for s := range 2 {
		var train []int
		for _, p := range [][]int{{1, 3, 4, 6, 7}, {0, 2, 5}} { // class 3, then 7
			for i := range len(p) / 2 {
				j := i + int(math.Floor(rng.Uniform()*float64(len(p)-i)))
				p[i], p[j] = p[j], p[i]
				train = append(train, p[i])
			}
		}
		slices.Sort(train)
		if !slices.Equal(got[s].Train, train) {
			t.Errorf("split %d trains on %v, want %v", s, got[s].Train, train)
		}
	}
}

func TestSplitsPartition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		classes := rapid.IntRange(2, 4).Draw(t, "classes")
		var labels []int64
		sizes := map[int64]int{}
		for c := range classes {
			size := rapid.IntRange(2, 9).Draw(t, "size")
			labels = append(labels, slices.Repeat([]int64{int64(c*c) - 3}, size)...)
			sizes[int64(c*c)-3] = size
		}
		share := rapid.Float64Range(0.001, 0.999).Draw(t, "share")
		splits, err := StratifiedSplits(labels, 3, share, rapid.Uint64().Draw(t, "seed"))
		if err != nil || len(splits) != 3 {
			t.Fatalf("%d splits (%v)", len(splits), err)
		}
		for _, s := range splits {
			all := append(slices.Clone(s.Train), s.Test...)
			slices.Sort(all)
			for i, j := range all {
				if i != j || len(all) != len(labels) {
					t.Fatalf("not a partition: %v", s)
				}
			}
			if !slices.IsSorted(s.Train) || !slices.IsSorted(s.Test) {
				t.Fatalf("not ascending: %v", s)
			}
			count := map[int64]int{}
			for _, i := range s.Train {
				count[labels[i]]++
			}
			for l, size := range sizes {
				if want := float64(size) * share; count[l] < 1 || count[l] >= size || math.Abs(float64(count[l])-want) > 1 {
					t.Fatalf("class %d trains on %d of %d at a share of %v", l, count[l], size, share)
				}
			}
		}
	})
}

func TestTrainingCount(t *testing.T) {
	for _, c := range []struct {
		size  int
		share float64
		want  int
	}{{100, 0.29, 29}, {10, 0.7, 7}, {600, 0.5, 300}, {5, 0.5, 2}, {2, 0.1, 1}, {2, 0.99, 1}, {10, 0.999, 9}} {
		t.Run(fmt.Sprintf("%v of %d", c.share, c.size), func(t *testing.T) {
			if got := trainingCount(c.size, c.share); got != c.want {
				t.Errorf("%v of %d: %d, want %d", c.share, c.size, got, c.want)
			}
		})
	}
}

func TestHolisticErrors(t *testing.T) {
	// Two classes on two parallel lines, 0.5 apart where points are 1 apart:
	// feature lines see them, nearest points mostly too.
	n := 40
	y, labels := mat.NewDense(n, 2, nil), make([]int64, n)
	for i := range n {
		labels[i] = int64(i % 2)
		y.SetRow(i, []float64{float64(i), 0.1 * float64(i%2)})
	}
	rates := must.Get(HolisticErrors(context.Background(), y, labels, Trial{Splits: 5, Seed: 9}, Options{}, NN, NFL))(t)
	if len(rates) != 2 || len(rates[0]) != 5 || len(rates[1]) != 5 {
		t.Fatalf("rates %v", rates)
	}
	if rates[1].Mean() != 0 {
		t.Errorf("points on the classes' own lines: NFL error %v", rates[1])
	}
	// The same by hand, split by split.
	splits, _ := StratifiedSplits(labels, 5, 0.5, 9)
	for s, split := range splits {
		wrong := 0
		for _, i := range split.Test {
			best, label := math.Inf(1), int64(-1)
			for _, j := range split.Train {
				if d := blas.SquaredDistance(y.RawRowView(i), y.RawRowView(j)); d < best {
					best, label = d, labels[j]
				}
			}
			if label != labels[i] {
				wrong++
			}
		}
		if want := float64(wrong) / float64(len(split.Test)); rates[0][s] != want {
			t.Errorf("split %d: NN error %v, want %v", s, rates[0][s], want)
		}
	}
	if rates[0].Mean() == 0 {
		t.Error("the points are too easy to test anything")
	}
}

func TestRates(t *testing.T) {
	r := Rates{1, 2, 4, 5}
	// Mean 3, squares 4+1+1+4 over 3.
	if r.Mean() != 3 || math.Abs(r.Deviation()-math.Sqrt(10.0/3)) > 1e-15 || (Rates{7}).Deviation() != 0 {
		t.Errorf("mean %v, deviation %v", r.Mean(), r.Deviation())
	}
}

// A constant embedding is not an error: the lowest index decides, so that every
// test sample is taken for the class of the first training sample.
func TestConstantEmbedding(t *testing.T) {
	labels := []int64{0, 0, 0, 0, 1, 1, 1, 1, 1, 1}
	rates := must.Get(HolisticErrors(context.Background(), mat.NewDense(10, 2, nil), labels, Trial{Splits: 3}, Options{}, NN, NFL))(t)
	for c := range rates {
		for _, v := range rates[c] {
			if v != 0.6 { // 3 of 5 are of class 1
				t.Errorf("classifier %d: rates %v, want 0.6", c, rates[c])
			}
		}
	}
}

func TestSplitErrors(t *testing.T) {
	labels := []int64{0, 0, 1, 1}
	for share, splits := range map[float64]int{0: 1, 1: 1, -0.5: 1, 1.5: 1, math.Inf(1): 1} {
		_, err := StratifiedSplits(labels, splits, share, 1)
		refuses(t, err, "between 0 and 1")
	}
	_, err := StratifiedSplits(labels, 1, math.NaN(), 1)
	refuses(t, err, "between 0 and 1")
	for _, count := range []int{0, -1} {
		_, err = StratifiedSplits(labels, count, 0.5, 1)
		refuses(t, err, "want at least 1")
	}
	_, err = StratifiedSplits([]int64{5, 5, 5}, 1, 0.5, 1)
	refuses(t, err, "of 1 class")
	_, err = StratifiedSplits(nil, 1, 0.5, 1)
	refuses(t, err, "of 0 class")
	_, err = StratifiedSplits([]int64{5, 5, 6}, 1, 0.5, 1)
	refuses(t, err, "class 6 has one sample")
	y := normal(1, 4, 2)
	_, err = HolisticErrors(context.Background(), y, labels[:3], Trial{}, Options{}, NN)
	refuses(t, err, "3 labels for 4 samples")
	_, err = HolisticErrors(context.Background(), y, labels, Trial{}, Options{}, "svm")
	refuses(t, err, `unknown classifier "svm"`)
	y.Set(0, 1, math.NaN())
	_, err = HolisticErrors(context.Background(), y, labels, Trial{}, Options{}, NN)
	refuses(t, err, "NaN")
}

func TestReconstruction(t *testing.T) {
	// X = WH + E with E known: ‖E‖/‖X‖.
	w, h, e := normal(1, 150, 3), normal(2, 3, 7), normal(3, 150, 7)
	var x mat.Dense
	x.Mul(w, h)
	x.Add(&x, e)
	want := mat.Norm(e, 2) / mat.Norm(&x, 2)
	for _, o := range []Options{{}, {Threads: 1}, {Threads: 3}} {
		got, err := Reconstruction(context.Background(), &x, w, h, o)
		// Products of three terms and 1050 squares: 1e-14 is 50 roundings.
		if err != nil || math.Abs(got-want) > 1e-14 {
			t.Errorf("%v (%v), want %v", got, err, want)
		}
	}
	// Squares would overflow.
	x.Scale(1e200, &x)
	w.Scale(1e200, w)
	if got, err := Reconstruction(context.Background(), &x, w, h, Options{}); err != nil || math.Abs(got-want) > 1e-14 {
		t.Errorf("far out: %v (%v), want %v", got, err, want)
	}
	_, err := Reconstruction(context.Background(), &x, w, normal(2, 4, 7), Options{})
	refuses(t, err, "W is 150 × 3 and H 4 × 7 for data of 150 × 7")
	_, err = Reconstruction(context.Background(), mat.NewDense(150, 7, nil), w, h, Options{})
	refuses(t, err, "all zeros")
	h.Scale(1e300, h)
	_, err = Reconstruction(context.Background(), &x, w, h, Options{})
	refuses(t, err, "beyond the range")
	h.Set(0, 0, math.NaN())
	_, err = Reconstruction(context.Background(), &x, w, h, Options{})
	refuses(t, err, "the H has NaN")
}
