package engine

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/vector"
)

// twoRolls are two swiss rolls of 120 and 80 samples, far apart.
func twoRolls(t *testing.T) *mat.Dense {
	a, b := generate(t, "swiss-roll", 120, 1).X, generate(t, "swiss-roll", 80, 2).X
	x := mat.NewDense(200, 3, nil)
	for i := range 200 {
		if i%5 < 3 {
			x.SetRow(i, a.RawRowView(i/5*3+i%5))
		} else {
			x.SetRow(i, b.RawRowView(i/5*2+i%5-3))
			x.Set(i, 1, x.At(i, 1)+1000)
		}
	}
	return x
}

func TestComponents(t *testing.T) {
	x := twoRolls(t)
	_, err := Embed(context.Background(), x, LTSA{Neighbors: 9}, Options{Components: "error"})
	// Each of the 80 has 79 others nearby, so the 80th neighbour is the first to
	// cross over.
	want := "2 components (sizes 120, 80); choose Components: \"each\": each has at least 80 samples, enough to be embedded on its own; they are laid side by side (else largest, joint or bridge; 80 neighbours would join them)"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Fatalf("got %v, want %q", err, want)
	}
	alone := embed(t, generate(t, "swiss-roll", 120, 1).X, LTSA{Neighbors: 9}, Options{})

	largest := embed(t, x, LTSA{Neighbors: 9}, Options{Components: "largest"})
	each := embed(t, x, LTSA{Neighbors: 9}, Options{Components: "each"})
	joint := embed(t, x, LTSA{Neighbors: 9}, Options{Components: "joint"})
	for name, r := range map[string]*Result{"largest": largest, "each": each, "joint": joint} {
		t.Run(name, func(t *testing.T) {
			if r.Components != 2 {
				t.Errorf("%d components", r.Components)
			}
			if len(r.Sizes) != 2 || r.Sizes[0] != 120 {
				t.Errorf("components of %v samples", r.Sizes)
			}
			if len(r.Warnings) == 0 {
				t.Error("no warning")
			}
		})
	}
	var right, left float64 = math.Inf(-1), math.Inf(1)
	for i := range 200 {
		for j := range 2 {
			if i%5 < 3 {
				at := i/5*3 + i%5
				if got, want := largest.Y.At(i, j), alone.Y.At(at, j); got != want {
					t.Fatalf("largest: entry (%d, %d) is %g, alone it is %g", i, j, got, want)
				}
				if got, want := each.Y.At(i, j), alone.Y.At(at, j); got != want {
					t.Fatalf("each: entry (%d, %d) is %g, alone it is %g", i, j, got, want)
				}
			} else if !math.IsNaN(largest.Y.At(i, j)) {
				t.Fatalf("largest: row %d, which is left out, is not NaN", i)
			}
		}
		if i%5 < 3 {
			right = max(right, each.Y.At(i, 0))
		} else {
			left = min(left, each.Y.At(i, 0))
		}
	}
	if left <= right {
		t.Errorf("each: the second component begins at %g, before the first one ends at %g", left, right)
	}
	for j := range 2 {
		if mean := vector.Sum(mat.Col(nil, j, joint.Y)) / 200; math.Abs(mean) > 1e-10 {
			t.Errorf("joint: column %d has mean %g", j, mean)
		}
	}
	// 80 samples take as much room each as 120: the second part has 80/120 of the area.
	var of [2][][]float64
	for i := range 200 {
		of[i%5/3] = append(of[i%5/3], each.Y.RawRowView(i))
	}
	area := func(rows [][]float64) float64 {
		y := mat.NewDense(len(rows), 2, nil)
		for i, row := range rows {
			y.SetRow(i, row)
		}
		return scatterOf(y) * scatterOf(y)
	}
	if got := area(of[1]) / area(of[0]); math.Abs(got-80.0/120) > 1e-12 {
		t.Errorf("each: the parts' areas are as %g, not as 80 to 120", got)
	}
	if joint.Values[0] > 1e-14 {
		t.Errorf("joint: the smallest eigenvalue is %g, but there are two null vectors", joint.Values[0])
	}
}

