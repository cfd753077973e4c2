package engine

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
)

// roughRoll returns a roll of 4000 samples whose neighbourhoods lie within the noise.
func roughRoll(t *testing.T) *mat.Dense {
	t.Helper()
	set := generate(t, "swiss-roll", 4000, 1, "noise=0.3")
	return set.X
}

// Every method that unrolls is sound on a clean roll, and none of them on a noisy one;
// the verdict is in the warnings once.
func TestVerdictOfEmbeddings(t *testing.T) {
	clean, noisy := generate(t, "swiss-roll", 2500, 1).X, roughRoll(t)
	for _, m := range []Method{NEML{}, MLLE{}, LTSA{}, LTSACurvature{}, HLLE{}, Isomap{}} {
		x := clean
		r := embed(t, x, m, Options{})
		if q := r.Quality; q.Verdict != Sound || q.Sentence != "" || !(q.Even < 0.2) || len(r.Warnings) > 0 {
			t.Errorf("%s of a clean roll: %+v, %q", m.Name(), q, r.Warnings)
		}
		if m.Name() == "isomap" {
			continue // noise does not tear its long paths
		}
		r = embed(t, noisy, m, Options{})
		q := r.Quality
		if q.Verdict != Doubtful || q.Sentence == "" || strings.Count(strings.Join(r.Warnings, "\n"), q.Sentence) != 1 {
			t.Errorf("%s of a noisy roll: %+v, %q", m.Name(), q, r.Warnings)
		}
		if q.Gap != r.Next/r.Values[1] || len(q.Participation) != 2 || len(q.Sizes) != 5 || len(q.Worst) != 5 || slices.Max(q.Worst) >= 4000 {
			t.Errorf("%s: %+v", m.Name(), q)
		}
		if known := !math.IsNaN(q.WeightsBias); known != (m.Name() == "neml" || m.Name() == "mlle") {
			t.Errorf("%s: weights' bias %g", m.Name(), q.WeightsBias)
		}
	}
}

// A flat cube of d dimensions in 50 columns is unrolled up to rounding, without doubts:
// the last of d directions has as much variance as by chance, and half of a neighbourhood, which has
// no more samples than directions, is not examined for curvature.
func TestVerdictInManyDimensions(t *testing.T) {
	for _, c := range []struct {
		d, k  int
		noise float64
	}{{6, 12, 0}, {8, 12, 0}, {10, 12, 0}, {10, 20, 0}, {20, 30, 0}, {8, 12, 0.02}} {
		x := cubeInColumns(800, c.d, 50, c.noise)
		if q := embed(t, x, LTSA{Neighbors: c.k, Dim: c.d}, Options{}).Quality; q.Verdict != Sound || q.Sentence != "" || len(q.NotJudged) > 0 {
			t.Errorf("d = %d, k = %d, noise %g: %+v", c.d, c.k, c.noise, q)
		}
	}
	// One coordinate too many is reported, with the dimension of the data.
	if q := embed(t, cubeInColumns(800, 6, 50, 0.001), LTSA{Neighbors: 20, Dim: 7}, Options{}).Quality; q.Verdict != Doubtful || !strings.Contains(q.Sentence, "Dim: 6") {
		t.Errorf("7 coordinates of 6 dimensions: %+v", q)
	}
	// More coordinates than a neighbourhood has directions are not judged.
	if q := embed(t, cubeInColumns(600, 10, 50, 0), Isomap{Neighbors: 10, Dim: 10}, Options{}).Quality; q.Verdict == Sound {
		t.Errorf("10 coordinates by 10 neighbours: %+v", q)
	}
}

// cubeInColumns draws from the unit cube of d dimensions, rotated into the given number of columns, with noise.
func cubeInColumns(n, d, columns int, noise float64) *mat.Dense {
	s := blas.NewStream(5)
	flat, turn := mat.NewDense(n, d, nil), mat.NewDense(columns, d, nil)
	s.Uniforms(flat.RawMatrix().Data)
	s.Normals(turn.RawMatrix().Data)
	var qr mat.QR
	qr.Factorize(turn)
	var q, x mat.Dense
	qr.QTo(&q)
	x.Mul(flat, q.Slice(0, columns, 0, d).T())
	e := make([]float64, n*columns)
	s.Normals(e)
	blas.Axpy(noise, e, x.RawMatrix().Data)
	return &x
}

