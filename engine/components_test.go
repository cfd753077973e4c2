package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/vector"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
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

// The layout of the parts and the reports about them. TestStages tests that their coordinates are
// those of separate embeddings.
func TestComponents(t *testing.T) {
	x := twoRolls(t)
	m := LTSA{Neighbors: 9}
	// Each of the 80 has 79 others nearby, so its 80th neighbour is the first in the other
	// part.
	refusing(t).embed("", x, m, Options{Components: "error"})
	each, joint := embed(t, x, m, Options{Components: "each"}), embed(t, x, m, Options{Components: "joint"})
	for name, r := range map[string]*Result{"largest": embed(t, x, m, Options{Components: "largest"}), "each": each, "joint": joint} {
		if r.Components != 2 || !slices.Equal(r.Sizes, []int{120, 80}) || len(r.Warnings) == 0 {
			t.Errorf("%s: %d components of %v samples, warnings %q", name, r.Components, r.Sizes, r.Warnings)
		}
	}
	var of [2]*mat.Dense
	for part, size := range []int{120, 80} {
		of[part] = mat.NewDense(size, 2, nil)
	}
	for i := range 200 {
		if i%5 < 3 {
			of[0].SetRow(i/5*3+i%5, each.Y.RawRowView(i))
		} else {
			of[1].SetRow(i/5*2+i%5-3, each.Y.RawRowView(i))
		}
	}
	if left, right := mat.Min(of[1].ColView(0)), mat.Max(of[0].ColView(0)); left <= right {
		t.Errorf("each: the second component begins at %g, before the first one ends at %g", left, right)
	}
	// Each of the 80 samples has the same area as each of the 120: the second part has 80/120 of the area.
	if got := scatterOf(of[1]) / scatterOf(of[0]); math.Abs(got*got-80.0/120) > 1e-12 {
		t.Errorf("each: the parts' areas are as %g, not as 80 to 120", got*got)
	}
	for j := range 2 {
		if mean := mat.Sum(joint.Y.ColView(j)) / 200; math.Abs(mean) > 1e-10 {
			t.Errorf("joint: column %d has mean %g", j, mean)
		}
	}
	if joint.Values[0] > 1e-14 {
		t.Errorf("joint: the smallest eigenvalue is %g, but there are two null vectors", joint.Values[0])
	}
}

// A component of few samples has as many coordinates as possible.
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

