package engine

import (
	"context"
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/pages"
	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// peakOf runs f and returns the peak of live bytes during it, in addition to those
// before: the collector runs all the time.
func peakOf(t *testing.T, f func()) int64 {
	t.Helper()
	live := func() int64 {
		runtime.GC()
		s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
		metrics.Read(s)
		return int64(s[0].Value.Uint64())
	}
	pages.Reserve(256 << 20) // by f it would count as live
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	live()
	before := live()
	var most int64
	ended, seen := make(chan bool), make(chan bool)
	go func() {
		defer close(seen)
		for {
			most = max(most, live())
			select {
			case <-ended:
				return
			case <-time.After(500 * time.Microsecond):
			}
		}
	}()
	f()
	close(ended)
	<-seen
	return max(most-before, 0)
}

// A run within its estimated memory holds no more than the estimate, for every
// method and task, and the estimate is not far above.
func TestEstimatedMemoryHoldsWhatIsLive(t *testing.T) {
	if testing.Short() {
		t.Skip("runs every method twice")
	}
	for _, c := range memoryCases(t) {
		t.Run(c.task+"/"+c.name, func(t *testing.T) {
			estimate := must(c.run(0))(t)
			var again int64
			var err error
			held := 8 * int64(c.n) * int64(c.m)
			if c.sparse > 0 {
				held = c.sparse
			}
			live := peakOf(t, func() { again, err = c.run(estimate) }) + held
			if err != nil || again != estimate {
				t.Fatalf("under the limit of its own estimate, %d bytes: %d estimated, %v", estimate, again, err)
			}
			if most := estimate - memory.Program; live > most {
				t.Errorf("%.1f MB live where %.1f MB were estimated", float64(live)/1e6, float64(most)/1e6)
			}
			if most := 3*(live+memory.Program)/2 + 20<<20; estimate > most {
				t.Errorf("%.1f MB estimated for a peak of %.1f MB", float64(estimate)/1e6, float64(live+memory.Program)/1e6)
			}
			if strings.HasPrefix(c.name, "amrmf") {
				return // it recomputes distances if they do not fit
			}
			if name, _, _ := strings.Cut(c.name, "/"); c.task == "cluster" && slices.Contains(updated, name) {
				return // with few columns the eigenvectors of the graph have a solver that needs less
			}
			if strings.HasPrefix(c.name, "umap") {
				return // the eigenvectors of its start have a solver that needs less
			}
			if strings.HasPrefix(c.name, "pacmap") {
				return // its map is not judged if there is no room
			}
			if _, err := c.run(estimate - 1<<10); !IsMemory(err) {
				t.Errorf("a kibibyte below: %v, want a refusal", err)
			}
		})
	}
}

// memoryCase is a run of a method on n × m data; run returns the estimated
// memory.
type memoryCase struct {
	name, task string
	n, m       int
	run        func(limit int64) (int64, error)
	sparse     int64 // bytes of sparse data; 0: they are dense
}

// memoryCases has at least one case for every method and task.
func memoryCases(t *testing.T) []memoryCase {
	roll, wide := generate(t, "swiss-roll", 8000, 1).X, blobs(300, 1200)
	graph, tall, square := blobs(6000, 50), blobs(3000, 300), blobs(900, 100)
	labels := func(n int) []int64 {
		of := make([]int64, n)
		for i := range of {
			of[i] = int64(i % 8)
		}
		return of
	}
	var cases []memoryCase
	for _, e := range Methods() {
		quick := map[string]string{}
		for _, p := range e.Parameters {
			switch p.Key {
			case "iterations", "epochs":
				quick[p.Key] = "3"
			case "early_iterations":
				quick[p.Key] = "1"
			case "start_steps":
				quick[p.Key] = "5"
			}
		}
		for _, task := range e.Tasks {
			data := []*mat.Dense{roll}
			switch {
			case task == "embed" && slices.Contains(strings.Fields("pca mds npp onpp lpp olpp olpp-cai lda npca nonpp nolpp"), e.Name):
				data = []*mat.Dense{graph, wide}
			case task == "embed" && slices.Contains(strings.Fields("isomap nmms smacof"), e.Name):
				data = []*mat.Dense{blobs(1500, 3)}
			case task == "factorize" && e.Supervised:
				data = []*mat.Dense{square}
			case task == "cluster" && factorizes(e) && !slices.Contains(strings.Fields("gs-gnmf lp-rna amrmf smrmf smrmf-euc f-smrmf smrmf-ns"), e.Name):
				data = []*mat.Dense{tall} // wide ones are factorised, and clustered by fewer columns
			case task == "factorize" || task == "cluster" && !slices.Contains(strings.Fields("lnp smce spectral kmeans"), e.Name):
				if data = []*mat.Dense{tall, wide}; slices.Contains(strings.Fields("gs-gnmf lp-rna amrmf smrmf smrmf-euc f-smrmf smrmf-ns ds3 esc-ffs"), e.Name) {
					data = []*mat.Dense{square}
				}
			case task == "select":
				data = []*mat.Dense{square, wide}
			}
			for _, x := range data {
				n, m := x.Dims()
				method := must(NewFor(task, e.Name))(t)
				for key, text := range quick {
					if err := Set(method, key, text); err != nil {
						t.Fatal(err)
					}
				}
				o := Options{Threads: 2, Seed: 1, Components: "largest"}
				if e.Supervised {
					o.Labels = labels(n)
				}
				cases = append(cases, memoryCase{fmt.Sprintf("%s/%dx%d", e.Name, n, m), task, n, m, func(limit int64) (int64, error) {
					o.Memory = limit
					return estimatedMemory(t.Context(), task, x, method, o)
				}, 0})
			}
		}
	}
	cases = append(cases, sparseMemoryCases(t, labels)...)
	copies := mat.DenseCopyOf(square)
	for i := range 200 {
		copies.SetRow(i, copies.RawRowView(0))
	}
	for _, name := range []string{"smrmf", "f-smrmf"} {
		method := must(NewFor("factorize", name))(t)
		if err := Set(method, "iterations", "2"); err != nil {
			t.Fatal(err)
		}
		if name == "smrmf" && Set(method, "start_steps", "5") != nil {
			t.Fatal("smrmf has no start_steps")
		}
		cases = append(cases, memoryCase{name + "/copies", "factorize", 900, 100, func(limit int64) (int64, error) {
			return estimatedMemory(t.Context(), "factorize", copies, method, Options{Threads: 2, Seed: 1, Memory: limit})
		}, 0})
	}
	// The search for the causes of a doubt comes last.
	doubted := generate(t, "swiss-roll", 20000, 1).X
	cases = append(cases, memoryCase{"lle/doubted", "embed", 20000, 3, func(limit int64) (int64, error) {
		return estimatedMemory(t.Context(), "embed", doubted, LLE{Gamma: 1e-3}, Options{Threads: 2, Seed: 1, Memory: limit})
	}, 0})
	landmarks := Options{Threads: 2, Seed: 1, Components: "largest", Landmarks: 150}
	for _, m := range []Method{Isomap{}, LLE{}} {
		cases = append(cases, memoryCase{m.Name() + "/landmarks", "embed", 8000, 3, func(limit int64) (int64, error) {
			landmarks.Memory = limit
			return estimatedMemory(t.Context(), "embed", roll, m, landmarks)
		}, 0})
	}
	return cases
}

// estimatedMemory runs a task and returns the estimated memory.
func estimatedMemory(ctx context.Context, task string, x mat.Matrix, m Method, o Options) (bytes int64, err error) {
	p := problem{x: x, Options: o, size: 8}
	if task == "select" {
		p.size = 20
	}
	s, err := solvedBy(ctx, task, m, p)
	if err != nil {
		return 0, err
	}
	return s.bytes(), nil
}

// blobs returns nonnegative samples around eight centres.
func blobs(n, m int) *mat.Dense {
	s := blas.NewStream(5)
	u, centers := make([]float64, n*m), make([]float64, 8*m)
	s.Uniforms(u)
	s.Uniforms(centers)
	for i := range n {
		for j := range m {
			u[i*m+j] += 2 * centers[i%8*m+j]
		}
	}
	return mat.NewDense(n, m, u)
}

// The refinement of eigenvalues at rounding level needs no more memory than the search before it.
func TestRefinementKeepsToItsRoom(t *testing.T) {
	x := generate(t, "helix", 12000, 1).X
	run := func(limit int64) *Result {
		r := embed(t, x, LTSA{Neighbors: 8, Dim: 1}, Options{Threads: 2, Seed: 1, Memory: limit})
		return r
	}
	free := run(0)
	if free.Details["refinements"] == nil {
		t.Fatal("nothing is refined here")
	}
	var within *Result
	live := peakOf(t, func() { within = run(free.EstimatedBytes) })
	if within.Details["refinements"] == nil || live > free.EstimatedBytes-memory.Program {
		t.Errorf("%.1f MB live where %.1f MB were estimated, %v refinements", float64(live)/1e6, float64(free.EstimatedBytes-memory.Program)/1e6, within.Details["refinements"])
	}
}

// sparseMemoryCases are factorisations of sparse samples, by every method that keeps them sparse,
// and with every schedule of correntropy: tall data, for which the graph of the method is
// sparse, and small data.
func sparseMemoryCases(t *testing.T, labels func(n int) []int64) []memoryCase {
	var cases []memoryCase
	for _, e := range Methods() {
		if !slices.Contains(e.Tasks, "factorize") || !e.KeepsSparse {
			continue
		}
		n, m := 4000, 2500
		if e.Supervised || e.Name == "gs-gnmf" || e.Name == "lp-rna" {
			n = 900
		}
		a, _ := topics(n, m, 100)
		for _, schedule := range []string{"paper", "refresh"} {
			method := must(NewFor("factorize", e.Name))(t)
			if err := Set(method, "iterations", "3"); err != nil {
				t.Fatal(err)
			}
			if schedule == "refresh" && Set(method, "schedule", schedule) != nil {
				continue
			}
			o := Options{Threads: 2, Seed: 1}
			if e.Supervised {
				o.Labels = labels(n)
			}
			cases = append(cases, memoryCase{e.Name + "/sparse/" + schedule, "factorize", n, m, func(limit int64) (int64, error) {
				o.Memory = limit
				return estimatedMemory(t.Context(), "factorize", a, method, o)
			}, a.Bytes()})
		}
	}
	return cases
}

// Counts of 100 000 samples, 4 % of them nonzero, are factorised with every loss, with
// and without a graph, in a small part of the 1.6 GB that they need in dense form.
func TestLossesOfManySparseSamples(t *testing.T) {
	if testing.Short() {
		t.Skip("50 million entries")
	}
	const n, m, most = 25_000, 2000, 75 << 20
	p := must(datasets.GenerateProgrammes(n, 1, map[string]string{"programmes": "8", "depth": "83"}))(t)
	if filled := float64(p.Counts.NNZ()) / (n * m); filled < 0.035 || filled > 0.045 {
		t.Fatalf("%.2f %% of the counts are not zero", 100*filled)
	}
	ring := &neighbors.Graph{Ptr: []int{0}} // the two after it among the samples of the same main programme
	for i := range n {
		ring.Index = append(ring.Index, int32((i+8)%n), int32((i+16)%n))
		ring.Dist = append(ring.Dist, 1, 1)
		ring.Ptr = append(ring.Ptr, len(ring.Index))
	}
	one, few := Updates{Iterations: 1}, Updates{Iterations: 2}
	wide := Correntropy{Theta: 12.5} // half the mean square over the entries that are not zero
	refresh := wide
	refresh.Schedule = "refresh"
	for _, c := range []struct {
		name string
		m    Method
	}{
		{"nmf by mu", NMF{LeastSquares: LeastSquares{Solver: "mu"}, Updates: few}},
		{"nmf by hals", NMF{LeastSquares: LeastSquares{Solver: "hals"}, Updates: few}},
		{"nmf-kl", NMFKL{Updates: few}},
		{"l21-nmf", L21NMF{Updates: few}},
		{"cim-nmf", CIMNMF{Updates: one, Correntropy: wide}},
		{"cim-nmf, refresh", CIMNMF{Updates: one, Correntropy: refresh}},
		{"gnmf", GNMF{Updates: few}},
		{"npaf by kl", NPAF{Loss: "kl", LeastSquares: LeastSquares{Solver: "mu"}, Updates: few}},
		{"cim-gnmf", CIMGNMF{Updates: one, CorrentropyTerm: CorrentropyTerm{Correntropy: wide}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := FactorizeOptions{Rank: 4, Options: Options{Threads: 2, Seed: 1}}
			if slices.Contains([]string{"gnmf", "npaf", "cim-gnmf"}, c.m.Name()) {
				o.Graph = ring
			}
			var r *Factorization
			var err error
			live := peakOf(t, func() { r, err = Factorize(t.Context(), p.Counts, c.m, o) })
			if err != nil {
				t.Fatal(err)
			}
			if live > most {
				t.Errorf("%d MiB are live in addition to the counts, %d MiB at most are due", live>>20, most>>20)
			}
			first, last := r.Trace[0], r.Trace[len(r.Trace)-1]
			if !r.Sparse || last.Iteration < 1 || !(last.Residual < first.Residual) {
				t.Errorf("sparse %v, the residual went from %v to %v in %d iterations", r.Sparse, first.Residual, last.Residual, last.Iteration)
			}
			t.Logf("%d MiB live, residual %.4f, %.2f s", live>>20, last.Residual, r.Seconds["solve"])
		})
	}
}