// Noise in 200 columns is never sound, in any number of coordinates, and checks not made are reported.
func TestVerdictOnNoise(t *testing.T) {
	x := mat.NewDense(500, 200, nil)
	blas.NewStream(9).Normals(x.RawMatrix().Data)
	for _, dim := range []int{2, 16, 17, 24} {
		for _, m := range []Method{Isomap{Neighbors: 40, Dim: dim}, PCA{Dim: dim}, LE{Neighbors: 40, Dim: dim}} {
			if q := embed(t, x, m, Options{}).Quality; q.Verdict == Sound || q.Sentence == "" && len(q.NotJudged) == 0 {
				t.Errorf("%s, dim %d: %+v", m.Name(), dim, q)
			}
		}
	}
}

// Outliers occupy the places of a plot, and leave one for the rest.
func TestVerdictOnCollapse(t *testing.T) {
	x := mat.DenseCopyOf(generate(t, "swiss-roll", 400, 1).X)
	x.Set(7, 0, 1e6)
	x.Set(9, 1, 1e6)
	if q := embed(t, x, PCA{}, Options{}).Quality; q.Verdict != Doubtful || !strings.Contains(q.Sentence, "few places") || !(q.Places < 3) {
		t.Errorf("%+v", q)
	}
	// Few distinct samples have few places, which is not an error.
	few := mat.NewDense(400, 3, nil)
	for i := range 400 {
		few.SetRow(i, []float64{float64(i % 2), float64(i / 2 % 2), float64(i / 4 % 2)})
	}
	if q := embed(t, few, PCA{}, Options{}).Quality; strings.Contains(q.Sentence, "few places") {
		t.Errorf("%+v", q)
	}
}

// A remedy is tried before it is suggested: for 800 samples of a roll 15 neighbours are too many, and 10
// give a sound embedding.
func TestRemediesAreTried(t *testing.T) {
	x := generate(t, "swiss-roll", 800, 1).X
	q := embed(t, x, NEML{Neighbors: 15}, Options{}).Quality
	if q.Verdict != Doubtful || !strings.Contains(q.Sentence, "Neighbors: 15 is too many; take Neighbors: 10: tried") {
		t.Errorf("%+v", q)
	}
	if len(q.Remedies) == 0 || q.Remedies[0].Setting != "neighbors=10" || !q.Remedies[0].Tried || !q.Remedies[0].Offered || !q.Remedies[0].Sound {
		t.Errorf("%+v", q.Remedies)
	}
	if q := embed(t, x, NEML{Neighbors: 10}, Options{}).Quality; q.Verdict != Sound {
		t.Errorf("the remedy: %+v", q)
	}
	// Without trials the same embedding has the advice alone.
	tried, named := embed(t, x, NEML{Neighbors: 15}, Options{}), embed(t, x, NEML{Neighbors: 15}, Options{Remedies: "named"})
	if q := named.Quality; !mat.Equal(tried.Y, named.Y) || q.Verdict != Doubtful || len(q.Remedies) == 0 || q.Remedies[0].Tried ||
		!strings.Contains(q.Sentence, `and with another method (not tried: trials are off; Remedies: "tried" turns them on)`) {
		t.Errorf("%+v", q)
	}
	// A remedy that was tried and does not help is not suggested.
	q = embed(t, x, LLE{Neighbors: 15}, Options{}).Quality
	if len(q.Remedies) == 0 || strings.Contains(q.Sentence, "take") {
		t.Errorf("lle: %+v", q)
	}
	// A trial has the numbers of an embedding by itself; it ends early if it loses neighbours.
	for _, r := range q.Remedies {
		var own LLE
		if err := Set(&own, "neighbors", strings.TrimPrefix(r.Setting, "neighbors=")); err != nil {
			t.Fatal(err)
		}
		w := embed(t, x, own, Options{}).Quality
		if lost := w.NeighborsKept < 0.8*q.NeighborsKept; r.NeighborsKept != w.NeighborsKept || r.Even != w.Even && !lost || lost != math.IsNaN(r.Even) {
			t.Errorf("%s: %+v, by itself %g and %g", r.Setting, r, w.NeighborsKept, w.Even)
		}
	}
}

