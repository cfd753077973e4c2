package layout

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

// rings is a graph of separate rings, in which each vertex is joined to the next three with weights
// 1, 1/2 and 1/4.
func rings(count, size int) *sparse.CSR {
	var edges []weighted
	for r := range count {
		for i := range size {
			for step := 1; step <= 3; step++ {
				a, b := r*size+i, r*size+(i+step)%size
				edges = append(edges, weighted{float64(min(a, b)), float64(max(a, b)), math.Pow(0.5, float64(step-1))})
			}
		}
	}
	return symmetric(count*size, edges)
}

// scattered is a random start.
func scattered(n, dim int, width float64) *mat.Dense {
	y := make([]float64, n*dim)
	blas.NewStream(5).Normals(y)
	blas.Scale(width, y)
	return mat.NewDense(n, dim, y)
}

// probabilitiesOf are a graph's weights that sum to 1.
func probabilitiesOf(w *sparse.CSR) *sparse.CSR {
	p := &sparse.CSR{Rows: w.Rows, Cols: w.Cols, Ptr: w.Ptr, Col: w.Col, Val: slices.Clone(w.Val)}
	var sum float64
	for _, v := range p.Val {
		sum += v
	}
	blas.Scale(1/sum, p.Val)
	return p
}

// pairsOf are pairs along rings and across.
func pairsOf(w *sparse.CSR) (p Pairs) {
	stream := blas.NewStream(3)
	for i := range w.Rows {
		cols, _ := w.Row(i)
		for _, j := range cols {
			p.Near = append(p.Near, Pair{int32(i), j})
		}
		for range 4 {
			p.MidNear = append(p.MidNear, Pair{int32(i), int32(stream.Below(w.Rows))})
			p.Further = append(p.Further, Pair{int32(i), int32(stream.Below(w.Rows))})
		}
	}
	return p
}

// arrangements are the layouts of a graph in a few iterations, by name.
func arrangements(w *sparse.CSR, threads int, progress func(float64)) map[string]func(ctx context.Context, y *mat.Dense) error {
	curve, err := NewCurve(0.1, 1)
	if err != nil {
		panic(err)
	}
	return map[string]func(ctx context.Context, y *mat.Dense) error{
		"umap": func(ctx context.Context, y *mat.Dense) error {
			return UMAP{Curve: curve, Epochs: 20, Seed: 1, Threads: threads, Progress: progress}.Arrange(ctx, w, y)
		},
		"densmap": func(ctx context.Context, y *mat.Dense) error {
			density := &Density{Radii: radiiOf(w), Fraction: 0.5}
			return UMAP{Curve: curve, Epochs: 20, Seed: 1, Density: density, Threads: threads, Progress: progress}.Arrange(ctx, w, y)
		},
		"tsne": func(ctx context.Context, y *mat.Dense) error {
			return TSNE{Iterations: 15, Early: new(10), Threads: threads, Progress: progress}.Arrange(ctx, probabilitiesOf(w), y)
		},
		"localmap": func(ctx context.Context, y *mat.Dense) error {
			return PaCMAP{Phases: [3]int{10, 10, 25}, Local: &Local{Distance: 2}, Threads: threads, Progress: progress}.Arrange(ctx, pairsOf(w), y)
		},
		"pacmap": func(ctx context.Context, y *mat.Dense) error {
			return PaCMAP{Phases: [3]int{10, 10, 10}, Threads: threads, Progress: progress}.Arrange(ctx, pairsOf(w), y)
		},
	}
}

// threadCounts are the numbers of threads whose bits are compared: one and another in short tests, as under the race detector.
func threadCounts() []int {
	if testing.Short() {
		return []int{1, 3}
	}
	return []int{1, 2, 3, 7}
}

