package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/assign"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/messages"
	"github.com/orthant-go/orthant/sparse"
)

// verification is one "orthant verify".
type verification struct {
	*invocation
	choice
	in, embedding, report, labels string
	structure
	options engine.VerifyOptions
	working
	table tableFlags
}

func newVerify(inv *invocation) *cobra.Command {
	v := &verification{invocation: inv, table: tableFlags{classes: true}}
	cmd := &cobra.Command{
		Use:   "verify --in X --embedding Y (--report R | --method NAME) [flags]",
		Short: "Check an embedding without the solver",
		Long: `Verify computes the neighbourhoods and the alignment matrix of an embedding again. It
checks by plain products, without a solver, that the columns are orthonormal
eigenvectors of the smallest eigenvalues. --certify proves that they are the smallest:
the signs of one factorisation count the eigenvalues below a number. Verify also
computes the scores of the verdict of "orthant embed": how evenly the coordinates
stretch the data, on how many samples each coordinate depends, and others. For isomap
it computes the lengths of paths from some samples again. For other methods without
an alignment matrix it checks the scores, and for pca and mds the angles between the
columns. With --method umap, tsne or pacmap it judges a map that any program made, by
the neighbours that the method looks at.

Status 0: nothing speaks against the embedding; 3: something does, and one
sentence on standard error says what.

--report takes the method and its parameters from the report of the run
("orthant embed --json"), and compares its eigenvalues. --method, --neighbors, --dim
and --set override the report. Rows of NaN are samples that were left out
(components=largest).`,
		Example: `  orthant generate swiss-roll --samples 1500 --out x.npy
  orthant embed --method neml --in x.npy --out y.npy --json > r.json
  orthant verify --in x.npy --embedding y.npy --report r.json
  orthant verify --in x.npy --embedding y.npy --method neml --neighbors 12`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return v.run(cmd.Context(), cmd.Flags()) },
	}
	addGroup(cmd, "What to verify", func(f *pflag.FlagSet) {
		f.StringVarP(&v.method, "method", "m", "", "`NAME` of the method that made the embedding (default: that of the report)")
		f.IntVarP(&v.neighbors, "neighbors", "k", 0, "the number `K` of nearest neighbours of each sample (default: that of the report, else the method's)")
		f.IntVarP(&v.dim, "dim", "d", 0, "coordinates `D` of each sample (default: the columns of the embedding)")
		f.Var(&v.set, "set", "another parameter of the method, or one that all have; may be repeated")
		f.BoolVar(&v.options.Certified, "certify", false, "count the eigenvalues below those of the columns, by one factorisation")
		v.searchFlags(f)
	})
	addGroup(cmd, "Input", func(f *pflag.FlagSet) {
		f.StringVarP(&v.in, "in", "i", "", inputHelp)
		v.table.addFlags(inv, f)
		v.table.addMissing(f)
		v.addFlags(f)
		f.StringVarP(&v.embedding, "embedding", "e", "", "`FILE` with the coordinates, one row a sample")
		f.StringVarP(&v.report, "report", "r", "", "`FILE` with the JSON object that \"orthant embed --json\" printed")
		f.StringVar(&v.labels, "labels", "", "`FILE` with the classes that lda learned from, whole numbers or texts (FILE:column of a table, :column of the input)")
		v.table.weightsFlag(f, "pca")
	})
	reads(cmd, append(structureFlags, "in", "embedding", "report", "labels", "weights")...)
	inv.completeMethod(cmd, "embed")
	return cmd
}

func (v *verification) run(ctx context.Context, flags *pflag.FlagSet) error {
	if err := v.checkFlags(); err != nil {
		return err
	}
	of, err := v.readReport()
	if err != nil {
		return err
	}
	if err := v.table.checkWeights(v.method, v.in); err != nil {
		return err
	}
	x, y, err := v.read()
	if err != nil {
		return err
	}
	method, err := v.chooseMethod(flags, of, y)
	if err != nil {
		return err
	}
	if err := v.readWith(method); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	progress := v.progressOf()
	defer progress.end()
	o := v.options
	o.Options = v.running(o.Options, &v.working, progress)
	found, err := engine.Verify(ctx, x, y, method, o)
	if err != nil {
		return fromWork(err)
	}
	progress.end()
	if err := v.print(found); err != nil {
		return err
	}
	if !found.Passed {
		return &notConverged{Text: fmt.Sprintf("%s: %s", found.Method, found.Verdict)}
	}
	return nil
}

// checkFlags refuses combinations that cannot work, before anything is read.
func (v *verification) checkFlags() error {
	if err := v.checkSearch(); err != nil {
		return err
	}
	v.options.Neighbors = v.search
	switch {
	case v.in == "" && !v.structured():
		return wrong("--in is missing: the file with the samples, or - for standard input")
	case v.embedding == "":
		return wrong("--embedding is missing: the file with the coordinates to verify, or - for standard input")
	case v.report == "" && v.method == "":
		return wrong("--method is missing, and so is --report: say which method made the embedding")
	}
	if err := v.table.checkWith(v.structure, v.method); err != nil {
		return err
	}
	var err error
	if v.labels, err = ofInput(v.labels, v.in); err != nil {
		return err
	}
	return oneStandardInput(append(v.paths(), "--in", v.in, "--embedding", v.embedding, "--report", v.report, "--labels", v.labels, "--weights", v.table.weights)...)
}