// Dimensions beyond those of the data are reported.
func TestVerdictOnTheDimension(t *testing.T) {
	x := generate(t, "s-curve", 2000, 1).X
	for _, m := range []Method{LTSA{Neighbors: 12, Dim: 3}, Isomap{Dim: 3}} {
		if q := embed(t, x, m, Options{}).Quality; q.Verdict != Doubtful || !strings.Contains(q.Sentence, "Dim: 3 is too large") || !strings.Contains(q.Sentence, "take Dim: 2") || !(q.Thin < 0.04) {
			t.Errorf("%s: %+v", m.Name(), q)
		}
	}
}

// Without a sheet to unroll there are no charts, and few samples are not judged.
func TestVerdictWithoutCharts(t *testing.T) {
	x := generate(t, "swiss-roll", 400, 1).X
	for _, m := range []Method{LE{}, PCA{}, LPP{}, MDS{}, NLE{Iterations: 5}} {
		if q := embed(t, x, m, Options{}).Quality; q.Verdict == Doubtful || q.Charts != 0 || !math.IsNaN(q.Even) || len(q.Worst) > 0 {
			t.Errorf("%s: %+v", m.Name(), q)
		}
	}
	if q := embed(t, x.Slice(0, 100, 0, 3), LTSA{Neighbors: 12}, Options{Components: "largest"}).Quality; q.Charts != 0 {
		t.Errorf("%+v", q)
	}
}

// Every number can be written as JSON, unknown ones as null.
func TestQualityAsJSON(t *testing.T) {
	text := must(json.Marshal(&Quality{Verdict: Sound, Gap: math.Inf(1), Even: math.NaN(), Thin: 0.25, Participation: []float64{0.5, math.NaN()}}))(t)
	for _, want := range []string{`"sound":true`, `"gap":null`, `"even":null`, `"thin":0.25`, `"participation":[0.5,null]`, `"worst":[]`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %s", text, want)
		}
	}
}

// A factorisation whose objective rises, and labels without effect, are reported; one that lowers its
// objective with a graph is sound.
func TestVerdictOfFactors(t *testing.T) {
	set := generate(t, "gaussians", 120, 1)
	x := mat.DenseCopyOf(set.X)
	x.Apply(func(_, _ int, v float64) float64 { return math.Abs(v) }, x)
	little := 1e-8
	options := FactorizeOptions{Rank: 2, Options: Options{Labels: set.Labels}}
	for name, c := range map[string]struct {
		method Method
		want   string
	}{
		"nmf": {NMF{}, ""}, "gnmf": {GNMF{}, ""}, "ndla": {NDLA{Lambda: &little}, "has no effect"},
	} {
		r := factorized(t, x, c.method, options)
		q := r.Quality
		if (q.Verdict != Doubtful) != (c.want == "") || !strings.Contains(q.Sentence, c.want) || !(q.Improvement > 0) {
			t.Errorf("%s: %+v", name, q)
		}
		if c.want != "" && strings.Count(strings.Join(r.Warnings, "\n"), q.Sentence) != 1 {
			t.Errorf("%s: warnings %q", name, r.Warnings)
		}
	}
}

// A ring does not have two clusters: the eigenvalues after the first agree.
func TestVerdictOfClusters(t *testing.T) {
	ring := mat.NewDense(300, 2, nil)
	for i := range 300 {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / 300)
		ring.SetRow(i, []float64{cos, sin})
	}
	r := clusteringOf(t, ring, Spectral{Neighbors: 6}, ClusterOptions{Clusters: 2})
	if q := r.Quality; q.Verdict != Doubtful || !strings.Contains(q.Sentence, "eigenvalues 2 and 3 of the graph agree") {
		t.Errorf("%+v", q)
	}
	moons := generate(t, "two-moons", 300, 1).X
	for _, m := range []Method{Spectral{}, KMeans{}} {
		r := clusteringOf(t, moons, m, ClusterOptions{Clusters: 2})
		if q := r.Quality; q.Verdict == Doubtful || q.Improvement < 0 {
			t.Errorf("%s: %+v", m.Name(), q)
		}
	}
}