func TestLayoutsHaveTheSameBitsOnAnyNumberOfThreads(t *testing.T) {
	for _, w := range []*sparse.CSR{rings(3, 20), rings(45, 100)} {
		for _, dim := range []int{1, 2, 3} {
			if dim != 2 && w.Rows > 1000 {
				continue
			}
			for name := range arrangements(w, 1, nil) {
				var first *mat.Dense
				for _, threads := range threadCounts() {
					y := scattered(w.Rows, dim, 1)
					must.Do(t, arrangements(w, threads, nil)[name](t.Context(), y))
					if first == nil {
						first = y
					} else if !mat.Equal(y, first) {
						t.Errorf("%s of %d vertices in %d columns: %d threads change bits", name, w.Rows, dim, threads)
					}
				}
			}
		}
	}
}

func TestLayoutsStopWhenCancelled(t *testing.T) {
	w := rings(9, 100)
	for name := range arrangements(w, 2, nil) {
		ctx, cancel := context.WithCancel(t.Context())
		var last float64
		err := arrangements(w, 2, func(done float64) {
			if last = done; done > 0.3 {
				cancel()
			}
		})[name](ctx, scattered(w.Rows, 2, 1))
		if err != context.Canceled || last > 0.5 {
			t.Errorf("%s ends with %v at %g", name, err, last)
		}
		cancel()
	}
}

// Vertices that edges join end near each other: of the ten nearest in the map most are of the ring.
func TestLayoutsKeepNeighbors(t *testing.T) {
	w := rings(6, 60)
	n := w.Rows
	curve := must.Get(NewCurve(0.1, 1))(t)
	for name, arrange := range map[string]func(y *mat.Dense) error{
		"umap": func(y *mat.Dense) error { return UMAP{Curve: curve, Epochs: 200, Seed: 1}.Arrange(t.Context(), w, y) },
		"tsne": func(y *mat.Dense) error {
			return TSNE{Iterations: 300, Early: new(100)}.Arrange(t.Context(), probabilitiesOf(w), y)
		},
		"pacmap": func(y *mat.Dense) error { return PaCMAP{}.Arrange(t.Context(), pairsOf(w), y) },
	} {
		for _, dim := range []int{2, 3} {
			y := scattered(n, dim, 1)
			must.Do(t, arrange(y))
			var own int
			for i := range n {
				order := make([]int, 0, n)
				for j := range n {
					if j != i {
						order = append(order, j)
					}
				}
				d := func(j int) float64 { return blas.SquaredDistance(y.RawRowView(i), y.RawRowView(j)) }
				slices.SortFunc(order, func(a, b int) int {
					if d(a) < d(b) {
						return -1
					}
					return 1
				})
				for _, j := range order[:6] {
					if j/60 == i/60 && min((i-j+n)%60, (j-i+n)%60) <= 6 {
						own++
					}
				}
			}
			if share := float64(own) / float64(6*n); share < 0.85 {
				t.Errorf("%s in %d columns: %.3f of the nearest are neighbours in the ring", name, dim, share)
			}
		}
	}
}

// Every pair of blocks meets once an epoch, and each block once in a round. Meetings that share a block follow
// each other in order, on any number of threads.
func TestBlocksMeetOnce(t *testing.T) {
	for _, n := range []int{1, 2, 100, 5000, 9000, 100000, 300000} {
		b := newBlocks(scattered(n, 2, 1), 1)
		for epoch := range 3 {
			met := map[int]bool{}
			rounds := make([]int, b.count())
			for _, m := range b.meetings(1, epoch) {
				if met[m.tile] || m.tile != b.number(m.first, m.second) {
					t.Errorf("n=%d: tile %d comes twice, or is not of blocks %d and %d", n, m.tile, m.first, m.second)
				}
				met[m.tile] = true
				if rounds[m.first] != m.round || rounds[m.second] != m.round {
					t.Errorf("n=%d: a block is not once in round %d", n, m.round)
				}
				rounds[m.first]++
				if m.first != m.second {
					rounds[m.second]++
				}
			}
			if want := b.count() * (b.count() + 1) / 2; len(met) != want {
				t.Errorf("n=%d: %d of %d tiles", n, len(met), want)
			}
			for _, threads := range []int{1, 2, 7} {
				var mutex sync.Mutex
				order := make([][]int, b.count()) // tiles of each block
				must.Do(t, b.eachTile(t.Context(), threads, 1, epoch, func(tile int) {
					mutex.Lock()
					defer mutex.Unlock()
					for d := range b.count() {
						for c := range d + 1 {
							if b.number(c, d) == tile {
								order[c] = append(order[c], tile)
								if c != d {
									order[d] = append(order[d], tile)
								}
							}
						}
					}
				}))
				at := make([]int, b.count())
				for _, m := range b.meetings(1, epoch) {
					if order[m.first][at[m.first]] != m.tile || order[m.second][at[m.second]] != m.tile {
						t.Fatalf("n=%d, %d threads: tile %d is out of order", n, threads, m.tile)
					}
					at[m.first]++
					if m.first != m.second {
						at[m.second]++
					}
				}
			}
		}
	}
}

