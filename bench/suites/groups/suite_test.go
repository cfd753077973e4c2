package groups

import (
	"slices"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/benchtest"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/sparse"
)

func TestCases(t *testing.T) { benchtest.CheckCases(t, &Suite) }

// made are records of all cases; the peers are as many times slower, and their groups are as much worse.
func made(times, worse float64) *bench.Records {
	r := &bench.Records{Suite: Suite.Name}
	add := func(name string, seconds, ari float64) {
		one := &bench.Record{Suite: Suite.Name, Case: name, PeakBytes: 1 << 30, Seconds: map[string]bench.Statistics{"total": {Median: seconds}}, Quality: map[string]bench.Statistics{}}
		for _, key := range []string{truthARI, agreement, modularity} {
			one.Quality[key] = bench.Statistics{Median: ari}
		}
		r.List = append(r.List, one)
	}
	for i := range sets {
		for k := range programs {
			s, p := &sets[i], &programs[k]
			switch {
			case !s.takes(p):
			case p.name == own:
				add(caseName(s, p), 1, 1)
			default:
				add(caseName(s, p), times, 1-worse)
			}
		}
	}
	for _, g := range graphs {
		for _, p := range leidens {
			if p.until == 0 {
				add(g.name+"/"+p.name, 100/times, 0.7)
			} else {
				add(g.name+"/"+p.name, 100, 0.7-worse)
			}
		}
	}
	return r
}

func TestFindings(t *testing.T) {
	reached, missed := map[string]bench.Verdict{}, map[string]bench.Verdict{}
	for _, c := range Suite.Claims {
		reached[c.Name], missed[c.Name] = bench.TargetReached, bench.TargetMissed
	}
	benchtest.CheckFindings(t, &Suite, made(10, 0), reached)
	missed["plane-1m"], missed["agreement"] = bench.TargetReached, bench.TargetReached
	benchtest.CheckFindings(t, &Suite, made(2, -0.2), missed)
	reached["agreement"] = bench.TargetMissed
	benchtest.CheckFindings(t, &Suite, made(10, 0.2), reached)
	benchtest.CheckSections(t, &Suite, made(10, 0))
}

// The sets have the samples and the groups that they say.
func TestSets(t *testing.T) {
	for i := range sets {
		s := sets[i]
		if s.n > 200_000 {
			continue
		}
		d := s.draw()
		if n, _ := d.x.Dims(); n != s.n || len(d.labels) != n || d.count() < 2 {
			t.Errorf("%s: %d samples, %d labels, %d groups", s.name, n, len(d.labels), d.count())
		}
		if !s.timed {
			if r, err := engine.Cluster(t.Context(), d.x, engine.HDBSCAN{MinClusterSize: s.size, MinSamples: &s.samples}, engine.ClusterOptions{}); err != nil || slices.Max(r.Labels) < 1 {
				t.Errorf("%s: %v", s.name, err)
			}
		}
	}
}

// Two triangles joined by an edge have the modularity 6/7 − 2·(1/2)².
func TestModularity(t *testing.T) {
	w := must.Get(sparse.FromEntries(6, 6, func(put func(i, j int, v float64)) {
		for _, e := range [][2]int{{0, 1}, {1, 2}, {0, 2}, {3, 4}, {4, 5}, {3, 5}, {2, 3}} {
			put(e[0], e[1], 1)
			put(e[1], e[0], 1)
		}
	}))(t)
	if q := modularityOf(w, []int64{0, 0, 0, 1, 1, 1}); q < 0.357142 || q > 0.357143 {
		t.Error(q)
	}
}
