package engine

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/align"
	"github.com/orthant-go/orthant/engine/internal/vector"
)

// The distances of Isomap by the cubic definition, and its coordinates by a
// dense solver.
func TestIsomapByDefinition(t *testing.T) {
	const n, k = 90, 6
	x := generate(t, "swiss-roll", n, 1).X
	g := graphOf(t, x, k)
	d := slices.Repeat([]float64{math.Inf(1)}, n*n)
	for i := range n {
		d[i*n+i] = 0
		for q, j := range g.Of(i) {
			d[i*n+int(j)], d[int(j)*n+i] = g.Distances(i)[q], g.Distances(i)[q]
		}
	}
	for v := range n {
		for i := range n {
			for j := range n {
				d[i*n+j] = min(d[i*n+j], d[i*n+v]+d[v*n+j])
			}
		}
	}
	b := mat.NewSymDense(n, nil)
	mean := func(i int) (s float64) {
		for j := range n {
			s += d[i*n+j] * d[i*n+j] / n
		}
		return s
	}
	var grand float64
	for i := range n {
		grand += mean(i) / n
	}
	for i := range n {
		for j := range i + 1 {
			b.SetSym(i, j, -0.5*(d[i*n+j]*d[i*n+j]-mean(i)-mean(j)+grand))
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(b, true) {
		t.Fatal("no eigenvectors")
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	r := embed(t, x, Isomap{Neighbors: k}, Options{})
	want := mat.NewDense(n, 2, nil)
	for j := range 2 {
		lambda := eigen.Values(nil)[n-1-j]
		if math.Abs(r.Values[j]-lambda) > 1e-12*lambda {
			t.Errorf("eigenvalue %d is %.15g, want %.15g", j, r.Values[j], lambda)
		}
		for i := range n {
			want.Set(i, j, math.Sqrt(lambda)*vectors.At(i, n-1-j))
		}
	}
	if far := farthest(want, r.Y); far > 1e-12 {
		t.Errorf("coordinates differ by %g", far)
	}
	if next := eigen.Values(nil)[n-3]; math.Abs(r.Next-next) > 1e-12*r.Values[0] {
		t.Errorf("the next eigenvalue is %g, want %g", r.Next, next)
	}
	for j := range 2 {
		c := mat.Col(nil, j, r.Y)
		if mean := vector.Sum(c) / n; math.Abs(mean) > 1e-12*math.Sqrt(r.Values[0]) || c[largestAt(c)] < 0 {
			t.Errorf("column %d: mean %g, largest entry %g", j, mean, c[largestAt(c)])
		}
	}
}

// With every sample a landmark, landmark Isomap is Isomap, on orders that the
// dense solver takes and on those that Lanczos does.
func TestAllLandmarksAreIsomap(t *testing.T) {
	for _, n := range []int{150, 420} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			x := generate(t, "swiss-roll", n, 1).X
			rows := make([]int, n)
			for i := range rows {
				rows[i] = n - 1 - i
			}
			all := embed(t, x, Isomap{Neighbors: 8}, Options{})
			same := embed(t, x, Isomap{Neighbors: 8}, Options{LandmarkRows: rows})
			// δ² and μ are n² in size where y is n: rounding is some 1e-13 of y.
			if far := farthest(all.Y, same.Y); far > 1e-11 {
				t.Errorf("n = %d: all samples as landmarks move the embedding by %g", n, far)
			}
		})
	}
}

func TestLandmarkIsomap(t *testing.T) {
	s := generate(t, "swiss-roll", 2500, 1)
	dev := func(r *Result) float64 {
		d := deviationOf(t, s.Params, r.Y)
		return d
	}
	whole := dev(embed(t, s.X, Isomap{Neighbors: 12}, Options{}))
	for _, choice := range []string{"farthest", "random"} {
		t.Run(choice, func(t *testing.T) {
			var first *Result
			for _, threads := range []int{1, 3} {
				r := embed(t, s.X, Isomap{Neighbors: 12}, Options{Landmarks: 100, LandmarkChoice: choice, Threads: threads})
				// Paths lead through all samples: a few landmarks lose little.
				if d := dev(r); math.Abs(d-whole) > 0.02 {
					t.Errorf("%s: dev %g, of all samples %g", choice, d, whole)
				}
				if first == nil {
					first = r
				} else if !slices.Equal(first.Y.RawMatrix().Data, r.Y.RawMatrix().Data) {
					t.Errorf("%s: %d threads change the embedding", choice, threads)
				}
			}
		})
	}
}