// A component of few samples has as many coordinates as it can have.
func TestComponentsTooSmall(t *testing.T) {
	x := mat.NewDense(6, 1, []float64{0, 1, 2, 100, 101, 102})
	for _, m := range []Method{LE{Neighbors: 2, Dim: 3}, LLE{Neighbors: 2, Dim: 3}, Isomap{Neighbors: 2, Dim: 3}, DiffusionMaps{Neighbors: 2, Dim: 3}} {
		r := embed(t, x, m, Options{Components: "each"})
		for i := range 6 {
			if y := r.Y.RawRowView(i); y[2] != 0 || math.IsNaN(y[0]+y[1]) || i%3 > 0 && slices.Equal(y, r.Y.RawRowView(i-1)) {
				t.Errorf("%s: sample %d is at %v", m.Name(), i, y)
			}
		}
		if len(r.Values) != 3 || !math.IsNaN(r.Values[2]) || !r.Converged {
			t.Errorf("%s: eigenvalues %v", m.Name(), r.Values)
		}
	}
	_, err := Embed(context.Background(), x, LE{Neighbors: 2, Dim: 3}, Options{Components: "largest"})
	if err == nil || !strings.Contains(err.Error(), `the largest component has 3 samples, which have no 3 coordinates; choose Components: "each", joint or bridge`) {
		t.Errorf("got %v", err)
	}
}

// By default a graph in several parts is embedded, and the warning says how.
func TestComponentsByDefault(t *testing.T) {
	x := twoRolls(t)
	for _, c := range []struct {
		m         Method
		how, says string
	}{
		{LTSA{Neighbors: 9}, "each", "2 components (sizes 120, 80), which 80 neighbours would join: each is embedded on its own"},
		{NEML{Neighbors: 9}, "each", "only positions within a component have a meaning"},
		{LE{Neighbors: 9}, "bridge", "relative positions of components depend on these alone"},
		{Isomap{Neighbors: 9}, "bridge", "2 components (sizes 120, 80), which 80 neighbours would join: 1 edge between nearest samples"},
		{LNP{Neighbors: 9}, "bridge", "say where each part, embedded on its own, is placed"},
	} {
		r, by := embed(t, x, c.m, Options{}), embed(t, x, c.m, Options{Components: c.how})
		if r.Params["components"] != c.how || !slices.Equal(r.Y.RawMatrix().Data, by.Y.RawMatrix().Data) {
			t.Errorf("%s: not as by components=%s (%v)", c.m.Name(), c.how, r.Params["components"])
		}
		if !strings.Contains(strings.Join(r.Warnings, "\n"), c.says) {
			t.Errorf("%s: warnings %q", c.m.Name(), r.Warnings)
		}
	}
}

func TestDuplicates(t *testing.T) {
	x := generate(t, "swiss-roll", 150, 1).X
	var twice mat.Dense
	twice.Stack(x, x.Slice(0, 40, 0, 3))
	kept := embed(t, &twice, LTSA{Neighbors: 9}, Options{})
	merged := embed(t, &twice, LTSA{Neighbors: 9}, Options{Duplicates: "merge"})
	alone := embed(t, x, LTSA{Neighbors: 9}, Options{})
	for name, r := range map[string]*Result{"keep": kept, "merge": merged} {
		t.Run(name, func(t *testing.T) {
			if r.Duplicates != 40 {
				t.Errorf("%d duplicates", r.Duplicates)
			}
			if len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0], "40 samples equal an earlier one") {
				t.Errorf("warnings %q", r.Warnings)
			}
		})
	}
	for i := range 190 {
		for j := range 2 {
			from := i
			if i >= 150 {
				from = i - 150
			}
			if merged.Y.At(i, j) != alone.Y.At(from, j) {
				t.Fatalf("merged: entry (%d, %d) is %g, without copies %g", i, j, merged.Y.At(i, j), alone.Y.At(from, j))
			}
		}
	}
}

// Two sheets joined by a chain of samples: connected, but hardly, which the
// eigenvalues show.
func TestWeakJointIsWarnedOf(t *testing.T) {
	sheet := generate(t, "swiss-roll", 2000, 1).X // with 600 samples it is torn
	r := embed(t, joinedSheets(t), LTSA{Neighbors: 10}, Options{})
	if r.Components != 1 || !strings.Contains(strings.Join(r.Warnings, "\n"), "the gap behind the eigenvalues is small") {
		t.Errorf("%d components, eigenvalues %g then %g, warnings %q", r.Components, r.Values, r.Next, r.Warnings)
	}
	if sound := embed(t, sheet, LTSA{Neighbors: 10}, Options{}); len(sound.Warnings) > 0 {
		t.Errorf("one sheet: warnings %q", sound.Warnings)
	}
}
