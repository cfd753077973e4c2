package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/sparse"
)

// search is one "orthant neighbors".
type search struct {
	*invocation
	in, queries                   string
	out, outIndices, outDistances string
	k                             int
	radius                        float64
	within                        bool // a radius is given in place of k
	metric                        neighbors.Metric
	metricName                    string
	method                        string
	recall                        float64
	exactWithin                   float64 // see [neighbors.ApproximateOptions]
	set                           settings
	options                       engine.Options // of which an approximate search takes its recall
	explain                       bool
	table                         tableFlags
}

func newNeighbors(inv *invocation) *cobra.Command {
	s := &search{invocation: inv}
	cmd := &cobra.Command{
		Use:   "neighbors --in X --neighbors K --out G [flags]",
		Short: "Find the nearest neighbours of every sample",
		Long: `Neighbors finds the K nearest neighbours of every sample, or with --radius all
neighbours within a distance of R. The nearest comes first; of equal distances the
lower index comes first. Row i of --out-indices and --out-distances lists the
neighbours of sample i, without the sample itself (numbers from 0), and their
distances. --out writes the graph as a sparse matrix of distances. embed, cluster and
factorize take it as --graph, so that one search serves all of them. Any of the
outputs may be left out.

--queries FILE has other samples: row i of the outputs then lists the neighbours of query
i among the samples of --in, and a query that equals a sample finds it at distance 0.
These searches are always exact.

--explain makes no search and writes nothing: it says how long each search would take, which one
is chosen and why, and how much memory that takes.

The metrics are
  euclidean    ‖u − v‖
  cosine       1 minus the cosine of the angle
  correlation  the same, after the mean of each sample is subtracted
  manhattan    the sum of |uⱼ − vⱼ|
  chebyshev    the largest |uⱼ − vⱼ|
  minkowski=P  the P-th root of the sum of |uⱼ − vⱼ|^P, P ≥ 1
  canberra     the sum of |uⱼ − vⱼ|/(|uⱼ| + |vⱼ|)
  bray-curtis  Σ|uⱼ − vⱼ| / Σ|uⱼ + vⱼ|
  haversine    the angle between two places, latitude and longitude in radians
  inner-product  minus uᵀv, no metric: the larger the product, the nearer
  hamming      the share of the columns in which they differ
  jaccard      of the columns that are nonzero in u or v, the share that is nonzero in one alone
and, of the sets of nonzero columns, dice, rogers-tanimoto, russell-rao, sokal-michener,
sokal-sneath, yule and kulsinski, in SciPy's definitions. A share of nothing, as of two
rows of zeros, is 0; by bray-curtis, rows that are each other's negative are infinitely
far apart.

Sparse samples (.mtx, .mat, SciPy's .npz) stay sparse except with haversine. Samples of
.npy in float32, float16 or integers of 8 to 32 bits stay in their type where the K
nearest by euclidean are found, with the same result as in float64; other searches copy
them to float64. For another metric, make a graph or distances yourself and give them to embed,
cluster or factorize.`,
		Example: `  orthant generate two-moons --samples 300 --out x.npy
  orthant neighbors --in x.npy --neighbors 10 --out-indices i.npy --out-distances d.npy
  orthant neighbors --in x.npy --neighbors 10 --out g.npz
  orthant embed --method le --graph g.npz --set components=largest --out y.npy
  orthant neighbors --in x.npy --radius 0.2 --metric manhattan --out r.npz
  orthant generate two-moons --samples 20 --seed 2 --out queries.npy
  orthant neighbors --in x.npy --queries queries.npy --neighbors 5 --out-indices i.npy`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context(), cmd.Flags()) },
	}
	addGroup(cmd, "What to do", func(f *pflag.FlagSet) {
		f.IntVarP(&s.k, "neighbors", "k", 12, "the number `K` of nearest neighbours of each sample")
		f.Float64Var(&s.radius, "radius", 0, "all neighbours within a distance of `R`, in place of the K nearest")
		f.StringVar(&s.metricName, "metric", "euclidean", "distances by `METRIC`: "+strings.Join(neighbors.Metrics(), ", ")+" or minkowski=P")
		f.StringVar(&s.method, "neighbors-method", "auto", "`HOW` they are found: exact, approximate, or auto: exact unless --recall allows what is faster")
		f.StringVar(&s.method, "method", "auto", "the same as --neighbors-method, `HOW`")
		_ = f.MarkHidden("method") // it is defined
		f.Float64Var(&s.recall, "recall", 1, "find them approximately where that is faster, the share `R` of the true ones at least, such as 0.99 (measured on a sample); 1: exactly")
		f.Var(&s.set, "set", "recall=R, as --recall R")
		f.BoolVar(&s.explain, "explain", false, "make no search; say which one is chosen and why, and what it will cost")
	})
	addGroup(cmd, "Input and output", func(f *pflag.FlagSet) {
		f.StringVarP(&s.in, "in", "i", "", inputHelp)
		f.StringVar(&s.queries, "queries", "", "`FILE` of other samples, whose neighbours among those of --in are found")
		s.table.addFlags(inv, f)
		s.table.addMissing(f)
		f.StringVarP(&s.out, "out", "o", "", "`FILE` for the graph, a sparse matrix of distances with a column for each sample: .npz (as SciPy's) or .mtx")
		f.StringVar(&s.outIndices, "out-indices", "", "`FILE` for the neighbours, n × K integers")
		f.StringVar(&s.outDistances, "out-distances", "", "`FILE` for their distances, n × K")
		f.BoolVar(&inv.float32, "float32", false, "write distances as float32 in place of float64")
	})
	reads(cmd, "in", "queries")
	writes(cmd, "out", "out-indices", "out-distances")
	inv.complete(cmd, "metric", neighbors.Metrics)
	return cmd
}

