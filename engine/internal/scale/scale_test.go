package scale

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
)

// roll draws a swiss roll of radius t from 4.7 to 14.1, its sheets 2π apart, with uniform
// noise of a half width in all of m columns.
func roll(n, m int, noise float64, seed uint64) neighbors.Points {
	stream := blas.NewStream(seed)
	x := neighbors.Points{N: n, M: m, Data: make([]float64, n*m)}
	for i := range n {
		t, row := 1.5*math.Pi*(1+2*stream.Uniform()), x.Row(i)
		row[0], row[1], row[2] = t*math.Cos(t), 21*stream.Uniform(), t*math.Sin(t)
		for j := range row {
			row[j] += noise * (2*stream.Uniform() - 1)
		}
	}
	return x
}

// strays are the distances of rows from the roll, across its sheets.
func strays(z []float64, m int) []float64 {
	var list []float64
	for at := 0; at < len(z); at += m {
		radius, angle, best := math.Hypot(z[at], z[at+2]), math.Atan2(z[at+2], z[at]), math.Inf(1)
		for turn := range 4 {
			if t := angle + 2*math.Pi*float64(turn); t > 1.5*math.Pi-0.2 && t < 4.5*math.Pi+0.2 {
				best = min(best, math.Abs(radius-t))
			}
		}
		for _, v := range z[at+3 : at+m] {
			best = math.Hypot(best, v)
		}
		list = append(list, best)
	}
	return list
}

func rootMeanSquare(v []float64) float64 { return math.Sqrt(blas.Dot(v, v) / float64(len(v))) }

func settings(t testing.TB, threads int) Settings {
	t.Helper()
	kernels := must.Get(blas.Select(""))(t)
	return Settings{Kernels: kernels, Threads: threads, Seed: 1}
}

