package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
)

// job is a line of the file. Jobs of the same kind differ in the names of their outputs
// alone, so that they have to end in the same way.
type job struct {
	kind   string // the line without the names of outputs, behind the one that it reads the outputs of
	after  bool   // it reads what another writes, and fails with it
	broken bool   // its input is
}

// line is a job before it is written.
type line map[string]any

const (
	broken   = 0.01 // of all jobs
	perInput = 8    // jobs that share one draw of settings, on average
)

// makeJobs writes the inputs and the file of jobs, and returns what each line is.
func (s *soak) makeJobs() ([]job, error) {
	folder := filepath.Join(s.out, "in")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	random := blas.NewStream(s.seed)
	whole, err := wholeInputs(folder, random)
	if err != nil {
		return nil, err
	}
	wrong, err := brokenInputs(folder, whole)
	if err != nil {
		return nil, err
	}
	groups := s.draw(random, whole, wrong)
	f, err := os.Create(s.file())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	w, jobs := bufio.NewWriter(f), []job{}
	for len(jobs) < s.jobs {
		group := groups[random.Below(len(groups))]
		name := fmt.Sprintf("%03d/%06d", len(jobs)/1000, len(jobs)) // of the first, as the second reads it
		before := ""
		for _, l := range group.lines {
			text, err := json.Marshal(l)
			if err != nil {
				return nil, err
			}
			// Equal jobs have to be distinguished, so that the journal knows them: by their outputs.
			fmt.Fprintln(w, strings.ReplaceAll(string(text), "NAME", name))
			before += string(text)
			jobs = append(jobs, job{before, len(before) > len(text), group.broken})
			if len(jobs) == s.jobs {
				break
			}
		}
	}
	return jobs, w.Flush()
}

func (s *soak) file() string { return filepath.Join(s.out, "jobs.jsonl") }

// drawn are lines that go together: the second may read what the first writes.
type drawn struct {
	lines  []line
	broken bool
}

// draw draws groups of jobs: every method and task in turn, at odd sizes, and other commands.
func (s *soak) draw(random *blas.Stream, whole, wrong []input) []*drawn {
	var list []*drawn
	entries := engine.Methods()
	count := max(len(entries)*3, s.jobs/perInput)
	for i := range count {
		in := whole[random.Below(len(whole))]
		d := &drawn{}
		if random.Uniform() < broken {
			in, d.broken = wrong[random.Below(len(wrong))], true
		}
		if i%10 == 9 {
			d.lines = otherLines(random, in, i)
			d.broken = d.broken && d.lines[0]["in"] != nil
		} else {
			e := entries[i%len(entries)]
			d.lines = methodLines(random, e, e.Tasks[i/len(entries)%len(e.Tasks)], in)
		}
		list = append(list, d)
	}
	return list
}

// methodLines are a job of a method, at settings that its input mostly allows, and for some
// one more that maps the same samples by its model.
func methodLines(random *blas.Stream, e engine.Entry, task string, in input) []line {
	l := line{"command": task, "method": e.Name, "in": in.path, "out": "NAME.npy", "seed": 1 + random.Below(3)}
	if e.Supervised || random.Below(8) == 0 {
		l["labels"] = in.labels
	}
	if has(e, "neighbors") && task != "select" {
		l["neighbors"] = max(1, min(in.n-1, 6+random.Below(12)))
	}
	model := false
	switch task {
	case "embed":
		l["dim"] = 1 + random.Below(min(3, in.m, max(1, in.n-2)))
		l["set"] = line{"components": []string{"each", "largest", "bridge", "error"}[random.Below(4)]}
		model = e.Extends
	case "factorize":
		l["rank"] = 1 + random.Below(min(4, in.n, in.m))
		l["iterations"] = 1 + random.Below(40)
		l["out-w"], l["out-h"] = "NAME.w.npy", "NAME.h.csv"
		delete(l, "out")
		model = e.Extends
	case "cluster":
		if !e.FindsClusters {
			l["clusters"] = 1 + random.Below(min(4, in.n))
		}
		delete(l, "labels")
		model = e.Predicts
	case "select":
		l["count"] = 1 + random.Below(min(5, in.n))
		delete(l, "labels")
	}
	if task != "factorize" && random.Below(60) == 0 {
		l["plot"] = "NAME.png"
	}
	if !model || random.Below(4) > 0 {
		return []line{l}
	}
	l["model"] = "NAME.model"
	return []line{l, {"command": "transform", "in": in.path, "model": "{out}/NAME.model", "out": "NAME.t.npy"}}
}

// otherLines are jobs of the commands that have no method.
func otherLines(random *blas.Stream, in input, i int) []line {
	k := max(1, min(in.n-1, 1+random.Below(9)))
	switch i / 10 % 4 {
	case 0:
		return []line{{"command": "neighbors", "in": in.path, "neighbors": k, "out-indices": "NAME.i.npy", "out-distances": "NAME.d.npy"}}
	case 1:
		return []line{{"command": "generate", "name": []string{"swiss-roll", "helix", "gaussians"}[random.Below(3)], "samples": 20 + random.Below(200), "seed": 1 + random.Below(9), "out": "NAME.npy"}}
	case 2:
		return []line{{"command": "denoise", "in": in.path, "dim": 1, "out": "NAME.npy"}}
	}
	return []line{
		{"command": "embed", "method": "pca", "in": in.path, "out": "NAME.npy", "dim": 1},
		{"command": "evaluate", "in": in.path, "embedding": "{out}/NAME.npy", "metric": "trustworthiness", "neighbors": max(1, min(k, in.n/2-1))},
	}
}

func has(e engine.Entry, key string) bool {
	for _, p := range e.Parameters {
		if p.Key == key {
			return true
		}
	}
	return false
}