func (s *search) run(ctx context.Context, flags *pflag.FlagSet) error {
	if err := s.check(flags); err != nil {
		return err
	}
	if s.explain {
		x, queries, err := s.samples(flags)
		if err != nil {
			return err
		}
		return s.writePlan(x, queries)
	}
	graphFile, err := s.create(s.out)
	if err != nil {
		return err
	}
	indices, err := s.create(s.outIndices)
	if err != nil {
		return err
	}
	distances, err := s.create(s.outDistances)
	if err != nil {
		return err
	}
	x, queries, err := s.samples(flags)
	if err != nil {
		return err
	}
	graph, found, err := s.find(ctx, x, queries)
	if err != nil {
		return fromWork(err)
	}
	if err := s.writeOutputs(ctx, x, graph, graphFile, indices, distances); err != nil {
		return err
	}
	return s.report(x, queries, graph, found)
}

// samples reads the samples and the queries, of which the search takes the neighbours that it was asked for.
func (s *search) samples(flags *pflag.FlagSet) (x, queries mat.Matrix, err error) {
	if x, queries, err = s.read(); err != nil {
		return nil, nil, err
	}
	if _, isSparse := x.(*sparse.CSR); isSparse && queries == nil && s.method == "approximate" {
		return nil, nil, wrong("the approximate search needs dense samples, but %s is sparse; leave --neighbors-method out", s.in)
	}
	if n, _ := x.Dims(); s.k > s.most(x, queries) && n > 1 && !flags.Changed("neighbors") {
		s.warn("%d neighbours, the default, are too many for %d samples: took %d", s.k, n, s.most(x, queries))
		s.k = s.most(x, queries)
	}
	return x, queries, nil
}

// most is the number of neighbours that there are.
func (s *search) most(x, queries mat.Matrix) int {
	n, _ := x.Dims()
	if queries == nil {
		n-- // a sample is not a neighbour of its own
	}
	return n
}