// A separately embedded component contributes to the verdict.
func TestVerdictOfComponents(t *testing.T) {
	sound, torn := generate(t, "swiss-roll", 2500, 1).X, generate(t, "swiss-roll", 600, 1).X
	for _, c := range []struct {
		other *mat.Dense
		says  string
	}{{generate(t, "swiss-roll", 2000, 2).X, ""}, {torn, "component 2 (600 samples): "}} {
		far := mat.DenseCopyOf(c.other)
		far.Apply(func(_, _ int, v float64) float64 { return v + 1000 }, far)
		var x mat.Dense
		x.Stack(sound, far)
		q := embed(t, &x, LTSA{Neighbors: 10}, Options{Components: "each"}).Quality
		if (q.Verdict != Doubtful) != (c.says == "") || !strings.HasPrefix(q.Sentence, c.says) || !(q.Even < 0.2) {
			t.Errorf("%+v", q)
		}
	}
}

// If the default number of neighbours leaves several components, which are refused, auto
// uses the smallest number that joins them, which is also the one in the message.
func TestAutoNeighborsJoin(t *testing.T) {
	near, far := generate(t, "swiss-roll", 300, 1).X, mat.DenseCopyOf(generate(t, "swiss-roll", 20, 2).X)
	far.Apply(func(_, j int, v float64) float64 { return v + []float64{0, 60, 0}[j] }, far)
	var x mat.Dense
	x.Stack(near, far)
	if _, err := Embed(t.Context(), &x, Isomap{}, Options{Components: "error"}); err == nil || !strings.Contains(err.Error(), "components") {
		t.Fatalf("12 neighbours: %v", err)
	}
	r := embed(t, &x, Isomap{Neighbors: Auto}, Options{Components: "error"})
	if k := r.Details["neighbors_found"].(int); r.Components != 1 || k <= 12 || k > 40 || !strings.Contains(r.Details["neighbors_reason"].(string), "one component") {
		t.Errorf("%d neighbours, %d components, %v", k, r.Components, r.Details)
	}
}

// arch returns a strip of length 6 and width 1, bent in three dimensions, with noise of the
// given size.
func arch(n int, noise float64) *mat.Dense {
	s := blas.NewStream(4)
	u, e, x := make([]float64, 2*n), make([]float64, 3*n), mat.NewDense(n, 3, nil)
	s.Uniforms(u)
	s.Normals(e)
	for i := range n {
		t := 6 * u[2*i]
		x.SetRow(i, []float64{math.Sin(t) + noise*e[3*i], u[2*i+1] + noise*e[3*i+1], 1 - math.Cos(t) + noise*e[3*i+2]})
	}
	return x
}

// hinged returns two flat squares of 300 samples connected only by a straight chain of 30: one
// may rotate about it without bending.
func hinged() *mat.Dense {
	s := blas.NewStream(6)
	x := mat.NewDense(630, 2, nil)
	s.Uniforms(x.RawMatrix().Data)
	for i := range 300 {
		x.Set(300+i, 0, x.At(300+i, 0)+3)
	}
	for i := range 30 {
		x.SetRow(600+i, []float64{0.95 + 2.1*float64(i)/29, 0.5})
	}
	return x
}

// dome returns a cap of height 1.5 of the unit sphere.
func dome(n int) *mat.Dense {
	s := blas.NewStream(3)
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		z, a := 1-1.5*s.Uniform(), 2*math.Pi*s.Uniform()
		r := math.Sqrt(1 - z*z)
		x.SetRow(i, []float64{r * math.Cos(a), r * math.Sin(a), z})
	}
	return x
}

// curve returns an arc in three dimensions.
func curve(n int) *mat.Dense {
	s := blas.NewStream(8)
	x := mat.NewDense(n, 3, nil)
	for i := range n {
		t := s.Uniform()
		x.SetRow(i, []float64{math.Cos(2 * t), math.Sin(2 * t), t * t})
	}
	return x
}