// By default a graph with several components is embedded, and the warning says how.
func TestComponentsByDefault(t *testing.T) {
	x := twoRolls(t)
	for _, c := range []struct {
		m         Method
		how, says string
	}{
		{LTSA{Neighbors: 9}, "each", "2 components (sizes 120, 80), which 80 neighbours would join: each is embedded on its own"},
		{NEML{Neighbors: 9}, "each", "Only positions within a component have a meaning"},
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

// Copies are reported, whether they are kept or merged.
func TestDuplicates(t *testing.T) {
	x := generate(t, "swiss-roll", 150, 1).X
	var twice mat.Dense
	twice.Stack(x, x.Slice(0, 40, 0, 3))
	for _, how := range []string{"keep", "merge"} {
		r := embed(t, &twice, LTSA{Neighbors: 9}, Options{Duplicates: how})
		if r.Duplicates != 40 || len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0], "40 samples equal an earlier one") {
			t.Errorf("%s: %d duplicates, warnings %q", how, r.Duplicates, r.Warnings)
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

// One way is suggested first, with its reason; ways that do not apply are not offered.
func TestAdviceOnComponents(t *testing.T) {
	all := []string{"largest", "each", "joint", "bridge"}
	for name, c := range map[string]struct {
		sizes       []int
		offered     []string
		k, joining  int
		first, rest string
		auto, edges string // choice of components=auto, and for a method with its own rule for new samples
	}{
		"outliers":          {[]int{970, 20, 10}, all, 12, 90, "choose ‹components=largest›: it holds 97 %", "(else each, joint or bridge; 90 neighbours would join them)", "each", "bridge"},
		"parts":             {[]int{1224, 72, 72, 72}, all, 12, 69, "choose ‹components=each›: each has at least 72 samples, enough to be embedded on its own", "(else largest, joint or bridge; 69", "each", "bridge"},
		"too small":         {[]int{60, 30, 2}, all, 12, 40, "choose ‹components=bridge›: some are too small", "(else largest, each or joint; 40", "bridge", "bridge"},
		"too small, no X":   {[]int{60, 30, 2}, all[:3], 12, 0, "choose ‹components=each›: each is embedded on its own", "(else largest or joint)", "each", "each"},
		"isolated, no X":    {[]int{60, 1}, all[:2], 12, 0, "choose ‹components=largest›: it holds 98.4 %", "(else each)", "each", "each"},
		"isolated, a model": {[]int{60, 1}, all[:1], 12, 0, "choose ‹components=largest›: it holds 98.4 %", "become NaN", "largest", "largest"},
		"paths":             {[]int{60, 50}, all[:2], 12, 0, "choose ‹components=each›", "(else largest)", "each", "each"},
		"nearly joined":     {[]int{60, 50}, all, 12, 14, "14 neighbours would join them, hardly more than the 12 asked for: take ‹neighbors=14›", "(or choose ‹components=largest›, each, joint or bridge)", "each", "bridge"},
		"eighteen parts":    {append([]int{3600}, slices.Repeat([]int{16}, 17)...), all, 12, 16, "16 neighbours would join them", "each", "each", "bridge"}, // local fits to bridges put all samples in one spot
		"hundreds of parts": {append([]int{30}, slices.Repeat([]int{20}, 24)...), all, 12, 0, "choose ‹components=bridge›", "(else largest, each or joint)", "bridge", "bridge"},
		"pairs":             {[]int{2, 2, 2}, []string{"each"}, 1, 0, "choose ‹components=each›: each is embedded on its own", "", "each", "each"},
		"nothing":           {[]int{2, 2, 2}, nil, 1, 0, "take a smaller ‹dim›", "", "error", "error"},
	} {
		w := ways{sizes: c.sizes, dim: 2, offered: c.offered}
		if got := w.advice(c.k, c.joining); !strings.HasPrefix(got, c.first) || !strings.Contains(got, c.rest) {
			t.Errorf("%s: %s", name, got)
		}
		if got := w.auto(); got != c.auto {
			t.Errorf("%s: auto is %s", name, got)
		}
		w.extends = true
		if got := w.auto(); got != c.edges {
			t.Errorf("%s: auto of edges is %s", name, got)
		}
	}
}

// Every method with a neighbour graph works over bridges, and reports it.
func TestBridgeJoins(t *testing.T) {
	x := twoRolls(t)
	each(t, local(t), nil, func(t *testing.T, m Method) {
		if Values(m)["exclude_self"] == true { // with 10, no list has sample 150, and no equation places it
			if err := Set(m, "neighbors", "20"); err != nil {
				t.Fatal(err)
			}
		}
		r, model := fittedModel(t, x, m, Options{Components: "bridge", Model: true})
		if r.Components != 2 || !r.Converged || r.Details["bridges"] == nil {
			t.Errorf("%d components, converged %v, details %v", r.Components, r.Converged, r.Details)
		}
		text := strings.Join(r.Warnings, "\n")
		if !strings.Contains(text, "2 components (sizes 120, 80)") && m.Name() != "lnp" && m.Name() != "smce" {
			t.Errorf("warnings %q", text)
		}
		if !strings.Contains(text, fmt.Sprintf("the longest of length %.4g", r.Details["longest_bridge"])) {
			t.Errorf("warnings %q do not contain the length", text)
		}
		for at, v := range r.Y.RawMatrix().Data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("coordinate %d of sample %d is %v", at%2, at/2, v)
			}
		}
		y := transformed(t, model, x, Options{})
		for at, v := range y.RawMatrix().Data {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				t.Fatalf("coordinate %d of sample %d, given again, is %v", at%2, at/2, v)
			}
		}
		for _, threads := range []int{1, 3} {
			again := embed(t, x, m, Options{Components: "bridge", Threads: threads})
			if !slices.Equal(again.Y.RawMatrix().Data, r.Y.RawMatrix().Data) {
				t.Errorf("other coordinates with %d threads", threads)
			}
		}
	})
}