// read reads the samples, in their own type, and the queries; nil: there are none.
func (s *search) read() (x, queries mat.Matrix, err error) {
	defer s.clock.Phase("read")()
	read := func(t *tableFlags, path string) (mat.Matrix, error) {
		x, err := t.read(s.invocation, path, "", func(o files.Options) (mat.Matrix, error) { return files.ReadStored(path, o) })
		if full, is := x.(*mat.Dense); is && err == nil {
			n, m := full.Dims()
			return neighbors.StoredOf(n, m, full.RawMatrix().Data), nil
		}
		return x, err
	}
	if s.queries != "" {
		like := tableFlags{columns: s.table.columns, drop: s.table.drop, id: s.table.id, resize: s.table.resize, grey: s.table.grey, transpose: s.table.transpose}
		if queries, err = read(&like, s.queries); err != nil {
			return nil, nil, err
		}
	}
	x, err = read(&s.table, s.in)
	return x, queries, err
}

func (s *search) check(flags *pflag.FlagSet) (err error) {
	if s.metric, err = neighbors.MetricNamed(s.metricName); err != nil {
		return &inputError{Err: err}
	}
	s.within = flags.Changed("radius")
	switch {
	case s.in == "":
		return wrong("--in is missing: the file with the samples, or - for standard input")
	case s.in == "-" && s.queries == "-":
		return wrong("--in and --queries would both read standard input; give one of them a file")
	case s.out == "" && s.outIndices == "" && s.outDistances == "" && !s.explain:
		return wrong("--out, --out-indices and --out-distances are missing; give one of them at least")
	case standardOutputs(s.out, s.outIndices, s.outDistances) > 1:
		return wrong("several outputs would go to standard output; give all but one of them a file")
	case s.within && flags.Changed("neighbors"):
		return wrong("--neighbors and --radius are given together; give one of them")
	case s.within && !(s.radius >= 0 && s.radius <= math.MaxFloat64):
		return wrong("--radius is %v; give a finite number ≥ 0", s.radius)
	case s.within && s.outIndices+s.outDistances != "":
		return wrong("lists within a radius have different lengths, which --out-indices and --out-distances cannot hold; give --out")
	case s.within && s.method == "approximate":
		return wrong("the neighbours within a radius are found exactly: leave --neighbors-method out")
	case s.k < 1:
		return wrong("--neighbors is %d; give a whole number ≥ 1", s.k)
	case s.method != "auto" && s.method != "exact" && s.method != "approximate":
		return wrong("--neighbors-method is %q; give auto, exact or approximate", s.method)
	}
	if err := s.table.checkMissing("neighbors"); err != nil {
		return err
	}
	for key, text := range s.set {
		if key != "recall" {
			return wrong("neighbors has no parameter %q; it has recall", key)
		}
		if err := engine.SetCommon(&s.options, key, text); err != nil {
			return &inputError{Err: err}
		}
	}
	if flags.Changed("recall") {
		s.options.Recall = s.recall
	}
	switch r := s.options.Recall; {
	case flags.Changed("recall") && !(r > 0 && r <= 1):
		return wrong("--recall is %v; give a number above 0 and at most 1", r)
	case s.method == "auto" && r > 0 && r < 1:
		s.exactWithin = neighbors.ShortSearch
	case s.method == "auto":
		s.method = "exact"
	case s.method == "approximate" && (r == 0 || r == 1):
		s.options.Recall = 0.99
	}
	if err := s.metric.CheckApproximate(); err != nil && s.method == "approximate" && s.queries == "" {
		return &inputError{Err: err}
	}
	return nil
}

// approximately reports whether dense samples are searched approximately.
func (s *search) approximately() bool {
	return s.method == "approximate" || s.method == "auto" && s.metric.CheckApproximate() == nil
}

// exact are the options of an exact search. The matrix of --out takes distances; where there is none, lists suffice.
func (s *search) exact() neighbors.Options {
	return neighbors.Options{Kernels: s.kernels, Threads: s.threads, ListsOnly: s.out == ""}
}

