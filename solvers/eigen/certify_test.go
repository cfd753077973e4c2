package eigen

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// Counts agree with dense spectra for every kind of M, and no more than the pairs found are certified.
func TestCertificateAgainstDense(t *testing.T) {
	for _, n := range []int{60, 400} {
		a := randomSymmetric(t, n, 3, 0.1, 1)
		all := masses(t, n)
		stiffness, elements := lattice(t, int(math.Sqrt(float64(n))))
		all["elements"] = elements
		for name, m := range all {
			a := a
			if name == "elements" {
				a = stiffness
			}
			want := denseSpectrum(t, a, m)
			e, err := Pencil{A: a, M: m, Sigma: -0.1}.Smallest(context.Background(), 5, Options{Certified: true})
			if err != nil {
				t.Fatal(name, err)
			}
			c := e.Certificate
			below := 0
			for _, v := range want {
				if v < c.Shift {
					below++
				}
			}
			if !c.Holds() || c.Below != below || c.Missed != 0 || c.Pairs < 4 || !(c.Bound > 0 && c.Bound < 1e-8) {
				t.Errorf("%s, order %d: %+v, %d below", name, n, c, below)
			}
			if c.Pairs == 5 && !(c.Shift > e.Values[4]+c.Bound) {
				t.Errorf("%s, order %d: the shift %g is not behind the last of %g", name, n, c.Shift, e.Values)
			}
		}
	}
}

// Two plates without a joint: a search that starts on one of them never sees the other. The count
// does, and the search goes on.
func TestCertificateFindsWhatWasMissed(t *testing.T) {
	k, m := lattice(t, 20)
	n := k.Rows
	var entries, masses []sparse.Triplet
	for part := range 2 {
		k.DoNonZero(func(i, j int, v float64) {
			entries = append(entries, sparse.Triplet{Row: part*n + i, Col: part*n + j, Val: v})
		})
		m.DoNonZero(func(i, j int, v float64) {
			masses = append(masses, sparse.Triplet{Row: part*n + i, Col: part*n + j, Val: v * (1 + 0.3*float64(part))})
		})
	}
	a, errA := sparse.FromTriplets(2*n, 2*n, entries)
	mass, errM := sparse.FromTriplets(2*n, 2*n, masses)
	if errA != nil || errM != nil {
		t.Fatal(errA, errM)
	}
	start := make([][]float64, 8)
	for j := range start {
		start[j] = make([]float64, 2*n)
		for i := range n {
			start[j][i] = math.Cos(float64((j+1)*i)) + 0.1*float64(j)
		}
	}
	for name, p := range map[string]Pencil{"plain": {A: a, Sigma: -0.1, Start: start}, "sparse M": {A: a, M: mass, Sigma: -0.1, Start: start}} {
		want := denseSpectrum(t, a, p.M)
		found, err := p.Smallest(context.Background(), 7, Options{})
		if err != nil {
			t.Fatal(name, err)
		}
		if math.Abs(found.Values[6]-want[6]) < 1e-6 {
			t.Fatalf("%s: nothing was missed: %g", name, found.Values)
		}
		e, err := p.Smallest(context.Background(), 7, Options{Certified: true})
		if err != nil {
			t.Fatal(name, err)
		}
		if c := e.Certificate; c.Missed == 0 || !c.Holds() {
			t.Errorf("%s: %+v", name, c)
		}
		checkPencil(t, a, p.M, nil, e, want[:7], want[7])
	}
}

// Where eigenvalues behind the last one equal it, those before them are certified.
func TestCertificateInACluster(t *testing.T) {
	k, _ := lattice(t, 18) // eigenvalues of a square come in pairs
	want := denseSpectrum(t, k, nil)
	e := must.Get(Pencil{A: k}.Smallest(context.Background(), 2, Options{Certified: true}))(t)
	if math.Abs(want[1]-want[2]) > 1e-12 {
		t.Fatalf("eigenvalues 1 and 2 differ: %g", want[:4])
	}
	if c := e.Certificate; c.Pairs != 1 || c.Below != 1 || c.Known != 1 || !(c.Shift < want[1] && c.Shift > 0) {
		t.Errorf("%+v", c)
	}
}

func TestCertificateRefuses(t *testing.T) {
	k, _ := lattice(t, 18)
	_, err := Pencil{Operator: operatorOf(k)}.Smallest(context.Background(), 2, Options{Certified: true})
	if err == nil || !strings.Contains(err.Error(), "a certificate needs the entries of A") {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Smallest(ctx, k, nil, 2, Options{Certified: true}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
