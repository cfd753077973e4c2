package groups

import (
	"fmt"
	"strings"

	"github.com/orthant-go/orthant/bench"
)

// within is a negligible difference of two ARI.
const within = 0.01

func claims() []bench.Claim {
	list := []bench.Claim{
		{Name: "truth", Source: "orthant", Paper: "ARI of the package − 0.01 at least, on every set", Statement: "On twelve sets in the plane hdbscan finds the groups at least as well as the package hdbscan.", Check: func(r *bench.Records) bench.Finding {
			return compared(r, "package", truthARI, "%.3f", func(ours, theirs float64) bool { return ours >= theirs-within })
		}},
		{Name: "agreement", Source: "orthant", Paper: "ARI of the two at least 0.95, and 0.99 on eleven of the twelve", Statement: "The groups are those of the package hdbscan, but for ties.", Check: agreed},
	}
	for _, t := range []struct {
		set, peer string
		times     float64
	}{{"plane-100k", "package", 5}, {"plane-100k", "sklearn", 5}, {"ten-columns", "fast", 4}, {"ten-columns-noise", "fast", 4}} {
		s, p := setNamed(t.set), programNamed(t.peer)
		list = append(list, bench.Claim{Name: t.set + "/" + t.peer, Source: "orthant", Paper: fmt.Sprintf("at least %g times faster", t.times),
			Statement: fmt.Sprintf("hdbscan of %d samples (%s) takes less time than %s, and finds groups as good.", s.n, s.title, p.title),
			Check:     func(r *bench.Records) bench.Finding { return faster(r, s, p, t.times) }})
	}
	return append(list,
		bench.Claim{Name: "plane-1m", Source: "orthant", Paper: "at most 15 s and 2 GiB", Statement: "hdbscan of a million samples in two columns takes at most 15 seconds by the clock and 2 GiB.", Check: func(r *bench.Records) bench.Finding {
			name := caseName(setNamed("plane-1m"), programNamed(own))
			one := r.Lookup(name)
			if _, found := r.Quality(name, truthARI); one == nil || one.PeakBytes == 0 || !found {
				return r.FindingWithout(name)
			}
			seconds, peak := one.Seconds["total"].Median, float64(one.PeakBytes)/(1<<30)
			return finding(r, seconds <= 15 && peak <= 2, fmt.Sprintf("%.1f s, %.2f GiB", seconds, peak), name)
		}},
		bench.Claim{Name: "leiden", Source: "orthant", Paper: "at most 20 s; modularity of igraph − 0.001 at least", Statement: "leiden of a graph of a million vertices and ten million edges takes at most 20 seconds by the clock, at a modularity no less than igraph's.", Check: func(r *bench.Records) bench.Finding {
			ours, theirs := "graph-1m/"+own, "graph-1m/igraph-converged"
			one := r.Lookup(ours)
			q, found := r.Quality(ours, modularity)
			its, peer := r.Quality(theirs, modularity)
			if one == nil || !found || !peer {
				return r.FindingWithout(ours, theirs)
			}
			seconds := one.Seconds["total"].Median
			return finding(r, seconds <= 20 && q >= its-0.001, fmt.Sprintf("%.1f s; %.5f to %.5f", seconds, q, its), ours, theirs)
		}})
}

func setNamed(name string) *set {
	for i := range sets {
		if sets[i].name == name {
			return &sets[i]
		}
	}
	panic("groups: no set " + name)
}

func programNamed(name string) *program {
	for i := range programs {
		if programs[i].name == name {
			return &programs[i]
		}
	}
	panic("groups: no program " + name)
}

// compared compares a quality of ours with that of a peer on all sets in the plane.
func compared(r *bench.Records, peer, key, digits string, holds func(ours, theirs float64) bool) bench.Finding {
	var names, said, missed, asked []string
	for i := range sets {
		s := &sets[i]
		if s.timed {
			continue
		}
		ours, theirs := caseName(s, programNamed(own)), caseName(s, programNamed(peer))
		v, found := r.Quality(ours, key)
		its, run := r.Quality(theirs, key)
		if !found || !run {
			asked = append(asked, ours, theirs)
			continue
		}
		names = append(names, ours, theirs)
		said = append(said, fmt.Sprintf("%s "+digits+" to "+digits, s.name, v, its))
		if !holds(v, its) {
			missed = append(missed, s.name)
		}
	}
	if len(asked) > 0 {
		return r.FindingWithout(asked...)
	}
	f := bench.TargetFinding(len(missed) == 0, strings.Join(said, ", "), names)
	if len(missed) > 0 {
		f.Why = "missed on " + strings.Join(missed, ", ")
	}
	return f
}