// approximate are the options of an approximate search.
func (s *search) approximate() neighbors.ApproximateOptions {
	return neighbors.ApproximateOptions{Kernels: s.kernels, Threads: s.threads, Seed: s.seed, Recall: s.options.Recall, ExactWithin: s.exactWithin, ListsOnly: s.out == ""}
}

// find searches among dense or sparse samples.
func (s *search) find(ctx context.Context, x, queries mat.Matrix) (*neighbors.Graph, *neighbors.Report, error) {
	need := s.need(x, queries)
	if err := s.room(x, queries, need); err != nil {
		return nil, nil, err
	}
	progress := s.progressOf()
	defer progress.end()
	show := func(done float64) {}
	if progress != nil {
		show = func(done float64) { progress.show(engine.Progress{Phase: "neighbors", Done: done}) }
	}
	o := s.exact()
	o.Progress = show
	within := neighbors.WithinOptions{Options: o}
	if s.memory > 0 { // as many pairs as there is room for
		within.Edges = max((int64(s.memory)-memory.Process(need))/s.edgeBytes(), 1)
	}
	defer s.clock.Phase("neighbors")()
	switch {
	case queries != nil && s.within:
		g, err := neighbors.WithinOf(ctx, x, queries, s.radius, s.metric, within)
		return g, nil, err
	case queries != nil:
		g, err := neighbors.NearestOf(ctx, x, queries, s.k, s.metric, o)
		return g, nil, err
	}
	if a, isSparse := x.(*sparse.CSR); isSparse {
		g, err := s.findSparse(ctx, a, within)
		return g, nil, err
	}
	own := x.(*neighbors.Stored)
	switch {
	case s.within:
		g, err := neighbors.Within(ctx, own.Points(), s.radius, s.metric, within)
		return g, nil, err
	case s.approximately():
		a := s.approximate()
		a.Progress = show
		g, r, err := neighbors.ApproximateBy(ctx, own, s.k, s.metric, a)
		return g, &r, err
	}
	g, err := neighbors.NearestStored(ctx, own, s.k, s.metric, o)
	return g, nil, err
}

func (s *search) findSparse(ctx context.Context, a *sparse.CSR, o neighbors.WithinOptions) (*neighbors.Graph, error) {
	if s.within {
		return neighbors.WithinSparse(ctx, a, s.radius, s.metric, o)
	}
	return neighbors.NearestSparse(ctx, a, s.k, s.metric, o.Options)
}

// bytes are the memory of the samples and queries, and the most that the search takes in addition: the
// entries within a radius are not counted.
func (s *search) bytes(x, queries mat.Matrix) (held, search int64) {
	for _, rows := range []mat.Matrix{x, queries} {
		switch rows := rows.(type) {
		case *sparse.CSR:
			held += rows.Bytes()
		case *neighbors.Stored:
			held += rows.Bytes()
		}
	}
	k := s.k
	if s.within {
		k = 0
	}
	if queries != nil {
		return held, neighbors.OfQueriesBytes(x, queries, k, s.threads, s.metric)
	}
	a, isSparse := x.(*sparse.CSR)
	if isSparse {
		return held, neighbors.MetricSparseBytes(a, k, s.threads, s.metric)
	}
	own := x.(*neighbors.Stored)
	n, m := x.Dims()
	switch {
	case s.within:
		return held, own.WidenedBytes() + neighbors.WithinBytes(n, m, 0, s.threads, s.metric)
	case s.approximately():
		return held, neighbors.ApproximateByBytes(own, k, s.metric, s.approximate())
	}
	return held, neighbors.MetricStoredBytes(own, k, s.metric, s.exact())
}

// matrixBytes is what an entry of the matrix takes that is written: a column and a value, and the same once more for a
// .mat file, which goes by columns.
func (s *search) matrixBytes() int64 {
	if strings.EqualFold(filepath.Ext(files.FileOf(s.out)), ".mat") {
		return 12 + 12
	}
	return 12
}

