//go:build mpi

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/cmd/internal/outcome"
	"github.com/orthant-go/orthant/cmd/internal/values"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/assign"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/suggest"
)

// invocation is one run of the command in this process.
type invocation struct {
	processes
	command string
	clock   *engine.Clock
	kernels *blas.Kernels

	backend       string
	threads       int
	seed          uint64
	memory        values.ByteSize
	json, quiet   bool
	verbose       bool
	progress      string
	method        string
	neighbors     string
	dim           int
	set           values.Settings
	iterations    int
	tolerance     float64
	search        string
	in, graph     string
	out           string
	perProcess    bool
	float32       bool
	ordering      string
	explain       bool
	options       engine.Options
	warnings      []string
	explained     []string
	drawn         bool // the line of progress
	restOfOrthant map[string]*string
}

// elsewhere are the flags of "orthant embed" that need all samples in one process.
var elsewhere = []string{"affinities", "distances", "labels", "init", "model", "plot", "color", "color-column", "radius", "metric", "denoise", "strict"}

// execute parses the command line and runs it. All processes have the same one.
func (inv *invocation) execute(ctx context.Context, args []string) error {
	inv.command, inv.clock = "orthant-mpi", engine.NewClock()
	root := &cobra.Command{
		Use: "orthant-mpi", Short: "Embed one data set on the processes of MPI", Version: versionText(),
		SilenceUsage: true, SilenceErrors: true, DisableSuggestions: true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true},
	}
	embed := &cobra.Command{
		Use: "embed --method NAME --in X --out Y [flags]", Short: "Reduce samples to a few coordinates",
		Long: `Embed does what "orthant embed" does, on samples that the processes share:

  mpirun -n 8 orthant-mpi embed --method ltsa --in x.npy --neighbors 12 --out y.npy

The methods are lle, mlle, neml, ltsa and le. Flags, JSON and exit statuses are
as in "orthant embed"; flags that need all samples in one process are refused.
"quality" is null: nobody has all samples to judge by.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return outcome.Wrong("unexpected argument %q; values follow their flag, as in --in x.npy", args[0])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			inv.command = cmd.CommandPath()
			return inv.embed(ctx, cmd.Flags())
		},
	}
	inv.addFlags(embed.Flags())
	root.AddCommand(embed)
	root.SetArgs(args)
	said := io.Discard
	if inv.rank == 0 {
		said = os.Stdout
	}
	root.SetOut(said)
	root.SetErr(said)
	root.SetVersionTemplate("orthant-mpi {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		if e, is := errors.AsType[*pflag.NotExistError](err); is {
			var names []string
			cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
			name := "--" + e.GetSpecifiedName()
			return outcome.Wrong("unknown flag %s%s; see %s --help", name, suggest.Hint(name, names), cmd.CommandPath())
		}
		return outcome.Wrong("%v; see %s --help", err, cmd.CommandPath())
	})
	cmd, err := root.ExecuteC()
	if err == nil {
		return nil
	}
	if _, is := errors.AsType[*agreed](err); is {
		return err
	}
	if inv.command = cmd.CommandPath(); cmd == root {
		err = outcome.Wrong("%v; there is embed", err)
	}
	return err
}

// versionText says which version this is.
func versionText() string {
	text := version
	if text == "" {
		text = "devel"
	}
	return fmt.Sprintf("%s (%s %s/%s)", text, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// addFlags are the flags of "orthant embed", and two of this command's own.
func (inv *invocation) addFlags(f *pflag.FlagSet) {
	f.SortFlags = false
	f.StringVarP(&inv.method, "method", "m", "", "`NAME` of the method: lle, mlle, neml, ltsa, le")
	f.StringVarP(&inv.neighbors, "neighbors", "k", "12", "nearest neighbours `K` of each sample")
	f.IntVarP(&inv.dim, "dim", "d", 0, "coordinates `D` of each sample (default 2)")
	f.Var(&inv.set, "set", "another parameter of the method; may be repeated")
	f.StringVar(&inv.search, "neighbors-method", "auto", "`HOW` neighbours are found: auto and exact, which are the same")
	f.StringVarP(&inv.in, "in", "i", "", "`FILE` with the samples, one a row: .npy is read by rows, .parquet by groups of rows, others from the beginning by every process")
	f.StringVar(&inv.graph, "graph", "", "`FILE` with the neighbour graph, in place of a search; le with binary and heat weights then needs no --in")
	f.StringVarP(&inv.out, "out", "o", "", "`FILE` for the coordinates, one row a sample")
	f.BoolVar(&inv.perProcess, "out-per-process", false, "write one file a process, with its rank before the extension (y.0.npy, y.1.npy, …): nothing is gathered")
	f.BoolVar(&inv.float32, "float32", false, "write float32 in place of float64")
	f.StringVar(&inv.ordering, "ordering", "auto", "`HOW` the factor is ordered: serial (by process 0), parallel (by PT-Scotch or ParMETIS, where MUMPS has them; Debian 12: it has not), or auto: in parallel from 1e7 entries of the matrix and 2 processes on")
	f.BoolVar(&inv.explain, "explain", false, "explain on standard error what will be done, and what it costs")
	f.IntVar(&inv.iterations, "iterations", 0, "of iterative methods; it does nothing here")
	f.Float64Var(&inv.tolerance, "tolerance", 0, "of iterative methods; it does nothing here")
	f.StringVar(&inv.backend, "backend", "", "linear algebra of the patches by `NAME`: "+strings.Join(blas.Available(), ", "))
	f.IntVar(&inv.threads, "threads", 0, "use at most `N` cores in each process (default: those that mpirun leaves it)")
	f.Uint64Var(&inv.seed, "seed", 1, "`SEED` of whatever is random")
	f.Var(&inv.memory, "memory", "refuse what would take more than `LIMIT` in a process, such as 4GiB")
	f.BoolVar(&inv.json, "json", false, "print one JSON object on standard output, and nothing else there")
	f.BoolVarP(&inv.quiet, "quiet", "q", false, "print nothing but errors on standard error")
	f.StringVar(&inv.progress, "progress", "auto", "show progress `WHEN`: auto (on a terminal), always or never")
	f.BoolVarP(&inv.verbose, "verbose", "v", false, "like --explain")
	// Those are there to be refused by name.
	inv.restOfOrthant = map[string]*string{}
	for _, name := range elsewhere {
		inv.restOfOrthant[name] = f.String(name, "", "")
		f.Lookup(name).Hidden = true
	}
	f.Lookup("strict").NoOptDefVal = "true"
}

// prepare checks the flags and makes the method.
func (inv *invocation) prepare(flags *pflag.FlagSet) (engine.Method, error) {
	for _, name := range elsewhere {
		if flags.Changed(name) {
			return nil, outcome.Wrong("--%s needs all samples in one process; leave it out, or use \"orthant embed\"", name)
		}
	}
	switch {
	case inv.method == "":
		return nil, outcome.Wrong("--method is missing; the methods are lle, mlle, neml, ltsa, le")
	case inv.in == "" && inv.graph == "":
		return nil, outcome.Wrong("--in is missing: the file with the samples")
	case inv.out == "":
		return nil, outcome.Wrong("--out is missing: the file for the coordinates")
	case inv.out == "-" && (inv.json || inv.perProcess):
		return nil, outcome.Wrong("the output would go to standard output with something else; give it a file")
	case inv.threads < 0:
		return nil, outcome.Wrong("--threads is %d; give a number from 1 on, or 0 for all cores", inv.threads)
	case !slices.Contains([]string{"auto", "always", "never"}, inv.progress):
		return nil, outcome.Wrong("--progress is %q; give one of auto, always, never", inv.progress)
	case !slices.Contains([]string{"auto", "serial", "parallel"}, inv.ordering):
		return nil, outcome.Wrong("--ordering is %q; give auto, serial or parallel", inv.ordering)
	case !slices.Contains([]string{"auto", "exact"}, inv.search):
		return nil, outcome.Wrong("--neighbors-method is %q; among shared samples neighbours are found exactly: give auto or exact", inv.search)
	}
	method, err := engine.NewFor("embed", inv.method)
	if err != nil {
		return nil, &outcome.InputError{Err: err}
	}
	given := map[string]string{}
	for key, text := range inv.set {
		given[key] = text
	}
	for key, text := range map[string]string{"neighbors": inv.neighbors, "dim": strconv.Itoa(inv.dim),
		"iterations": strconv.Itoa(inv.iterations), "tolerance": fmt.Sprint(inv.tolerance)} {
		if !flags.Changed(key) {
			continue
		}
		if other, twice := given[key]; twice && other != text {
			return nil, outcome.Wrong("--%s %s and --set %s=%s contradict each other; give one of them", key, text, key, other)
		}
		given[key] = text
	}
	to := assign.Target{Task: "embed", Method: method, Options: &inv.options, Shared: engine.CommonParameters()}
	err = to.Assign(given, func(text string) { inv.warn("%s", text) }, func(key string) error {
		all := to.Keys()
		return outcome.Wrong("%s has no parameter %q%s; it has %s", method.Name(), key, suggest.Hint(key, all), strings.Join(all, ", "))
	})
	if err != nil {
		return nil, &outcome.InputError{Err: err}
	}
	inv.kernels, err = blas.Select(inv.backend)
	if err == nil {
		l, wrong := limits.Here().Limits(inv.threads, 0)
		if err = wrong; err == nil {
			inv.threads = l.Threads
			limits.Choose(inv.threads)
		}
	}
	if err != nil {
		return nil, &outcome.InputError{Err: err}
	}
	inv.options.Backend, inv.options.Threads, inv.options.Seed = inv.backend, inv.threads, inv.seed
	inv.options.Memory = int64(inv.memory)
	return method, nil
}

// outPath is the file of this process; empty: it writes none.
func (inv *invocation) outPath() string {
	if inv.perProcess {
		file := files.FileOf(inv.out)
		base, behind := file, inv.out[len(file):]
		for _, ext := range []string{".gz", ".zst"} {
			if rest, cut := strings.CutSuffix(base, ext); cut {
				base, behind = rest, ext+behind
			}
		}
		if dot := strings.LastIndexByte(base, '.'); dot > 0 {
			return fmt.Sprintf("%s.%d%s%s", base[:dot], inv.rank, base[dot:], behind)
		}
		return inv.out
	}
	if inv.rank > 0 {
		return ""
	}
	return inv.out
}