func TestMeetingsEndWithAPanic(t *testing.T) {
	b := newBlocks(scattered(50000, 2, 1), 1)
	defer func() {
		if recover() == nil {
			t.Error("the panic of a tile is lost")
		}
	}()
	_ = b.eachTile(t.Context(), 2, 1, 0, func(tile int) { panic(tile) })
}

// Negatives are drawn from all vertices with the same probability, as the stream of the project is.
func TestNegativesAreUniform(t *testing.T) {
	const n = 12
	var counts [n]int
	d, stream := draws(3), blas.NewStream(3)
	for range 60000 {
		var k int
		d, k = d.below(n)
		if want := int(stream.Uint64() >> 32 * n >> 32); k != want {
			t.Fatalf("a draw is %d, want %d of the stream", k, want)
		}
		counts[k]++
	}
	for k, count := range counts {
		if math.Abs(float64(count)-60000/n) > 0.05*60000/n {
			t.Errorf("%d is drawn %d times, want about %d", k, count, 60000/n)
		}
	}
}

// Two columns have a loop of their own, which does what that of any number does.
func TestThePlaneIsASpace(t *testing.T) {
	w := rings(4, 100)
	curve := must.Get(NewCurve(0.1, 1))(t)
	var maps [2][]float32
	for k := range maps {
		b := newBlocks(scattered(w.Rows, 2, 0.3), 1)
		at := must.Get(single(scattered(w.Rows, 2, 0.3), b.order))(t)
		l := &umapLayout{UMAP: UMAP{Negatives: 5}, dim: 2, at: at, before: slices.Clone(at), blocks: b, tiles: b.tilesOf(w, 10),
			attraction: newForce(curve.attraction), repulsion: newForce(curve.repulsion)}
		for epoch := range 10 {
			tile := &l.tiles[0]
			tile.fire(float32(epoch + 1))
			if k == 0 {
				l.plane(tile.fired, nil, epoch%2 == 1, draws(epoch), 1)
			} else {
				l.space(tile.fired, nil, epoch%2 == 1, draws(epoch), 1)
			}
			copy(l.before, l.at)
		}
		maps[k] = at
	}
	if !slices.Equal(maps[0], maps[1]) {
		t.Error("the loops differ")
	}
}