// edgeBytes is what a pair within a radius takes: in lists by blocks, which grow, and as one, and in the matrix.
func (s *search) edgeBytes() int64 { return 16 + 12 + s.matrixBytes() }

// need is what is held at the peak: the samples and the search, or its graph and the matrix. Pairs within a radius are not
// counted.
func (s *search) need(x, queries mat.Matrix) int64 {
	held, search := s.bytes(x, queries)
	if s.out == "" || s.within {
		return held + search
	}
	n := listsOf(x, queries)
	return held + max(search, neighbors.GraphBytes(n, s.k)+int64(n)*(8+s.matrixBytes()*int64(s.k)))
}

// listsOf is the number of lists: of the queries, if there are any.
func listsOf(x, queries mat.Matrix) int {
	if queries != nil {
		x = queries
	}
	n, _ := x.Dims()
	return n
}

// room refuses a search for the nearest that takes more than the limit of memory.
func (s *search) room(x, queries mat.Matrix, need int64) error {
	if s.within || s.k > s.most(x, queries) {
		return nil
	}
	n, of := listsOf(x, queries), "samples"
	if queries != nil {
		of = "queries"
	}
	return s.fits(fmt.Sprintf("the %d neighbours of %d %s need", s.k, n, of), need, "take fewer")
}

