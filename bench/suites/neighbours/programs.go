package neighbours

import (
	"bytes"
	"context"
	_ "embed" // of programs.py
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
)

// program is a search by another program, with the parameters of its index, and the settings with which that index is
// searched in turn.
type program struct {
	name    string // name in its cases
	title   string
	curve   string // name of its curve in the plot
	module  string // Python module
	method  string // method in programs.py
	all     bool   // it compares all pairs of samples
	full    bool   // left out by --quick
	params  func(n int) map[string]any
	setting string // name of the varied setting; empty: there is only one search
	values  []int
}

// programs are in the order of the tables.
var programs = []program{
	{name: "faiss-flat", title: "faiss IndexFlatL2", curve: "faiss flat", module: "faiss", method: "faiss-flat", all: true, params: fixed("", 0), values: []int{0}},
	{name: "faiss-ivf", title: "faiss IndexIVFFlat, nlist 4√n", curve: "faiss IVF", module: "faiss", method: "faiss-ivf",
		params:  func(n int) map[string]any { return map[string]any{"nlist": int(math.Round(4 * math.Sqrt(float64(n))))} },
		setting: "nprobe", values: []int{1, 4, 16, 64}},
	{name: "faiss-hnsw-16", title: "faiss IndexHNSWFlat, M 16", curve: "faiss HNSW, M 16", module: "faiss", method: "faiss-hnsw",
		params: fixed("m", 16), setting: "efSearch", values: []int{16, 32, 64, 128, 256}},
	{name: "faiss-hnsw-32", title: "faiss IndexHNSWFlat, M 32", curve: "faiss HNSW, M 32", module: "faiss", method: "faiss-hnsw", full: true,
		params: fixed("m", 32), setting: "efSearch", values: []int{16, 32, 64, 128, 256}},
	{name: "faiss-nndescent-16", title: "faiss IndexNNDescentFlat, K 16", curve: "faiss NNDescent, K 16", module: "faiss", method: "faiss-nndescent",
		params: fixed("K", 16), setting: "search_L", values: []int{0, 16, 64}},
	{name: "faiss-nndescent-32", title: "faiss IndexNNDescentFlat, K 32", curve: "faiss NNDescent, K 32", module: "faiss", method: "faiss-nndescent", full: true,
		params: fixed("K", 32), setting: "search_L", values: []int{0, 32, 64}},
	{name: "hnswlib", title: "hnswlib, M 16, ef_construction 200", curve: "hnswlib", module: "hnswlib", method: "hnswlib",
		params:  func(int) map[string]any { return map[string]any{"m": 16, "ef_construction": 200} },
		setting: "ef", values: []int{32, 64, 128, 200, 400}},
	descent(15), descent(20), descent(30),
}

// descent is a search by pynndescent, which compiles itself for longer than all the rest of the quick version takes.
func descent(k int) program {
	return program{name: fmt.Sprintf("pynndescent-%d", k), title: fmt.Sprintf("pynndescent, n_neighbors %d", k), curve: "pynndescent",
		module: "pynndescent", method: "pynndescent", full: true, params: fixed("n_neighbors", k), values: []int{0}}
}

// fixed returns parameters that do not depend on the number of samples.
func fixed(key string, v int) func(int) map[string]any {
	return func(int) map[string]any {
		if key == "" {
			return map[string]any{}
		}
		return map[string]any{key: v}
	}
}

// The results of a case: seconds and recall by setting, in the order of the program's settings.
const (
	recallKey    = "recall"
	reportedKey  = "reported-recall" // the recall that our command reports
	wallSeconds  = "seconds"
	recallSeries = "recall"
)

// threads is the number of threads of every program.
const threads = 2

//go:embed programs.py
var script []byte

// said is the output of the script.
type said struct {
	Read, Build bench.Cost
	Search      []bench.Cost
	Peak        int64
	Version     string
}

// run builds the index of a program, and searches it with every setting.
func (p *program) run(ctx context.Context, e *bench.Env, c *bench.Case, s *dataSet) (*bench.Outcome, error) {
	set, err := prepare(ctx, e, s)
	if err != nil {
		return nil, err
	}
	dir, remove, err := e.Folder()
	if err != nil {
		return nil, err
	}
	defer remove()
	code, rows, found := filepath.Join(dir, "programs.py"), filepath.Join(dir, "rows.npy"), filepath.Join(dir, "found.npy")
	if err := os.WriteFile(code, script, 0o666); err != nil {
		return nil, err
	}
	if err := writeRows(rows, set.rows); err != nil {
		return nil, err
	}
	request, err := json.Marshal(map[string]any{"program": p.method, "params": p.params(s.samples(e)), "settings": p.values,
		"in": samplesIn(set.dir), "rows": rows, "out": found, "k": nearest, "threads": c.ThreadCount()})
	if err != nil {
		return nil, err
	}
	python, limits, err := bench.Python(c.ThreadCount())
	if err != nil {
		return nil, err
	}
	spent, err := bench.External{Args: []string{python, code}, Env: limits, In: bytes.NewReader(request)}.Run(ctx)
	if err != nil {
		return nil, err
	}
	var cost said
	if err := json.Unmarshal(spent.Out, &cost); err != nil {
		return nil, fmt.Errorf("the script printed %q: %w", spent.Out, err)
	}
	recalls, err := set.recalls(found, len(p.values))
	if err != nil {
		return nil, err
	}
	return p.outcome(s, e, &cost, recalls)
}