// An edge of weight v counts in v/max of the epochs.
func TestEdgesCountByWeight(t *testing.T) {
	w := rings(4, 100)
	b := newBlocks(scattered(w.Rows, 2, 1), 1)
	var edges int
	for _, of := range b.tilesOf(w, 40) {
		for _, e := range of.edges {
			edges++
			one := tile{edges: []timedEdge{e}, fired: make([]ends, 1)}
			var count int
			for epoch := 1; epoch <= 40; epoch++ {
				one.fire(float32(epoch))
				for _, fired := range one.fired {
					if fired != e.ends {
						t.Fatalf("%v counts, want %v", fired, e.ends)
					}
					count++
				}
			}
			cols, vals := w.Row(int(b.order[e.i]))
			v := vals[slices.Index(cols, b.order[e.j])]
			if want := int(math.Round(40 * v)); count != want {
				t.Fatalf("an edge of weight %g counts %d times, want %d", v, count, want)
			}
		}
	}
	if edges != w.NNZ()/2 {
		t.Errorf("%d edges in the tiles, %d in the graph", edges, w.NNZ()/2)
	}
	var few int
	for _, tile := range b.tilesOf(w, 3) {
		few += len(tile.edges)
	}
	if few != 2*w.Rows {
		t.Errorf("%d edges count in 3 epochs, want those of weight 1 and 1/2, %d", few, 2*w.Rows)
	}
}

// The forces are the derivatives of what the layout lowers, and their table is close to them.
func TestForces(t *testing.T) {
	c := must.Get(NewCurve(0.1, 1))(t)
	attraction, repulsion := newForce(c.attraction), newForce(c.repulsion)
	for _, s := range []float64{1e-9, 1e-4, 0.02, 0.3, 1, 1.7, 42, 9e3, 1e9} {
		q := func(s float64) float64 { return math.Log1p(c.A * math.Pow(s, c.B)) }
		h := 1e-5 * s
		slope := (q(s+h) - q(s-h)) / (2 * h) // of −log of the similarity by s; by y it is 2(y_i − y_j) times that
		if got := -c.attraction(s) / 2; math.Abs(got-slope) > 1e-6*slope {
			t.Errorf("s=%g: the attraction is %g, want %g", s, got, slope)
		}
		for name, f := range map[string]struct {
			table *force
			exact func(float64) float64
		}{"attraction": {&attraction, c.attraction}, "repulsion": {&repulsion, c.repulsion}} {
			for _, at := range []float64{s, 1.3 * s, 1.99 * s} {
				if want := f.exact(at); math.Abs(float64(f.table.at(float32(at)))-want) > 2e-4*math.Abs(want) {
					t.Errorf("the table of the %s has %g at %g, want %g", name, f.table.at(float32(at)), at, want)
				}
			}
		}
	}
	for _, s := range []float32{0, 1e-45, 1e-12, 1e25, 8 * maxCoordinate * maxCoordinate} {
		if v := attraction.at(s) + repulsion.at(s); v-v != 0 || s > 1e20 && v != 0 {
			t.Errorf("the forces at %g are %g", s, v)
		}
	}
	// A component of a step is bounded where the force times the distance can be above the bound.
	for s := float32(1e-12); s < 1e6; s *= 1.01 {
		for _, f := range []*force{&attraction, &repulsion} {
			if length := math.Abs(float64(f.at(s))) * math.Sqrt(float64(s)); length > maxStep && s >= f.clip {
				t.Errorf("a step of %g at %g is not clipped", length, s)
			}
		}
	}
}

// Layouts lower what they say, from the same start.
func TestLayoutsLowerTheirObjective(t *testing.T) {
	w := rings(5, 80)
	curve := must.Get(NewCurve(0.1, 1))(t)
	p, pairs := probabilitiesOf(w), pairsOf(w)
	for name, of := range map[string]struct {
		arrange func(y *mat.Dense) error
		measure func(y *mat.Dense) (float64, error)
	}{
		"umap": {func(y *mat.Dense) error { return UMAP{Curve: curve, Epochs: 50}.Arrange(t.Context(), w, y) },
			func(y *mat.Dense) (float64, error) { return curve.CrossEntropy(t.Context(), 2, w, y) }},
		"tsne": {func(y *mat.Dense) error { return TSNE{Iterations: 100, Early: new(50)}.Arrange(t.Context(), p, y) },
			func(y *mat.Dense) (float64, error) { return Divergence(t.Context(), 2, p, y) }},
		"pacmap": {func(y *mat.Dense) error { return PaCMAP{Phases: [3]int{20, 20, 60}}.Arrange(t.Context(), pairs, y) },
			func(y *mat.Dense) (float64, error) { return pairs.Objective(y, [3]float64{1, 0, 1}), nil }},
	} {
		y := scattered(w.Rows, 2, 1)
		before, err := of.measure(y)
		if err == nil {
			err = of.arrange(y)
		}
		if err != nil {
			t.Fatal(err)
		}
		after, err := of.measure(y)
		if err != nil || !(after < 0.8*before) {
			t.Errorf("%s: from %g to %g, %v", name, before, after, err)
		}
	}
}