// A doubtful embedding causes a warning with the cause that its data were made to have, and with
// no other.
func TestCausesAreFound(t *testing.T) {
	gauss := mat.NewDense(300, 60, nil)
	blas.NewStream(2).Normals(gauss.RawMatrix().Data)
	for name, c := range map[string]struct {
		x      *mat.Dense
		method Method
		want   []string
	}{
		"gamma":          {arch(5000, 0), NEML{Neighbors: 12, Gamma: 0.1}, []string{"coordinate 2 is a function of coordinate 1", "Gamma: 0.1 is too large", "not tried: more than 3000 samples"}},
		"gamma of mlle":  {arch(5000, 0), MLLE{Neighbors: 12, Gamma: 0.1}, []string{"Gamma: 0.1 is too large"}},
		"gamma of lle":   {arch(5000, 0), LLE{Neighbors: 12, Gamma: 0.1}, []string{"coordinate 2 is a function of coordinate 1", "Gamma: 0.1 is too large", "not tried: more than 3000 samples"}},
		"dim 1 of 2":     {generate(t, "swiss-roll", 2000, 1).X, LTSA{Neighbors: 12, Dim: 1}, []string{"gap behind", "Dim: 1 is too small", "take Dim: 2"}},
		"dim 2 of 3":     {generate(t, "swiss-roll-3d", 3000, 1).X, LTSA{Neighbors: 14}, []string{"gap behind", "Dim: 2 is too small", "take Dim: 3"}},
		"dim 2 of 1":     {curve(1000), LTSA{Neighbors: 12}, []string{"coordinate 2 is a function of coordinate 1", "Dim: 2 is too large", "take Dim: 1"}},
		"rounding":       {hinged(), LTSA{Neighbors: 8}, []string{"are all at rounding level", "to rounding the embedding is not determined", "in two parts of 3"}},
		"rounding, hlle": {hinged(), HLLE{Neighbors: 8}, []string{"are all at rounding level", "to rounding the embedding is not determined", "in two parts of 3"}},
		"noise":          {arch(2000, 0.02), LTSA{Neighbors: 6}, []string{"Neighbors: 6 is too few for the noise"}},
		"strong noise":   {arch(8000, 0.05), LTSA{Neighbors: 8}, []string{"Neighbors: 8 is too few for the noise", "Denoise"}}, // fills neighbourhoods of k and 2k alike
		"curvature":      {dome(400), LTSA{Neighbors: 100}, []string{"Neighbors: 100 is too many for the curvature"}},
		"shortcuts":      {generate(t, "swiss-roll", 300, 1).X, LTSA{Neighbors: 12}, []string{"Neighbors: 12 is too many", "nearest half does not lead to"}},
		"samples aside":  {gauss, HLLE{Neighbors: 12}, []string{"coordinate 1 is spread over"}},
		"joined sheets":  {joinedSheets(t), LTSA{Neighbors: 10}, []string{"gap behind", "in two parts of 6"}},
		"joined, neml":   {joinedSheets(t), NEML{Neighbors: 10}, []string{"gap behind", "in two parts of 6"}},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Join(embed(t, c.x, c.method, Options{}).Warnings, "\n")
			for _, want := range c.want {
				if !strings.Contains(text, want) {
					t.Errorf("warnings %q, want %q", text, want)
				}
			}
			named := strings.Join(c.want, "\n")
			for _, cause := range []string{"gamma=", "dim=", "neighbors=", "in two parts"} {
				if strings.Contains(text, cause) && !strings.Contains(named, cause) {
					t.Errorf("warnings %q blame %s too", text, cause)
				}
			}
		})
	}
}

// Clean data with the defaults cause no warning.
func TestCleanDataIsNotWarnedOf(t *testing.T) {
	for name, x := range map[string]*mat.Dense{
		"roll": generate(t, "swiss-roll", 2000, 1).X, "hole": generate(t, "swiss-roll-hole", 2000, 2).X, "arch": arch(3000, 0), "large roll": generate(t, "swiss-roll", 6000, 3).X,
	} {
		for _, m := range []Method{LLE{}, NEML{}, MLLE{}, LTSA{}, HLLE{}, LE{}, DiffusionMaps{}} {
			if r := embed(t, x, m, Options{}); len(r.Warnings) > 0 {
				t.Errorf("%s of %s: %q", m.Name(), name, r.Warnings)
			}
		}
	}
}

