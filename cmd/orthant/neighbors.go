package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/neighbors"
)

// search is one "orthant neighbors".
type search struct {
	*invocation
	in, out, outIndices, outDistances string
	k                                 int
	method                            string
	set                               settings
	options                           engine.Options // of which an approximate search takes its recall
}

func newNeighbors(inv *invocation) *cobra.Command {
	s := &search{invocation: inv}
	cmd := &cobra.Command{
		Use:   "neighbors --in X --neighbors K --out G [flags]",
		Short: "Find the nearest neighbours of every sample",
		Long: `Neighbors finds the K nearest neighbours of every sample by Euclidean distance,
nearest first, ties by the lower index. Row i of the two outputs lists the
neighbours of sample i (numbers from 0, the sample itself left out) and their
distances. --out writes the graph as a sparse matrix of distances, which embed,
cluster and factorize take as --graph: one search then serves all of them. Any of
the outputs may be left out.`,
		Example: `  orthant generate two-moons --samples 300 --out x.npy
  orthant neighbors --in x.npy --neighbors 10 --out-indices i.npy --out-distances d.npy
  orthant neighbors --in x.npy --neighbors 10 --out g.npz
  orthant embed --method le --graph g.npz --set components=largest --out y.npy`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context(), cmd.Flags()) },
	}
	addGroup(cmd, "What to do", func(f *pflag.FlagSet) {
		f.IntVarP(&s.k, "neighbors", "k", 12, "nearest neighbours `K` of each sample")
		f.StringVar(&s.method, "method", "exact", "`HOW` they are found: exact or approximate")
		f.Var(&s.set, "set", "recall=R: the share of true neighbours that an approximate search has to reach (default 0.99)")
	})
	addGroup(cmd, "Input and output", func(f *pflag.FlagSet) {
		f.StringVarP(&s.in, "in", "i", "", "`FILE` with the samples, one a row")
		f.StringVarP(&s.out, "out", "o", "", "`FILE` for the graph, a sparse n × n matrix of distances: .npz (as SciPy's) or .mtx")
		f.StringVar(&s.outIndices, "out-indices", "", "`FILE` for the neighbours, n × K integers")
		f.StringVar(&s.outDistances, "out-distances", "", "`FILE` for their distances, n × K")
		f.BoolVar(&inv.float32, "float32", false, "write distances as float32 in place of float64")
	})
	reads(cmd, "in")
	writes(cmd, "out", "out-indices", "out-distances")
	return cmd
}