// read reads the samples and the embedding.
func (v *verification) read() (x mat.Matrix, y *mat.Dense, err error) {
	defer v.clock.Phase("read")()
	if v.in != "" {
		if x, err = v.table.read(v.invocation, v.in, v.labels, func(o files.Options) (mat.Matrix, error) { return files.ReadAny(v.in, o) }); err != nil {
			return nil, nil, err
		}
	}
	y, err = v.table.readCompanion(v.invocation, v.embedding)
	return x, y, err
}

// readWith reads what else the method takes.
func (v *verification) readWith(method engine.Method) error {
	defer v.clock.Phase("read")()
	n, of, err := v.readStructure(&v.structure, &v.table, v.in, isDirected(method), &v.options.Options)
	if err != nil {
		return err
	}
	if v.in != "" {
		n, of = v.table.total, v.in
	}
	if v.labels != "" {
		if v.options.Labels, _, err = v.readLabels(&v.table, v.labels, of, n); err != nil {
			return err
		}
	}
	v.options.Weights, err = v.table.readWeights(v.invocation, of)
	return err
}

// verificationReport is what --json prints of a verification.
type verificationReport struct {
	Passed        bool                `json:"passed"`
	Verdict       string              `json:"verdict"`
	Method        string              `json:"method"`
	Params        map[string]any      `json:"params"`
	Samples       int                 `json:"samples"`
	Features      int                 `json:"features"`
	Dim           int                 `json:"dim"`
	Eigenvalues   []number            `json:"eigenvalues"`
	Residuals     []number            `json:"residuals"`
	Orthogonality number              `json:"orthogonality"`
	Balance       number              `json:"balance"`
	Less          number              `json:"less"`
	Quality       *engine.Quality     `json:"quality"`
	Certificate   *sparse.Certificate `json:"certificate,omitempty"`
	cost
}

// print prints what was found.
func (v *verification) print(r *engine.Verification) error {
	c := v.spent()
	c.Add(r.Seconds, nil)
	c.Warnings, c.WarningIDs = list(v.warnings), messages.IDs(v.warnings) // warnings of the scores are in the verdict
	if v.json {
		return v.printJSON(verificationReport{r.Passed, r.Verdict, r.Method, finite(r.Params), r.Samples, r.Features, r.Dim, numbers(r.Values), numbers(r.Residuals),
			number(r.Orthogonality), number(r.Balance), number(r.Less), r.Quality, r.Certificate, c})
	}
	w := v.say()
	line(w, r.Method, "%s", pairs(r.Params))
	line(w, "data", "%s → %s", shapeOf(r.Samples, r.Features), counted(r.Dim, "dimension"))
	for j, value := range r.Values {
		line(w, "column", "%d: eigenvalue %.4g, residual %.1e", j+1, value, r.Residuals[j])
	}
	if !math.IsNaN(r.Balance) {
		line(w, "constraint", "YᵀY off by %.1e, along the constants %.1e", r.Orthogonality, r.Balance)
	}
	if r.Certificate != nil {
		line(w, "certified", "%s", r.Certificate)
	}
	writeVerdict(w, r.Quality, []string{r.Quality.Sentence}) // the error has it
	writeCost(w, c)
	return nil
}

// expectations is what verify takes from the report of an embedding.
type expectations struct {
	Method      string         `json:"method"`
	Params      map[string]any `json:"params"`
	Eigenvalues []*float64     `json:"eigenvalues"`
	Next        *float64       `json:"next_eigenvalue"`
	Seed        uint64         `json:"seed"`
}

// chooseMethod makes the method from the report, with what the flags say in its place.
func (v *verification) chooseMethod(flags *pflag.FlagSet, of expectations, y *mat.Dense) (engine.Method, error) {
	method, given, err := v.make("embed", flags)
	if err != nil {
		return nil, err
	}
	if of.Method == v.method {
		known := append(assign.AcceptedKeys(method), assign.Keys(engine.CommonParameters())...)
		from := settings{}
		for _, key := range known {
			if text, plain := asText(of.Params[key]); plain {
				from[key] = text
			}
		}
		maps.Copy(from, given)
		given = from
		for _, value := range of.Eigenvalues {
			if value == nil {
				break
			}
			v.options.Eigenvalues = append(v.options.Eigenvalues, *value)
		}
		if v.options.Next = math.NaN(); of.Next != nil {
			v.options.Next = *of.Next
		}
		if !flags.Changed("seed") && of.Seed > 0 {
			v.seed = of.Seed
		}
	}
	if _, set := given["dim"]; !set {
		_, dim := y.Dims()
		given["dim"] = strconv.Itoa(dim)
	}
	return method, setParameters(v.invocation, "embed", method, given, &v.options.Options, engine.CommonParameters())
}

// readReport reads the report, if there is one, which names the method unless a flag does.
func (v *verification) readReport() (of expectations, err error) {
	if v.report == "" {
		return of, nil
	}
	text, err := files.ReadJSON(v.report, v.reading())
	if err != nil {
		return of, err
	}
	if err := json.Unmarshal(text, &of); err != nil {
		return of, wrong("%s is not a report: %w; give the output of \"orthant embed --json\"", v.report, err)
	}
	if of.Method == "" || of.Params == nil {
		return of, wrong("%s names no method with its parameters; give what \"orthant embed --json\" printed", v.report)
	}
	v.method = cmp.Or(v.method, of.Method)
	return of, nil
}

// asText is a value of the report as --set takes it; plain: it is one that can be set.
func asText(value any) (text string, plain bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	}
	return "", false
}