// agreed compares the labels of the package with ours.
func agreed(r *bench.Records) bench.Finding {
	var names, said, asked []string
	low, least := 0, 1.0
	for i := range sets {
		s := &sets[i]
		if s.timed {
			continue
		}
		name := caseName(s, programNamed("package"))
		v, run := r.Quality(name, agreement)
		if !run {
			asked = append(asked, name)
			continue
		}
		names, said, least = append(names, name), append(said, fmt.Sprintf("%s %.3f", s.name, v)), min(least, v)
		if v < 0.99 {
			low++
		}
	}
	if len(asked) > 0 {
		return r.FindingWithout(asked...)
	}
	return bench.TargetFinding(low <= 1 && least >= 0.95, strings.Join(said, ", "), names)
}

// faster compares the times of a set, at groups that are as good.
func faster(r *bench.Records, s *set, p *program, times float64) bench.Finding {
	ours, theirs := caseName(s, programNamed(own)), caseName(s, p)
	a, b := r.Lookup(ours), r.Lookup(theirs)
	if a == nil || b == nil || a.Seconds["total"].Median <= 0 || b.Seconds["total"].Median <= 0 {
		return r.FindingWithout(ours, theirs)
	}
	ari, found := r.Quality(ours, truthARI)
	its, compared := r.Quality(theirs, truthARI)
	if !found || !compared {
		return r.FindingWithout(ours, theirs)
	}
	one, other := a.Seconds["total"].Median, b.Seconds["total"].Median
	return finding(r, other >= times*one && ari >= its-within, fmt.Sprintf("%.2g s to %.3g s, %.1f times faster; ARI %.3f to %.3f", one, other, other/one, ari, its), ours, theirs)
}

// finding is that on a target, which is missed if the groups of the first case are worse than they must be.
func finding(r *bench.Records, reached bool, ours string, names ...string) bench.Finding {
	short := r.Shortfalls(names[0])
	f := bench.TargetFinding(reached && len(short) == 0, ours, names)
	f.Why = strings.Join(short, "; ")
	return f
}

// versus returns the sets for the time.
func versus() []bench.Versus {
	var list []bench.Versus
	for i := range sets {
		s := &sets[i]
		for k := range programs {
			if p := &programs[k]; s.timed && p.name != own && s.takes(p) {
				list = append(list, bench.Versus{What: "hdbscan, " + s.title + fmt.Sprintf(" (%d samples)", s.n), Program: p.title, Ours: caseName(s, programNamed(own)), Theirs: caseName(s, p)})
			}
		}
	}
	return list
}

// picture is the name of a picture of groups.
const picture = "groups"

func sections(r *bench.Records) []bench.Section {
	truth := &bench.Table{Columns: []string{"set", "hdbscan", "package: ARI", "agreement of the two", "k-means with the true number: ARI"}}
	times := &bench.Table{Columns: []string{"set", "program", "by the clock", "processor time", "peak of memory", "ARI", "agreement"}}
	var figures []bench.Figure
	for i := range sets {
		s := &sets[i]
		ours, peer, means := caseName(s, programNamed(own)), caseName(s, programNamed("package")), caseName(s, programNamed(plain))
		if r.Lookup(ours) == nil {
			continue
		}
		if s.timed {
			for k := range programs {
				if name := caseName(s, &programs[k]); r.Lookup(name) != nil {
					times.Rows = append(times.Rows, []bench.Cell{{Text: fmt.Sprintf("%s, %d", s.title, s.n)}, {Text: programs[k].title}, r.CellWithError(name, bench.WallText("total")), r.Cell(name, bench.CPUText("total")),
						r.Cell(name, bench.PeakText), r.Cell(name, bench.QualityText(truthARI)), r.Cell(name, bench.QualityText(agreement))})
				}
			}
			continue
		}
		truth.Rows = append(truth.Rows, []bench.Cell{{Text: s.title}, r.CellWithError(ours, bench.WallText("total")), r.Cell(peer, bench.QualityText(truthARI)), r.Cell(peer, bench.QualityText(agreement)), r.Cell(means, bench.QualityText(truthARI))})
		for _, name := range []string{ours, means} {
			if one := r.Lookup(name); one != nil && one.Pictures[picture] != "" {
				figures = append(figures, bench.Figure{Case: name, Picture: picture, Caption: name})
			}
		}
	}
	graph := &bench.Table{Columns: []string{"graph", "program", "by the clock", "processor time", "peak of memory", "modularity"}}
	for _, g := range graphs {
		for _, p := range leidens {
			if name := g.name + "/" + p.name; r.Lookup(name) != nil {
				graph.Rows = append(graph.Rows, []bench.Cell{{Text: fmt.Sprintf("%d vertices, %d edges", g.n, g.edges)}, {Text: p.title}, r.CellWithError(name, bench.WallText("total")), r.Cell(name, bench.CPUText("total")), r.Cell(name, bench.PeakText), r.Cell(name, bench.QualityText(modularity))})
			}
		}
	}
	return []bench.Section{{Title: "Groups in the plane", Table: truth, Pictures: figures}, {Title: "Time", Table: times}, {Title: "Communities", Table: graph}}
}