// joinedSheets returns two sheets of 600 samples connected by a chain of 40.
func joinedSheets(t *testing.T) *mat.Dense {
	t.Helper()
	sheet := generate(t, "swiss-roll", 600, 1).X
	x := mat.NewDense(1240, 3, nil)
	for i := range 600 {
		x.SetRow(i, sheet.RawRowView(i))
		x.SetRow(600+i, sheet.RawRowView(i))
		x.Set(600+i, 1, x.At(600+i, 1)+60)
	}
	from, to := 0, 0 // the samples of the two that are nearest to each other's sheet
	for i := range 600 {
		if sheet.At(i, 1) > sheet.At(from, 1) {
			from = i
		}
		if sheet.At(i, 1) < sheet.At(to, 1) {
			to = i
		}
	}
	for i := range 40 {
		share := (float64(i) + 1) / 41
		for j := range 3 {
			x.Set(1200+i, j, (1-share)*x.At(from, j)+share*x.At(600+to, j))
		}
	}
	return x
}

// If factors or centres fit the data up to rounding, rounding errors cause no doubt: the objective of
// constant samples may rise from 0 to 1e-27.
func TestRoundingIsNoDoubt(t *testing.T) {
	constant, line := mat.NewDense(60, 5, nil), mat.NewDense(60, 5, nil)
	for i := range 60 {
		for j := range 5 {
			constant.Set(i, j, 0.1)
			line.Set(i, j, float64(1+i)*float64(1+j)/7)
		}
	}
	says := func(name string, v *Verdict, warnings []string) {
		if text := v.Sentence + strings.Join(warnings, "; "); strings.Contains(text, "rises from") || strings.Contains(text, "do not improve") {
			t.Errorf("%s: %q", name, text)
		}
	}
	for name, x := range map[string]*mat.Dense{"constant": constant, "of rank 1": line} {
		runs := 0
		for _, e := range Methods() {
			m := named(t, e.Name)
			labels := make([]int64, 60)
			for i := range labels {
				labels[i] = int64(i % 2)
			}
			if r, err := Factorize(t.Context(), x, m, FactorizeOptions{Rank: 2, Options: Options{Labels: labels}}); err == nil {
				says(e.Name+" of "+name+" data", r.Quality, r.Warnings)
				runs++
			}
			if r, err := Cluster(t.Context(), x, m, ClusterOptions{Clusters: 2}); err == nil {
				says(e.Name+", clusters of "+name+" data", r.Quality, r.Warnings)
				runs++
			}
		}
		if runs < 10 {
			t.Errorf("%s: %d runs", name, runs)
		}
	}
}

// Correct coordinates agree with those of an eighth of the samples, up to the lower accuracy with fewer
// samples; for noise they differ. Nothing is measured without a request, for few
// samples, and with landmarks.
func TestInstability(t *testing.T) {
	clean, noisy := generate(t, "swiss-roll", 8000, 1).X, generate(t, "swiss-roll", 8000, 1, "noise=0.3", "params=isometric").X
	asked := Options{Stability: "subset"}
	for _, m := range []Method{NEML{}, LTSA{}, PCA{}} {
		if v := embed(t, clean, m, asked).Quality.Instability; !(v < 0.15) {
			t.Errorf("%s of a clean roll: instability %g", m.Name(), v)
		}
	}
	if v := embed(t, noisy, NEML{}, asked).Quality.Instability; !(v > 0.3 && v <= 1) {
		t.Errorf("neml of noise: instability %g", v)
	}
	for name, q := range map[string]*Quality{
		"unasked":        embed(t, clean, LTSA{}, Options{}).Quality,
		"of few samples": embed(t, generate(t, "swiss-roll", 2047, 1).X, LTSA{}, asked).Quality,
		"with landmarks": embed(t, clean, LTSA{}, Options{Stability: "subset", Landmarks: 4000}).Quality,
	} {
		if !math.IsNaN(q.Instability) {
			t.Errorf("%s: instability %g", name, q.Instability)
		}
	}
	// The embedding itself is the same.
	plain, also := embed(t, clean, NEML{}, Options{}), embed(t, clean, NEML{}, asked)
	for i, v := range plain.Y.RawMatrix().Data {
		if also.Y.RawMatrix().Data[i] != v {
			t.Fatalf("value %d of the coordinates is another with stability=subset", i)
		}
	}
}