// Samples on a line in two groups: the bridge is the gap, and paths over it have the
// lengths of the line, in the fit and in the model.
func TestIsomapOverABridge(t *testing.T) {
	x := mat.NewDense(30, 1, nil)
	for i := range 30 {
		x.Set(i, 0, float64(i))
		if i >= 18 {
			x.Set(i, 0, float64(i)+40.5)
		}
	}
	r, model := fittedModel(t, x, Isomap{Neighbors: 3, Dim: 1}, Options{Components: "bridge"})
	if r.Details["bridges"] != 1 || r.Details["longest_bridge"] != 41.5 {
		t.Errorf("details %v", r.Details)
	}
	y := transformed(t, model, x, Options{})
	for i := range 30 {
		want := math.Abs(x.At(i, 0) - x.At(0, 0))
		if got := math.Abs(r.Y.At(i, 0) - r.Y.At(0, 0)); math.Abs(got-want) > 1e-9 {
			t.Errorf("sample %d is %v from the first, on the line %v", i, got, want)
		}
		if math.Abs(y.At(i, 0)-r.Y.At(i, 0)) > 1e-9 {
			t.Errorf("sample %d, given again, is at %v, was at %v", i, y.At(i, 0), r.Y.At(i, 0))
		}
	}
}

// The default of lnp is to bridge; a given policy has priority.
func TestLNPBridgesByDefault(t *testing.T) {
	x := twoRolls(t)
	r := embed(t, x, LNP{Neighbors: 9}, Options{})
	if r.Params["components"] != "bridge" {
		t.Errorf("parameters %v", r.Params)
	}
	if _, err := Embed(context.Background(), x, LNP{Neighbors: 9}, Options{Components: "error"}); err == nil || !strings.Contains(err.Error(), "joint or bridge") {
		t.Errorf("components=error: %v", err)
	}
	largest := embed(t, x, LNP{Neighbors: 9}, Options{Components: "largest"})
	left := 0
	for i := range 200 {
		if math.IsNaN(largest.Y.At(i, 0)) {
			left++
		}
	}
	if left == 0 {
		t.Error("components=largest leaves nothing out")
	}
	if lle := embed(t, generate(t, "swiss-roll", 200, 1).X, LLE{}, Options{}); lle.Params["components"] != "auto" {
		t.Errorf("lle: parameters %v", lle.Params)
	}
	var twice mat.Dense
	twice.Stack(x, x.Slice(0, 40, 0, 3))
	merged := embed(t, &twice, LNP{Neighbors: 9}, Options{Duplicates: "merge"})
	for i := range 40 {
		if !slices.Equal(merged.Y.RawRowView(200+i), merged.Y.RawRowView(i)) {
			t.Fatalf("a copy of sample %d lies elsewhere", i)
		}
	}
	if few := embed(t, x, LNP{Neighbors: 9}, Options{Landmarks: 90}); math.IsNaN(few.Y.At(199, 1)) {
		t.Error("landmarks: a sample has no coordinates")
	}
}