func (s *search) writeOutputs(ctx context.Context, x mat.Matrix, g *neighbors.Graph, graph, indices, distances *files.Output) error {
	defer s.clock.Phase("write")()
	n := g.Len()
	if graph != nil {
		samples, _ := x.Dims()
		a, err := g.MatrixOf(samples)
		if err != nil {
			return err
		}
		if err := graph.WriteMatrix(a, s.writing()); err != nil {
			return err
		}
	}
	if indices != nil {
		list := make([]int64, s.k)
		err := indices.WriteIntegers(n, s.k, func(i int) []int64 {
			for a, j := range g.Of(i) {
				list[a] = int64(j)
			}
			return list
		})
		if err != nil {
			return err
		}
	}
	if distances != nil {
		var d mat.Matrix
		if g.Dist != nil {
			d = mat.NewDense(n, s.k, g.Dist)
		} else {
			var err error
			if d, err = neighbors.DistancesOf(g, x.(*neighbors.Stored), s.metric, s.threads); err != nil {
				return fromWork(err)
			}
		}
		if err := distances.WriteMatrix(d, s.writing()); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return s.commit()
}

// searchReport is what --json prints of a search.
type searchReport struct {
	Samples      int    `json:"samples"`
	Queries      int    `json:"queries,omitempty"` // missing: the neighbours of the samples themselves
	Features     int    `json:"features"`
	Sparse       bool   `json:"sparse"`
	Type         string `json:"type,omitempty"` // in which the samples are kept
	Neighbors    int    `json:"neighbors"`      // 0: within a radius
	Radius       number `json:"radius"`         // null: the nearest
	Metric       string `json:"metric"`
	Least        int    `json:"least_neighbors"`
	Most         int    `json:"most_neighbors"`
	Isolated     int    `json:"isolated"` // samples or queries without neighbours
	Edges        int    `json:"edges"`    // entries of all lists
	Method       string `json:"method"`
	Recall       number `json:"recall"`      // 1 of an exact search
	RecallRows   int    `json:"recall_rows"` // on which it was measured
	Components   int    `json:"components"`  // 0 of queries
	Sizes        []int  `json:"component_sizes"`
	Out          string `json:"out"`
	OutIndices   string `json:"out_indices"`
	OutDistances string `json:"out_distances"`
	cost
	machine
}

func (s *search) report(x, queries mat.Matrix, g *neighbors.Graph, found *neighbors.Report) error {
	method, recall, rows := "exact", 1.0, 0
	if found != nil {
		recall, rows = found.Recall, found.Rows
		if !found.Exact {
			method = "approximate"
		}
	}
	n, m := x.Dims()
	asked, sizes := 0, []int{}
	if queries != nil {
		asked, _ = queries.Dims()
	} else {
		_, sizes = g.Components()
		slices.SortFunc(sizes, func(a, b int) int { return b - a })
	}
	own, isDense := x.(*neighbors.Stored)
	c := s.spent()
	if s.json {
		r := searchReport{Samples: n, Queries: asked, Features: m, Sparse: !isDense, Type: "float64", Neighbors: s.k, Radius: number(math.NaN()), Metric: string(s.metric), Isolated: isolated(g), Edges: len(g.Index),
			Method: method, Recall: number(recall), RecallRows: rows, Components: len(sizes), Sizes: sizes, Out: s.out, OutIndices: s.outIndices, OutDistances: s.outDistances, cost: c, machine: s.machine()}
		if isDense {
			r.Type = own.Type()
		}
		if s.within {
			r.Neighbors, r.Radius = 0, number(s.radius)
		}
		r.Least, _, r.Most = g.Degrees()
		return s.printJSON(r)
	}
	w := s.say()
	if isDense && own.Type() != "float64" {
		line(w, "type", "%s", own.Type())
	}
	degrees := ""
	if least, mean, most := g.Degrees(); s.within {
		degrees = fmt.Sprintf(": %d to %d, %d in the mean", least, most, mean)
	}
	line(w, "neighbors", "%s%s", s.what(x, queries), degrees)
	switch alone := isolated(g); {
	case alone > 0 && queries != nil:
		line(w, "isolated", "%d of %d queries without neighbours", alone, asked)
	case alone > 0:
		line(w, "isolated", "%s without neighbours", counted(alone, "sample"))
	}
	if rows > 0 {
		line(w, "recall", "%.4f of the true neighbours, measured on %s (%s)", recall, counted(rows, "sample"), method)
	}
	if queries == nil {
		writeComponents(w, len(sizes), sizes)
	}
	writeCost(w, c)
	writeWritten(w, s.out, s.outIndices, s.outDistances)
	return nil
}

// what says whose neighbours are asked for.
func (s *search) what(x, queries mat.Matrix) string {
	n, m := x.Dims()
	which, of := fmt.Sprintf("the %d nearest", s.k), counted(n, "sample")
	if s.within {
		which = fmt.Sprintf("within %v", s.radius)
	}
	if queries != nil {
		of = fmt.Sprintf("%d queries among %s", listsOf(x, queries), of)
	}
	text := fmt.Sprintf("%s of each of %s in %s", which, of, counted(m, "feature"))
	if s.metric != neighbors.Euclidean {
		text += ", " + string(s.metric)
	}
	return text
}

// isolated counts the lists without entries.
func isolated(g *neighbors.Graph) (count int) {
	for i := range g.Len() {
		if len(g.Of(i)) == 0 {
			count++
		}
	}
	return count
}

// standardOutputs counts the outputs that go to standard output.
func standardOutputs(paths ...string) int {
	count := 0
	for _, p := range paths {
		if p == "-" {
			count++
		}
	}
	return count
}

// searchPlan is what --explain prints of a search with --json.
type searchPlan struct {
	Samples     int      `json:"samples"`
	Queries     int      `json:"queries,omitempty"` // missing: the neighbours of the samples themselves
	Features    int      `json:"features"`
	Sparse      bool     `json:"sparse"`
	Type        string   `json:"type"`      // in which the samples are kept
	Neighbors   int      `json:"neighbors"` // 0: within a radius
	Radius      number   `json:"radius"`    // null: the nearest
	Metric      string   `json:"metric"`
	Exact       number   `json:"exact_seconds"`         // estimated; null: there is no estimate
	Approximate number   `json:"approximate_seconds"`   // estimated; null: there is no such search
	Method      string   `json:"method"`                // that is chosen
	Why         string   `json:"why"`                   // it is chosen
	Estimate    int64    `json:"memory_estimate_bytes"` // of the process, without the pairs within a radius
	PairBytes   int64    `json:"memory_pair_bytes"`     // of a pair within a radius in addition; 0: the nearest
	Limit       int64    `json:"memory_limit_bytes"`    // 0: none
	Threads     int      `json:"threads"`
	Warnings    []string `json:"warnings"`
}

// writePlan says what the search would take.
func (s *search) writePlan(x, queries mat.Matrix) error {
	n, m := x.Dims()
	if most := s.most(x, queries); !s.within && s.k > most {
		return wrong("%d neighbours requested of %s; give fewer neighbours, or more samples", s.k, counted(n, "sample"))
	}
	own, isDense := x.(*neighbors.Stored)
	p := searchPlan{Samples: n, Features: m, Sparse: !isDense, Type: "float64", Neighbors: s.k, Radius: number(math.NaN()), Metric: string(s.metric),
		Exact: number(math.NaN()), Approximate: number(math.NaN()), Estimate: memory.Process(s.need(x, queries)), Limit: int64(s.memory), Threads: blas.Threads(s.threads), Warnings: list(s.warnings)}
	if isDense {
		p.Type = own.Type()
	}
	if queries != nil {
		p.Queries = listsOf(x, queries)
	}
	if s.within {
		p.Neighbors, p.Radius, p.PairBytes = 0, number(s.radius), s.edgeBytes()
	}
	if isDense && queries == nil && !s.within && s.metric.CheckApproximate() == nil {
		p.Exact = number(neighbors.ExactSeconds(n, m, s.k, s.threads))
		if (neighbors.ApproximateOptions{}).WhyExact(n, m, s.k) == "" {
			p.Approximate = number(neighbors.ApproximateSeconds(n, m, s.k, s.threads))
		}
	}
	p.Method, p.Why = s.chosen(x, queries)
	if s.json {
		return s.printJSON(p)
	}
	w := s.say()
	line(w, "neighbors", "%s", s.what(x, queries))
	text := "not estimated for this search"
	if exact := float64(p.Exact); !math.IsNaN(exact) {
		text = fmt.Sprintf("exact about %s by %s", duration(exact), neighbors.ExactMethod(m, s.k))
		if approximate := float64(p.Approximate); !math.IsNaN(approximate) {
			text += ", approximate about " + duration(approximate)
		}
		text += ", on " + counted(p.Threads, "thread")
	}
	line(w, "time", "%s", text)
	line(w, "chosen", "%s: %s", p.Method, p.Why)
	text = "about " + limits.FormatBytes(p.Estimate)
	if s.within {
		text += fmt.Sprintf(", and %d bytes for each pair", p.PairBytes)
	}
	switch {
	case p.Limit > 0 && p.Estimate > p.Limit:
		text += fmt.Sprintf(", more than the limit of %s: the search is refused (--memory)", limits.FormatBytes(p.Limit))
	case p.Limit > 0:
		text += fmt.Sprintf(", within the limit of %s", limits.FormatBytes(p.Limit))
	}
	line(w, "memory", "%s", text)
	return nil
}

// chosen is the search that is made, and why.
func (s *search) chosen(x, queries mat.Matrix) (method, why string) {
	_, isDense := x.(*neighbors.Stored)
	switch n, m := x.Dims(); {
	case s.within:
		why = "neighbours within a radius are always found exactly"
	case queries != nil:
		why = "neighbours of other samples are always found exactly"
	case s.method == "exact":
		why = "every search is, unless --recall is below 1"
		if r := s.options.Recall; r > 0 && r < 1 {
			why = "--neighbors-method exact"
		}
	case !isDense:
		why = "an approximate search takes dense samples"
	case !s.approximately():
		why = fmt.Sprintf("an approximate search does not go by %s", s.metric)
	default:
		if why = s.approximate().WhyExact(n, m, s.k); why != "" {
			break
		}
		why = fmt.Sprintf("--recall %v allows it, and it is estimated to be faster", s.options.Recall)
		if s.method == "approximate" {
			why = "--neighbors-method approximate"
		}
		return "approximate", why
	}
	return "exact", why
}