func (s *search) run(ctx context.Context, flags *pflag.FlagSet) error {
	if err := s.check(); err != nil {
		return err
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
	endRead := s.clock.Phase("read")
	x, err := files.ReadMatrix(s.in, s.reading())
	if err != nil {
		return err
	}
	endRead()
	if n, _ := x.Dims(); s.k >= n && n > 1 && !flags.Changed("neighbors") {
		s.warn("%d neighbours, the default, are too many for %d samples: took %d", s.k, n, n-1)
		s.k = n - 1
	}
	graph, found, err := s.find(ctx, x)
	if err != nil {
		return fromWork(err)
	}
	if err := s.writeOutputs(ctx, graph, graphFile, indices, distances); err != nil {
		return err
	}
	return s.report(x, graph, found)
}

func (s *search) check() error {
	switch {
	case s.in == "":
		return wrong("--in is missing: the file with the samples, or - for standard input")
	case s.out == "" && s.outIndices == "" && s.outDistances == "":
		return wrong("--out, --out-indices and --out-distances are missing; give one of them at least")
	case standardOutputs(s.out, s.outIndices, s.outDistances) > 1:
		return wrong("several outputs would go to standard output; give all but one of them a file")
	case s.k < 1:
		return wrong("--neighbors is %d; give a whole number ≥ 1", s.k)
	case s.method == "auto":
		s.method = "exact"
	case s.method != "exact" && s.method != "approximate":
		return wrong("--method is %q; give exact or approximate", s.method)
	}
	for key, text := range s.set {
		if key != "recall" {
			return wrong("neighbors has no parameter %q; it has recall", key)
		}
		if err := engine.SetCommon(&s.options, key, text); err != nil {
			return &inputError{err}
		}
	}
	return nil
}

func (s *search) find(ctx context.Context, x *mat.Dense) (*neighbors.Graph, *neighbors.Report, error) {
	n, m := x.Dims()
	// The samples, and an index and a distance for each entry of the lists, which
	// are converted once more to be written.
	search := neighbors.ExactBytes
	if s.method == "approximate" {
		search = neighbors.ApproximateBytes
	}
	held := 8 * int64(n) * int64(m)
	if s.k < n {
		need := held + max(search(n, m, s.k, s.threads), neighbors.GraphBytes(n, s.k)+8*int64(n)*int64(s.k))
		if s.out != "" { // the entries, and the matrix that they become
			need += 44 * int64(n) * int64(s.k)
		}
		if err := s.fits(fmt.Sprintf("the %d neighbours of %d samples need", s.k, n), need, "take fewer"); err != nil {
			return nil, nil, err
		}
	}
	progress := s.progressOf()
	defer progress.end()
	show := func(done float64) {}
	if progress != nil {
		show = func(done float64) { progress.show(engine.Progress{Phase: "neighbors", Done: done}) }
	}
	points := neighbors.Points{N: n, M: m, Data: x.RawMatrix().Data}
	defer s.clock.Phase("neighbors")()
	if s.method == "approximate" {
		g, r, err := neighbors.Approximate(ctx, points, s.k, neighbors.ApproximateOptions{
			Kernels: s.kernels, Threads: s.threads, Seed: s.seed, Recall: s.options.Recall, Progress: show})
		return g, &r, err
	}
	g, err := neighbors.Exact(ctx, points, s.k, neighbors.Options{Kernels: s.kernels, Threads: s.threads, Progress: show})
	return g, nil, err
}

func (s *search) writeOutputs(ctx context.Context, g *neighbors.Graph, graph, indices, distances *files.Output) error {
	defer s.clock.Phase("write")()
	n := g.Len()
	if graph != nil {
		a, err := g.Matrix()
		if err != nil {
			return err
		}
		if err := graph.WriteMatrix(a, s.writing()); err != nil {
			return err
		}
	}
	if indices != nil {
		list := make([]int64, len(g.Index))
		for p, j := range g.Index {
			list[p] = int64(j)
		}
		if err := indices.WriteIntegers(n, s.k, list); err != nil {
			return err
		}
	}
	if distances != nil {
		if err := distances.WriteMatrix(mat.NewDense(n, s.k, g.Dist), s.writing()); err != nil {
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
	Features     int    `json:"features"`
	Neighbors    int    `json:"neighbors"`
	Method       string `json:"method"`
	Recall       number `json:"recall"`      // 1 of an exact search
	RecallRows   int    `json:"recall_rows"` // on which it was measured
	Components   int    `json:"components"`
	Sizes        []int  `json:"component_sizes"`
	Out          string `json:"out"`
	OutIndices   string `json:"out_indices"`
	OutDistances string `json:"out_distances"`
	cost
	machine
}

func (s *search) report(x *mat.Dense, g *neighbors.Graph, found *neighbors.Report) error {
	method, recall, rows := "exact", 1.0, 0
	if found != nil {
		recall, rows = found.Recall, found.Rows
		if !found.Exact {
			method = "approximate"
		}
	}
	n, m := x.Dims()
	_, sizes := g.Components()
	slices.SortFunc(sizes, func(a, b int) int { return b - a })
	c := s.spent()
	if s.json {
		return s.printJSON(searchReport{n, m, s.k, method, number(recall), rows, len(sizes), sizes, s.out, s.outIndices, s.outDistances, c, s.machine()})
	}
	w := s.say()
	line(w, "neighbors", "the %d nearest of each of %s in %s", s.k, counted(n, "sample"), counted(m, "feature"))
	if rows > 0 {
		line(w, "recall", "%.4f of the true neighbours, measured on %s (%s)", recall, counted(rows, "sample"), method)
	}
	writeComponents(w, len(sizes), sizes)
	writeCost(w, c)
	writeWritten(w, s.out, s.outIndices, s.outDistances)
	return nil
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