// For real data with a disconnected graph no part is a point: samples have distinct
// places.
func TestLNPOfRealData(t *testing.T) {
	for _, name := range []string{"sonar", "mfeat-pix", "coil20"} {
		t.Run(name, func(t *testing.T) {
			x := dataset(t, name+".X.npy")
			r, model := fittedModel(t, x, LNP{}, Options{Model: true})
			if r.Components < 5 || !r.Converged {
				t.Errorf("%d components, converged %v", r.Components, r.Converged)
			}
			n, d := r.Y.Dims()
			for j := range d {
				col := mat.Col(nil, j, r.Y)
				if mean, norm := vector.Sum(col)/float64(n), blas.Dot(col, col); math.Abs(mean) > 1e-10 || math.Abs(norm-1) > 1e-10 {
					t.Errorf("column %d has mean %g and squared norm %g", j, mean, norm)
				}
			}
			places := map[[2]float64]int{}
			for i := range n {
				row := r.Y.RawRowView(i)
				places[[2]float64{math.Round(row[0] * 1e8), math.Round(row[1] * 1e8)}]++
			}
			if len(places) < n*9/10 {
				t.Errorf("%d samples at %d places", n, len(places))
			}
			y := transformed(t, model, x, Options{})
			moved := 0
			for i := range n {
				if math.Hypot(y.At(i, 0)-r.Y.At(i, 0), y.At(i, 1)-r.Y.At(i, 1)) > 1e-9 {
					moved++
				}
			}
			if moved > r.Duplicates { // duplicates move to the place of the earlier one
				t.Errorf("%d samples, given again, lie elsewhere", moved)
			}
		})
	}
}

// Parts with fewer samples than there are coordinates have zeros in the others.
func TestLNPOfSmallParts(t *testing.T) {
	x := mat.NewDense(9, 2, []float64{0, 0, 1, 0, 2, 0.1, 3, 0, 4, 0, 50, 0, 51, 0, 52, 0.1, 53, 0})
	r := embed(t, x, LNP{Neighbors: 3, Dim: 6}, Options{})
	if r.Components != 2 || len(r.Values) != 6 || len(r.Residuals) != 6 || !math.IsNaN(r.Values[5]) {
		t.Errorf("%d components, eigenvalues %v, residuals %v", r.Components, r.Values, r.Residuals)
	}
	for i := range 9 {
		if r.Y.At(i, 5) != 0 || r.Y.At(i, 0) == 0 {
			t.Errorf("sample %d is at %v", i, r.Y.RawRowView(i))
		}
	}
}

// Samples without neighbours are a block on the side of the other components, as high as the largest of these at most and outside of all of them.
func TestSamplesAloneAreABlock(t *testing.T) {
	var entries []sparse.Triplet
	const side, alone = 12, 30
	for i := range side * side { // a grid
		for _, j := range []int{i + 1, i + side} {
			if j < side*side && (j == i+side || j%side > 0) {
				entries = append(entries, sparse.Triplet{Row: i, Col: j, Val: 1}, sparse.Triplet{Row: j, Col: i, Val: 1})
			}
		}
	}
	n := side*side + alone
	g := must(neighbors.FromMatrix(must(sparse.FromTriplets(n, n, entries))(t)))(t)
	for _, m := range []Method{LE{}, Isomap{}, DiffusionMaps{Dim: 1}, LE{Dim: 3}} {
		y := embed(t, nil, m, Options{Graph: g}).Y
		_, dim := y.Dims()
		low, high := slices.Repeat([]float64{math.Inf(1)}, dim), slices.Repeat([]float64{math.Inf(-1)}, dim)
		for i := range side * side {
			for j := range dim {
				low[j], high[j] = min(low[j], y.At(i, j)), max(high[j], y.At(i, j))
			}
		}
		places := map[string]bool{}
		for i := side * side; i < n; i++ {
			row := y.RawRowView(i)
			places[fmt.Sprint(row)] = true
			if row[0] <= high[0] || row[0] > high[0]+(high[0]-low[0]) || dim > 1 && (row[1] < low[1] || row[1] > high[1]) || dim > 2 && row[2] != 0 {
				t.Errorf("%s, dim %d: sample %d is at %v beside %v to %v", m.Name(), dim, i, row, low, high)
			}
		}
		if len(places) != alone {
			t.Errorf("%s: %d places for %d samples", m.Name(), len(places), alone)
		}
	}
}