func smooth(t testing.TB, x neighbors.Points, d, k int) ([]float64, *Smoother, Found) {
	t.Helper()
	z, by, found, err := Smooth(context.Background(), x, d, k, settings(t, 2), func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	return z, by, found
}

// The noise that is found is that which was added: its variance along one direction is a
// third of the squared half width.
func TestFindsTheNoise(t *testing.T) {
	for _, c := range []struct {
		n, m  int
		noise float64
	}{{2000, 3, 0.1}, {5000, 3, 0.03}, {5000, 3, 0.3}, {5000, 20, 0.1}, {5000, 100, 0.1}} {
		x := roll(c.n, c.m, c.noise, 3)
		found := must.Get(Find(t.Context(), x, 2, settings(t, 2)))(t)
		columns := min(c.m, MaxColumns) - 2
		want := c.noise * math.Sqrt(float64(columns)/3)
		if !found.Certain || found.Noise < 0.85*want || found.Noise > 1.15*want {
			t.Errorf("%d × %d, noise %g: found %g of %g, certain %t (%s)", c.n, c.m, c.noise, found.Noise, want, found.Certain, found.Reason)
		}
	}
}

// Where nothing strays, where d is too small, and where there is no surface, nothing is done.
func TestFindsNoNoise(t *testing.T) {
	cloud := neighbors.Points{N: 2000, M: 12, Data: make([]float64, 24000)}
	blas.NewStream(4).Normals(cloud.Data)
	grid := neighbors.Points{N: 2500, M: 3, Data: make([]float64, 7500)}
	for i := range 2500 {
		a, b := float64(i/50)/50, float64(i%50)/50
		copy(grid.Row(i), []float64{a, b, math.Exp(-8 * (a*a + b*b))})
	}
	for _, c := range []struct {
		name string
		x    neighbors.Points
		d    int
	}{{"roll", roll(2000, 3, 0, 1), 2}, {"roll in columns", roll(3000, 12, 0, 1), 2}, {"grid", grid, 2}, {"roll as a curve", roll(4000, 3, 0.05, 1), 1},
		{"cloud", cloud, 2}, {"cloud of more", cloud, 5}, {"noise as far as the sheets", roll(5000, 3, 2.5, 1), 2}} {
		found, err := Find(t.Context(), c.x, c.d, settings(t, 2))
		if err != nil || found.Certain || found.Reason == "" {
			t.Errorf("%s: certain %t of noise %g, %q, %v", c.name, found.Certain, found.Noise, found.Reason, err)
		}
	}
}

// Samples come nearer to the surface, by more than the bend of the planes takes them away, and
// hardly move along it.
func TestSmooth(t *testing.T) {
	for _, c := range []struct {
		n, m        int
		noise, left float64 // of the distance from the surface
	}{{4000, 3, 0.1, 0.8}, {6000, 3, 0.1, 0.65}, {6000, 3, 0.3, 0.5}, {6000, 20, 0.1, 0.45}} {
		x := roll(c.n, c.m, c.noise, 5)
		z, _, found := smooth(t, x, 2, 0)
		if z == nil {
			t.Fatalf("%d × %d, noise %g: not certain", c.n, c.m, c.noise)
		}
		before, after := rootMeanSquare(strays(x.Data, c.m)), rootMeanSquare(strays(z, c.m))
		if after > c.left*before {
			t.Errorf("%d × %d, noise %g, k = %d: %g off the surface, %g before", c.n, c.m, c.noise, found.Neighbors, after, before)
		}
		var moves []float64
		for i := range c.n {
			moves = append(moves, math.Abs(z[i*c.m+1]-x.Row(i)[1])) // the roll's axis
		}
		slices.Sort(moves)
		if along := moves[c.n*19/20]; along > 0.2*before {
			t.Errorf("%d × %d: moved by %g along the surface, %g off it", c.n, c.m, along, before)
		}
	}
}

// Samples between the sheets come to one of them.
func TestSmoothBringsOutliersHome(t *testing.T) {
	x := roll(6000, 3, 0.1, 7)
	stream := blas.NewStream(8)
	var far []int
	for i := 0; i < x.N; i += 100 {
		angle := math.Pi * (1.6 + 1.8*stream.Uniform())
		radius := angle + math.Pi*(0.8+0.4*stream.Uniform()) // midway to the next sheet
		copy(x.Row(i), []float64{radius * math.Cos(angle), 2 + 17*stream.Uniform(), radius * math.Sin(angle)})
		far = append(far, i)
	}
	z, _, _ := smooth(t, x, 2, 0)
	if z == nil {
		t.Fatal("not certain")
	}
	off, away := strays(z, 3), 0
	for _, i := range far {
		if off[i] > 0.3 {
			away++
		}
	}
	if away > len(far)/5 {
		t.Errorf("%d of %d outliers are off the sheets still", away, len(far))
	}
}

// The bits depend neither on the threads nor on the block that a sample comes in.
func TestSmoothIsDeterministic(t *testing.T) {
	for _, m := range []int{3, 12, 70} {
		if testing.Short() && m == 12 {
			continue
		}
		x := roll(2500, m, 0.1, 9)
		z, by, _ := smooth(t, x, 2, 0)
		one, _, _, err := Smooth(t.Context(), x, 2, 0, settings(t, 1), func(int) {})
		if err != nil || !slices.Equal(z, one) || z == nil {
			t.Fatalf("%d columns: threads change bits (%v)", m, err)
		}
		out := make([]float64, len(x.Data))
		must.Do(t, by.Apply(t.Context(), x, out, func(int) {}))
		if !slices.Equal(out, z) {
			t.Errorf("%d columns: samples smoothed again differ", m)
		}
		part := neighbors.Points{N: 3, M: m, Data: x.Data[700*m : 703*m]}
		if err := by.Apply(t.Context(), part, out[:3*m], func(int) {}); err != nil || !slices.Equal(out[:3*m], z[700*m:703*m]) {
			t.Errorf("%d columns: the block changes bits (%v)", m, err)
		}
	}
}

// No neighbourhood reaches to another sheet, where there are few samples.
func TestNeighborsStayOnTheirSheet(t *testing.T) {
	for seed := range uint64(4) {
		x := roll(800, 3, 0, seed+1)
		k := must.Get(Neighbors(t.Context(), x, nil, 2, 12, settings(t, 2)))(t)
		sheet := func(i int) int { // turns of the roll
			row := x.Row(i)
			return int(math.Round((math.Hypot(row[0], row[2]) - math.Atan2(row[2], row[0])) / (2 * math.Pi)))
		}
		across := func(k int) (steps int) { // plainly: neighbours more than half a turn apart
			for i := range x.N {
				squares := make([]float64, x.N)
				for j := range squares {
					squares[j] = blas.SquaredDistance(x.Row(i), x.Row(j))
				}
				last := slices.Sorted(slices.Values(squares))[k]
				for j, square := range squares {
					turn := math.Abs(math.Hypot(x.Row(i)[0], x.Row(i)[2]) - math.Hypot(x.Row(j)[0], x.Row(j)[2]))
					if square <= last && turn > math.Pi && sheet(i) != sheet(j) {
						steps++
					}
				}
			}
			return steps
		}
		if n := across(k); n > 0 {
			t.Errorf("seed %d: k = %d has %d steps to another sheet", seed+1, k, n)
		}
		if k < 12 && across(k+2) == 0 {
			t.Errorf("seed %d: k = %d, where %d have no step to another sheet either", seed+1, k, k+2)
		}
	}
	cloud := neighbors.Points{N: 800, M: 8, Data: make([]float64, 6400)}
	blas.NewStream(4).Normals(cloud.Data)
	if k, err := Neighbors(t.Context(), cloud, nil, 2, 12, settings(t, 2)); k != 12 || err != nil {
		t.Errorf("k = %d of a cloud (%v), want 12", k, err)
	}
}

// Lists of the neighbours, where they are known, give the same number as a search.
func TestNeighborsByLists(t *testing.T) {
	for _, m := range []int{3, 20} {
		x := roll(600, m, 0.05, 7)
		o := settings(t, 2)
		lists := must.Get(neighbors.Exact(t.Context(), x, 16, neighbors.Options{Kernels: o.Kernels, Threads: 2}))(t)
		for _, most := range []int{8, 12, 16} {
			want := must.Get(Neighbors(t.Context(), x, nil, 2, most, o))(t)
			if k := must.Get(Neighbors(t.Context(), x, lists, 2, most, o))(t); k != want {
				t.Errorf("%d columns, at most %d: %d, want %d", m, most, k, want)
			}
		}
	}
}