func TestLayoutsRefuse(t *testing.T) {
	w, y := rings(2, 10), scattered(19, 2, 1)
	for what, err := range map[string]error{
		"umap of another graph": UMAP{Curve: Curve{1, 1}, Epochs: 1}.Arrange(t.Context(), w, y),
		"umap without a curve":  UMAP{Epochs: 1}.Arrange(t.Context(), w, scattered(20, 2, 1)),
		"umap of no epoch":      UMAP{Curve: Curve{1, 1}}.Arrange(t.Context(), w, scattered(20, 2, 1)),
		"a start of NaN":        UMAP{Curve: Curve{1, 1}, Epochs: 1}.Arrange(t.Context(), w, scattered(20, 2, math.NaN())),
		"a far start":           UMAP{Curve: Curve{1, 1}, Epochs: 1}.Arrange(t.Context(), w, scattered(20, 2, 1e30)),
		"pairs from NaN":        PaCMAP{}.Arrange(t.Context(), Pairs{}, scattered(20, 2, math.NaN())),
		"a distance below 0":    PaCMAP{Local: &Local{Distance: -1}}.Arrange(t.Context(), Pairs{}, scattered(20, 2, 1)),
		"radii of others":       UMAP{Curve: Curve{1, 1}, Epochs: 1, Density: &Density{}}.Arrange(t.Context(), w, scattered(20, 2, 1)),
		"radii of NaN":          UMAP{Curve: Curve{1, 1}, Epochs: 1, Density: &Density{Radii: slices.Repeat([]float64{math.NaN()}, 20)}}.Arrange(t.Context(), w, scattered(20, 2, 1)),
		"a fraction above 1":    UMAP{Curve: Curve{1, 1}, Epochs: 1, Density: &Density{Radii: make([]float64, 20), Fraction: 2}}.Arrange(t.Context(), w, scattered(20, 2, 1)),
		"a negative weight":     TSNE{}.Arrange(t.Context(), symmetric(20, []weighted{{0, 1, -1}}), scattered(20, 2, 1)),
		"one direction":         TSNE{}.Arrange(t.Context(), &sparse.CSR{Rows: 2, Cols: 2, Ptr: []int{0, 1, 1}, Col: []int32{1}, Val: []float64{1}}, scattered(2, 2, 1)),
		"tsne of another graph": TSNE{}.Arrange(t.Context(), w, y),
		"tsne in 4 columns":     TSNE{}.Arrange(t.Context(), w, scattered(20, 4, 1)),
		"pairs of no vertex":    PaCMAP{}.Arrange(t.Context(), Pairs{Near: []Pair{{0, 19}}}, y),
		"no spread":             func() error { _, err := NewCurve(0.1, 0); return err }(),
		"a wide distance":       func() error { _, err := NewCurve(3, 1); return err }(),
	} {
		if err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

func BenchmarkUMAP(b *testing.B) {
	curve, err := NewCurve(0.1, 1)
	if err != nil {
		b.Fatal(err)
	}
	w := rings(100, 100)
	for _, threads := range []int{1, 2} {
		b.Run(fmt.Sprint(threads), func(b *testing.B) {
			for b.Loop() {
				if err := (UMAP{Curve: curve, Epochs: 50, Threads: threads}).Arrange(b.Context(), w, scattered(w.Rows, 2, 5)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