// Landmarks at random, the default, keep to the embedding of all samples where noise makes
// outliers, which the farthest samples are.
func TestLandmarksOfNoisySamples(t *testing.T) {
	all := dataset(t, "usps.X.npy")
	_, m := all.Dims()
	x := mat.NewDense(1500, m, nil)
	for i := range 1500 {
		x.SetRow(i, all.RawRowView(7*i))
	}
	whole := embed(t, x, Isomap{Neighbors: 12}, Options{Components: "bridge"})
	away := func(choice string) (mean float64) {
		for seed := range uint64(3) {
			r := embed(t, x, Isomap{Neighbors: 12}, Options{Components: "bridge", Landmarks: 500, LandmarkChoice: choice, Seed: seed + 1})
			d := deviationOf(t, centred(whole.Y), centred(r.Y))
			mean += d / 3
		}
		return mean
	}
	auto, random, far := away("auto"), away("random"), away("farthest")
	t.Logf("away from the embedding of all samples: at random %.3f, farthest %.3f", random, far)
	if auto != random || random > far/1.5 {
		t.Errorf("by default %g, at random %g, farthest %g", auto, random, far)
	}
	// Every component has landmarks of its own, however small it is.
	small := mat.NewDense(620, 3, nil)
	sheet := generate(t, "swiss-roll", 620, 1)
	for i := range 620 {
		for j := range 3 {
			small.Set(i, j, sheet.X.At(i, j)+map[bool]float64{true: 1000}[i < 14])
		}
	}
	r := embed(t, small, Isomap{Neighbors: 12}, Options{Components: "each", Landmarks: 40})
	for i := range 620 {
		if math.IsNaN(r.Y.At(i, 0)) {
			t.Fatalf("sample %d has no coordinates", i)
		}
	}
}

// centred is y less the means of its columns.
func centred(y *mat.Dense) *mat.Dense {
	n, d := y.Dims()
	z := mat.DenseCopyOf(y)
	for j := range d {
		mean := mat.Sum(y.ColView(j)) / float64(n)
		for i := range n {
			z.Set(i, j, y.At(i, j)-mean)
		}
	}
	return z
}

// Every component keeps its own landmarks.
func TestIsomapLandmarksOfComponents(t *testing.T) {
	r := embed(t, twoRolls(t), Isomap{Neighbors: 9}, Options{Components: "each", Landmarks: 40, LandmarkChoice: "random"})
	if slices.ContainsFunc(r.Y.RawMatrix().Data, math.IsNaN) {
		t.Error("a coordinate is NaN")
	}
}

func TestIsomapRefuses(t *testing.T) {
	x := twoRolls(t)
	huge := mat.DenseCopyOf(x)
	huge.Scale(1e155, huge)
	r := refusing(t)
	r.embed("", x, Isomap{Neighbors: 9}, Options{Components: "error"})
	r.embed("", x, Isomap{Neighbors: 9}, Options{Components: "joint"})
	r.embed("", x, Isomap{Neighbors: 9}, Options{Components: "each", LandmarkRows: []int{0, 5, 10, 15}})
	r.embed("", x, Isomap{Neighbors: 90, Dim: 5}, Options{Landmarks: 4})
	r.embed("", x, Isomap{Neighbors: 200}, Options{})
	r.embed("", x, Isomap{}, Options{Memory: 200_000})
	r.embed("", x, Isomap{}, Options{LandmarkRows: []int{1, 200}})
	r.embed("", x, Isomap{}, Options{LandmarkRows: []int{1, 2, 1}})
	r.embed("", x, Isomap{}, Options{LandmarkRows: []int{}})
	r.embed("", huge, Isomap{Neighbors: 90}, Options{})
	for _, phase := range []string{"alignment", "solve"} {
		t.Run(phase, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			_, err := Embed(ctx, generate(t, "swiss-roll", 1500, 1).X, Isomap{}, Options{Progress: func(p Progress) {
				if p.Phase == phase {
					cancel()
				}
			}})
			cancel()
			if err != context.Canceled {
				t.Errorf("cancelled during %s: %v", phase, err)
			}
		})
	}
}

