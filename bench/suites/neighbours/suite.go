// Package neighbours is the suite that compares the search for nearest neighbours with faiss, hnswlib and pynndescent:
// seconds, each with the recall reached.
package neighbours

import (
	"context"
	"fmt"
	"maps"

	"github.com/orthant-go/orthant/bench"
)

// Suite compares searches for nearest neighbours.
var Suite = bench.Suite{
	Name:  "neighbours",
	Title: "The 15 nearest neighbours of every sample, compared with faiss, hnswlib and pynndescent",
	About: `Each program finds the 15 nearest neighbours of every sample of a float32 .npy file, on two threads. Sets are MNIST (70 000 digits) and samples near curved manifolds of dimension d in clusters, x = A t/√d + ½ sin(2 B t/√d) + 0.02 e, with t from 100 normal distributions of deviation 0.7 about standard normal centres, and e noise. A name such as 1m-128-d15 says that there are a million of them in 128 columns, and d is 15. With --quick there are 10 000 samples of a set, which no claim rests on, and other programs search 100k-128-d15 alone.

Times are by the clock. Ours are for the whole command "orthant neighbors", from its start to the file of indices. The times of other programs begin after Python's imports; they are for reading the file, which is in the memory of the system for all programs, building the index and searching for all samples, and leave out what follows. pynndescent compiles itself in a run on 5000 samples, which is not timed. Of a program that can search one index by several settings the index is built once, and its time counts for each setting. A case has the time of its most accurate setting as its total; tables and curves have all.

Recall is measured in the same way for all programs: on 1000 samples of the set, it is the share of their neighbours that are no farther than the true 15th. Distances are computed in double precision from the file, and the true neighbours are found by comparing with all samples. A search counts as reaching a recall where it misses at most a tenth more neighbours, which is about the error of the measurement. What our command reports is its own measurement, on other samples.

Exact searches of a million samples of many columns by all pairs take an hour, and are left out. The sets 1m-3, 10m-3 and 3m-384-d30 are searched by ours alone. Choose a case by its name, such as neighbours/3m-384-d30/recall=0.8/orthant.`,
	Speed:    true,
	Cases:    cases,
	Claims:   claims(),
	Sections: sections,
}

func cases(e *bench.Env) []bench.Case {
	var list []bench.Case
	for i := range sets {
		s := &sets[i]
		if s.exact {
			list = append(list, s.ours(e, 0, threads))
		}
		for _, recall := range s.recalls {
			list = append(list, s.ours(e, recall, threads))
			if recall == s.single {
				list = append(list, s.ours(e, recall, 1))
			}
		}
		for j := range programs {
			if p := &programs[j]; s.takes(p) {
				list = append(list, s.theirs(e, p))
			}
		}
	}
	return list
}

// takes reports whether a program is run on the set.
func (s *dataSet) takes(p *program) bool { return s.peers && (s.flat || !p.all) }

// ours returns a case of our command. A recall of 0 is an exact search.
func (s *dataSet) ours(e *bench.Env, recall float64, threads int) bench.Case {
	c := s.newCase(e, oursName(recall, threads))
	c.Method, c.Threads = "orthant neighbors", threads
	c.Accuracy = []bench.Accuracy{bench.AtLeast(recallKey, 1)}
	c.Params["neighbors_method"] = "exact"
	if recall > 0 {
		c.Accuracy = []bench.Accuracy{bench.AtLeast(recallKey, least(recall))}
		c.Params["neighbors_method"], c.Params["recall"] = "approximate", recall
	}
	c.Run = func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
		return ours(ctx, e, c, s, recall)
	}
	return c
}

// theirs returns a case of another program.
func (s *dataSet) theirs(e *bench.Env, p *program) bench.Case {
	c := s.newCase(e, p.name)
	c.Method, c.Threads, c.Full = p.title, threads, p.full || !s.quick
	c.Needs = append(c.Needs, "peer:"+p.module)
	c.Accuracy = []bench.Accuracy{bench.ReportedShare(recallKey)}
	maps.Copy(c.Params, p.params(s.samples(e)))
	if p.setting != "" {
		c.Params[p.setting] = p.values
	}
	c.Run = func(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
		return p.run(ctx, e, c, s)
	}
	return c
}

func (s *dataSet) newCase(e *bench.Env, what string) bench.Case {
	return bench.Case{Name: s.caseName(what), Data: s.title(), N: s.samples(e), M: s.m, Params: map[string]any{"neighbors": nearest, "samples": s.samples(e)},
		Repeats: 1, Full: s.full, Needs: s.needs(e)}
}

// oursName returns the last part of the name of a case of our command.
func oursName(recall float64, threads int) string {
	name := "exact/orthant"
	if recall > 0 {
		name = fmt.Sprintf("recall=%s/orthant", number(recall))
	}
	if threads == 1 {
		name += "-1-thread"
	}
	return name
}
