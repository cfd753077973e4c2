package measures

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// bestMatching tries every one-to-one matching.
func bestMatching(counts [][]int, row int, used int) int {
	if row == len(counts) {
		return 0
	}
	best := bestMatching(counts, row+1, used) // the row goes without
	for j, c := range counts[row] {
		if used&(1<<j) == 0 {
			best = max(best, c+bestMatching(counts, row+1, used|1<<j))
		}
	}
	return best
}

func TestAccuracyIsTheBestMatching(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		classes, clusters := rapid.IntRange(1, 6).Draw(t, "classes"), rapid.IntRange(1, 6).Draw(t, "clusters")
		truth, predicted := make([]int64, n), make([]int64, n)
		counts := make([][]int, classes)
		for i := range counts {
			counts[i] = make([]int, clusters)
		}
		for i := range n {
			a, b := rapid.IntRange(0, classes-1).Draw(t, "a"), rapid.IntRange(0, clusters-1).Draw(t, "b")
			counts[a][b]++
			truth[i], predicted[i] = int64(a)*7-3, math.MaxInt64-int64(b) // names do not matter
		}
		want := float64(bestMatching(counts, 0, 0)) / float64(n)
		acc, err := Accuracy(truth, predicted)
		if err != nil || acc != want {
			t.Fatalf("accuracy %v (%v), want %v", acc, err, want)
		}
		back, err := Accuracy(predicted, truth)
		if err != nil || back != acc {
			t.Fatalf("accuracy %v, with the roles exchanged %v (%v)", acc, back, err)
		}
		rate, err := Misclassification(truth, predicted)
		if err != nil || math.Abs(rate+acc-1) > 1e-15 {
			t.Fatalf("misclassification %v with accuracy %v (%v)", rate, acc, err)
		}
	})
}

// TestAssignFindsThePermutation hides, in a problem too large to try all
// matchings of, a permutation that is the cheapest of every row.
func TestAssignFindsThePermutation(t *testing.T) {
	const n = 200
	hidden := make([]int, n)
	for i := range hidden {
		hidden[i] = (i*77 + 5) % n // 77 and 200 have no common factor
	}
	match := assign(n, n+20, func(i, j int) int {
		if j == hidden[i] {
			return -5
		}
		return (i*31 + j*17) % 9
	})
	if !slices.Equal(match, hidden) {
		t.Errorf("match %v", match)
	}
}

func TestNMI(t *testing.T) {
	a := []int64{0, 0, 0, 1, 1, 2}
	renamed := []int64{9, 9, 9, -4, -4, 0}
	for _, norm := range append([]string{""}, Normalizations...) {
		t.Run("norm "+norm, func(t *testing.T) {
			if got, err := NMI(a, renamed, norm); err != nil || math.Abs(got-1) > 1e-15 {
				t.Errorf("%q: %v (%v) for equal labellings", norm, got, err)
			}
			// Independent: every class has the same share of every cluster.
			if got, err := NMI([]int64{0, 0, 1, 1}, []int64{0, 1, 0, 1}, norm); err != nil || got > 1e-15 {
				t.Errorf("%q: %v (%v) for independent labellings", norm, got, err)
			}
			if got, err := NMI([]int64{3, 3}, []int64{1, 1}, norm); err != nil || got != 1 {
				t.Errorf("%q: %v (%v) for two trivial labellings", norm, got, err)
			}
			if got, err := NMI([]int64{3, 4}, []int64{1, 1}, norm); err != nil || got != 0 {
				t.Errorf("%q: %v (%v) against a trivial labelling", norm, got, err)
			}
		})
	}
	// {0,0,1,1} against {0,0,0,1}: by hand, in units of ln 2.
	l := math.Log2
	h, k := 1.0, -(0.75*l(0.75) + 0.25*l(0.25))
	mutual := 0.5*l(0.5/(0.5*0.75)) + 0.25*l(0.25/(0.5*0.75)) + 0.25*l(0.25/(0.5*0.25))
	for norm, over := range map[string]float64{"max": h, "min": k, "geometric": math.Sqrt(h * k), "arithmetic": (h + k) / 2} {
		t.Run("by hand, "+norm, func(t *testing.T) {
			got, err := NMI([]int64{0, 0, 1, 1}, []int64{0, 0, 0, 1}, norm)
			if err != nil || math.Abs(got-mutual/over) > 1e-14 {
				t.Errorf("%s: %v (%v), want %v", norm, got, err, mutual/over)
			}
		})
	}
}

func TestNMIProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(t, "n")
		label := rapid.Int64Range(0, 4)
		a, b := rapid.SliceOfN(label, n, n).Draw(t, "a"), rapid.SliceOfN(label, n, n).Draw(t, "b")
		var got [4]float64
		for i, norm := range []string{"max", "arithmetic", "geometric", "min"} {
			v, err := NMI(a, b, norm)
			if err != nil || !(v >= 0 && v <= 1) {
				t.Fatalf("%s: %v (%v)", norm, v, err)
			}
			back, err := NMI(b, a, norm)
			if err != nil || math.Abs(v-back) > 1e-13 {
				t.Fatalf("%s: %v, with the roles exchanged %v (%v)", norm, v, back, err)
			}
			got[i] = v
		}
		for i := range 3 { // the larger the mean, the smaller the quotient
			if got[i] > got[i+1]+1e-13 {
				t.Fatalf("max, arithmetic, geometric, min: %v", got)
			}
		}
	})
}

func TestClusterErrors(t *testing.T) {
	for _, f := range []func(a, b []int64) (float64, error){
		Accuracy, Misclassification, ErrorRate,
		func(a, b []int64) (float64, error) { return NMI(a, b, "max") },
	} {
		_, err := f([]int64{1, 2}, []int64{1})
		refuses(t, err, "2 labels and 1 predictions")
		_, err = f(nil, nil)
		refuses(t, err, "0 labels and 0 predictions")
	}
	_, err := NMI([]int64{1}, []int64{1}, "geometrical")
	refuses(t, err, `did you mean "geometric"?`)
	all := make([]int64, 10000)
	for i := range all {
		all[i] = int64(i)
	}
	_, err = Accuracy(all, all)
	refuses(t, err, "do not look like labels")
}

func TestNalacByHand(t *testing.T) {
	first := [][]int{{1, 2, 3}, {0, 2}, {3}, {}}
	second := [][]int{{1, 3}, {2, 0}, {}, {0}}
	// Point 0: rank 1 of 2 agrees; 1: none of 2; 2 and 3: an empty list.
	if got, err := Nalac(first, second); err != nil || got != 0.5/4 {
		t.Errorf("nalac %v (%v), want 0.125", got, err)
	}
	// Point 0: two of max(3, 2) in common; 1: two of 2.
	if got, err := SoftNalac(first, second); err != nil || math.Abs(got-(2.0/3+1)/4) > 1e-15 {
		t.Errorf("soft-nalac %v (%v), want 5/12", got, err)
	}
	for _, f := range []func(a, b [][]int) (float64, error){Nalac, SoftNalac} {
		_, err := f(first, second[:3])
		refuses(t, err, "4 lists of neighbours in the data and 3 in the embedding")
		_, err = f(nil, nil)
		refuses(t, err, "0 lists")
		_, err = f([][]int{{1}, {2}}, [][]int{{1}, {0}})
		refuses(t, err, "point 1 in the data: index 2 of 2 points")
		_, err = f([][]int{{1}, {0}}, [][]int{{1, 1}, {0}})
		refuses(t, err, "point 0 in the embedding: index 1 is listed twice")
	}
}