// recalls measures the recall of a script's results, setting by setting.
func (p *prepared) recalls(path string, settings int) ([]float64, error) {
	found, err := openArray(path)
	if err != nil {
		return nil, err
	}
	defer found.close()
	if found.cols != nearest || found.rows != settings*len(p.rows) {
		return nil, fmt.Errorf("the script found %d × %d neighbours; want %d × %d", found.rows, found.cols, settings*len(p.rows), nearest)
	}
	recalls := make([]float64, settings)
	list := make([]float64, len(p.rows)*nearest)
	for i := range recalls {
		if err := found.read(list, i*len(p.rows)); err != nil {
			return nil, err
		}
		if recalls[i], err = p.recall(func(j int) []float64 { return list[j*nearest : (j+1)*nearest] }); err != nil {
			return nil, err
		}
	}
	return recalls, nil
}

// outcome returns seconds and recalls by setting. The totals belong to the first setting with the highest recall.
func (p *program) outcome(s *dataSet, e *bench.Env, cost *said, recalls []float64) (*bench.Outcome, error) {
	if len(cost.Search) != len(recalls) {
		return nil, fmt.Errorf("the script timed %d searches; want %d", len(cost.Search), len(recalls))
	}
	best := 0
	seconds := make([]float64, len(recalls))
	for i, one := range cost.Search {
		seconds[i] = cost.Read.Wall + cost.Build.Wall + one.Wall
		if recalls[i] > recalls[best] {
			best = i
		}
	}
	search := cost.Search[best]
	return &bench.Outcome{
		Seconds:    engine.Seconds{"total": seconds[best], "read": cost.Read.Wall, "build": cost.Build.Wall, "search": search.Wall},
		CPUSeconds: engine.Seconds{"total": cost.Read.CPU + cost.Build.CPU + search.CPU, "read": cost.Read.CPU, "build": cost.Build.CPU, "search": search.CPU},
		PeakBytes:  cost.Peak, Samples: s.samples(e), Features: s.m, Backend: cost.Version,
		Quality: map[string]float64{recallKey: recalls[best]},
		Series:  map[string][]float64{wallSeconds: seconds, recallSeries: recalls},
	}, nil
}

// ours runs the command that users have. A recall of 0 is an exact search.
func ours(ctx context.Context, e *bench.Env, c *bench.Case, s *dataSet, recall float64) (*bench.Outcome, error) {
	set, err := prepare(ctx, e, s)
	if err != nil {
		return nil, err
	}
	dir, remove, err := e.Folder()
	if err != nil {
		return nil, err
	}
	defer remove()
	indices := filepath.Join(dir, "indices.npy")
	args := []string{"neighbors", "--in", samplesIn(set.dir), "--neighbors", strconv.Itoa(nearest), "--out-indices", indices,
		"--threads", strconv.Itoa(c.ThreadCount()), "--quiet", "--json"}
	if recall > 0 {
		args = append(args, "--neighbors-method", "approximate", "--set", "recall="+number(recall))
	}
	command, err := e.Program(args...)
	if err != nil {
		return nil, err
	}
	spent, err := bench.External{Args: command}.Run(ctx)
	if err != nil {
		return nil, err
	}
	out, err := reported(spent)
	if err != nil {
		return nil, err
	}
	out.Samples, out.Features = s.samples(e), s.m
	found, err := openArray(indices)
	if err != nil {
		return nil, err
	}
	defer found.close()
	list := make([]float64, len(set.rows)*nearest)
	for i, r := range set.rows {
		if err := found.read(list[i*nearest:(i+1)*nearest], r); err != nil {
			return nil, err
		}
	}
	out.Quality[recallKey], err = set.recall(func(i int) []float64 { return list[i*nearest : (i+1)*nearest] })
	return out, err
}

// reported reads the cost that the command reports. The totals include the whole process.
func reported(spent bench.Spent) (*bench.Outcome, error) {
	var said struct {
		Backend    string         `json:"backend"`
		Seconds    engine.Seconds `json:"seconds"`
		CPUSeconds engine.Seconds `json:"cpu_seconds"`
		Peak       int64          `json:"peak_rss_bytes"`
		Recall     *float64       `json:"recall"`
	}
	if err := json.Unmarshal(spent.Out, &said); err != nil {
		return nil, fmt.Errorf("the command printed %q: %w", spent.Out, err)
	}
	if said.Peak <= 0 || said.Recall == nil {
		return nil, fmt.Errorf("the command printed no recall or no peak of memory: %q", spent.Out)
	}
	out := &bench.Outcome{Seconds: engine.Seconds{}, CPUSeconds: engine.Seconds{}, PeakBytes: said.Peak, Backend: said.Backend,
		Quality: map[string]float64{reportedKey: *said.Recall}}
	for from, to := range map[string]string{"read": "read", "neighbors": "search", "write": "write"} {
		out.Seconds[to], out.CPUSeconds[to] = said.Seconds[from], said.CPUSeconds[from]
	}
	out.Seconds["total"], out.CPUSeconds["total"] = spent.Wall, spent.CPU
	return out, nil
}

// number formats a recall.
func number(recall float64) string { return strconv.FormatFloat(recall, 'g', -1, 64) }