// What the graph has no dimensions for is 0, with a warning.
func TestIsomapOfALine(t *testing.T) {
	x := mat.NewDense(40, 1, nil)
	for i := range 40 {
		x.Set(i, 0, float64(i*i))
	}
	r := embed(t, x, Isomap{Neighbors: 2, Dim: 3}, Options{})
	// Distances along a line are exact: the first coordinate is the line.
	c := mat.Col(nil, 0, r.Y)
	for i := range 39 {
		if d := math.Abs(c[i+1] - c[i]); math.Abs(d-float64(2*i+1)) > 1e-9 {
			t.Errorf("samples %d and %d are %g apart, want %d", i, i+1, d, 2*i+1)
		}
	}
	for j := 1; j < 3; j++ {
		if c := mat.Col(nil, j, r.Y); math.Abs(c[largestAt(c)]) > 1e-4 {
			t.Errorf("coordinate %d reaches %g", j, c[largestAt(c)])
		}
	}
	same := mat.NewDense(300, 2, nil)
	if r := embed(t, same, Isomap{Neighbors: 5}, Options{Components: "largest"}); !strings.Contains(fmt.Sprint(r.Warnings), "fewer than 2 eigenvalues are positive") {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// Training samples come back where they are; new ones land near their
// neighbours, whichever of the two models it is.
func TestIsomapTransform(t *testing.T) {
	x := generate(t, "swiss-roll", 900, 1).X
	for _, o := range []Options{{}, {Landmarks: 60}, {Components: "largest", Landmarks: 300, LandmarkChoice: "random"}} {
		t.Run(fmt.Sprintf("%d landmarks", o.Landmarks), func(t *testing.T) {
			r := embed(t, x, Isomap{Neighbors: 8}, o)
			model := must(r.Model())(t)
			back := transformed(t, model, x, Options{Threads: 1})
			again := transformed(t, model, x, Options{Threads: 3})
			if !slices.Equal(back.RawMatrix().Data, again.RawMatrix().Data) {
				t.Errorf("%d landmarks: threads change the coordinates", o.Landmarks)
			}
			if far := farthest(r.Y, back); far > 1e-10 {
				t.Errorf("%d landmarks: training samples move by %g", o.Landmarks, far)
			}
			moved := mat.DenseCopyOf(x)
			moved.Apply(func(i, j int, v float64) float64 { return v + 1e-3*float64((i+j)%3-1) }, moved)
			near := transformed(t, model, moved, Options{})
			near.Sub(near, r.Y)
			for _, v := range near.RawMatrix().Data {
				// δ moves by at most 1.7e-3 where samples are about 1.5 apart.
				if math.Abs(v) > 1e-2 {
					t.Errorf("%d landmarks: a sample moved by 1e-3 lands %g away", o.Landmarks, v)
					break
				}
			}
		})
	}
}

func TestIsomapMemoryGrowsAsSaid(t *testing.T) {
	if got := align.GeodesicBytes(5000, 1, 0); got > 105<<20 {
		t.Errorf("5000 samples: %d bytes", got)
	}
	if got, want := align.GeodesicBytes(1000, 2, 100), int64(16*1000*100+4*100*132+8*16*1000*2); got != want {
		t.Errorf("landmarks: %d bytes, want %d", got, want)
	}
}

func BenchmarkIsomap(b *testing.B) {
	for _, c := range []struct {
		name      string
		landmarks int
	}{{"swiss-roll", 0}, {"swiss-roll", 500}, {"gaussians", 0}} {
		x := generate(b, c.name, 5000, 1).X
		b.Run(fmt.Sprintf("%s/n=5000/landmarks=%d", c.name, c.landmarks), func(b *testing.B) {
			phases := Seconds{}
			for b.Loop() {
				r := embed(b, x, Isomap{}, Options{Threads: 1, Landmarks: c.landmarks, LandmarkChoice: "random", Components: "largest"})
				for phase, s := range r.CPUSeconds {
					phases[phase] += s
				}
			}
			for phase, s := range phases {
				b.ReportMetric(s/float64(b.N)*1e3, "cpu-ms-"+phase)
			}
		})
	}
}

func BenchmarkPatches(b *testing.B) {
	x := generate(b, "swiss-roll", 5000, 1).X
	for _, m := range []Method{LTSA{}, HLLE{}, LTSACurvature{}} {
		b.Run(m.Name(), func(b *testing.B) {
			var seconds float64
			for b.Loop() {
				seconds += embed(b, x, m, Options{Threads: 1}).CPUSeconds["patches"]
			}
			b.ReportMetric(seconds/float64(b.N)*1e3, "cpu-ms-patches")
		})
	}
}

// Rows that are named count the samples as they were given, also where copies are merged.
func TestLandmarkRows(t *testing.T) {
	x := generate(t, "swiss-roll", 150, 1).X
	var twice mat.Dense
	twice.Stack(x.Slice(0, 40, 0, 3), x) // sample 40 + i is row i of x
	var rows, shifted []int
	for i := 0; i < 150; i += 3 {
		rows, shifted = append(rows, i), append(shifted, i+40)
	}
	alone := embed(t, x, Isomap{Neighbors: 8}, Options{LandmarkRows: rows})
	merged := embed(t, &twice, Isomap{Neighbors: 8}, Options{LandmarkRows: shifted, Duplicates: "merge"})
	if first := merged.Y.Slice(0, 40, 0, 2); !mat.Equal(first, alone.Y.Slice(0, 40, 0, 2)) || !mat.Equal(merged.Y.Slice(40, 190, 0, 2), alone.Y) {
		t.Error("the samples lie elsewhere than without copies")
	}
}

func BenchmarkIsomapTransform(b *testing.B) {
	x, fresh := generate(b, "swiss-roll", 5000, 1).X, generate(b, "swiss-roll", 10000, 2).X
	for _, count := range []int{0, 500} {
		model, err := embed(b, x, Isomap{}, Options{Landmarks: count, LandmarkChoice: "random"}).Model()
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("landmarks=%d/rows=10000", count), func(b *testing.B) {
			for b.Loop() {
				if _, err := model.Transform(context.Background(), fresh, Options{Threads: 1}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
