package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/datasets"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/disk"
)

// generation is one "orthant generate".
type generation struct {
	*invocation
	name                      string
	samples                   int
	out, outParams, outLabels string
	set                       settings
}

func newGenerate(inv *invocation) *cobra.Command {
	g := &generation{invocation: inv}
	cmd := &cobra.Command{
		Use:   "generate NAME --samples N --out X [flags]",
		Short: "Draw a synthetic data set",
		Long: `Generate draws one of the synthetic data sets of the literature. The same name,
number of samples, seed and parameters give the same numbers everywhere. The sets and
their parameters, which --set key=value sets, are (programmes writes sparse .npz, .mtx
and .mat):

` + generatorLines(),
		Example: `  orthant generate swiss-roll --samples 1500 --seed 1 --out x.npy --out-params t.npy
  orthant generate two-moons --samples 300 --set noise=0.1 --out moons.csv --out-labels y.npy
  orthant generate faces --samples 300 --out faces/ --out-params t.npy`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return wrong("give the name of one data set; there are %s", strings.Join(datasets.Names(), ", "))
			}
			return nil
		},
		ValidArgs: datasets.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			g.name = args[0]
			return g.run(cmd.Context(), cmd.Flags())
		},
	}
	addGroup(cmd, "What to draw", func(f *pflag.FlagSet) {
		f.IntVarP(&g.samples, "samples", "n", 0, "draw `N` samples (default: the set's own number, where it has one)")
		f.Var(&g.set, "set", "a parameter of the set; may be repeated")
	})
	addGroup(cmd, "Output", func(f *pflag.FlagSet) {
		f.StringVarP(&g.out, "out", "o", "", "`FILE` for the samples, one a row; of faces also a new folder, as in faces/, for an image each")
		f.StringVar(&g.outParams, "out-params", "", "`FILE` for the coordinates that the samples were made from")
		f.StringVar(&g.outLabels, "out-labels", "", "`FILE` for the class of each sample")
		f.BoolVar(&inv.float32, "float32", false, "write float32 in place of float64")
	})
	writes(cmd, "out-params", "out-labels")
	writesInto(cmd, "out", "face-*.png") // where it is a folder
	return cmd
}

// generatorLines lists the data sets with their parameters for the help.
func generatorLines() string {
	var b strings.Builder
	for _, name := range datasets.Names() {
		parameters, _ := datasets.Parameters(name)
		fmt.Fprintf(&b, "  %s\n", name)
		for _, p := range parameters {
			meaning := p.Meaning
			for _, c := range p.Choices {
				if !strings.Contains(meaning, c+":") { // the meaning may explain its choices
					meaning += ", " + c
				}
			}
			fmt.Fprintf(&b, "      %-18s %s\n", p.Key+"="+p.Default, wrapped(meaning, 25))
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

func (g *generation) run(ctx context.Context, flags *pflag.FlagSet) error {
	rows, cols, err := datasets.Size(g.name, g.samples, g.set)
	if err != nil {
		return &inputError{Err: err}
	}
	if flags.Changed("samples") && g.samples < 1 {
		return wrong("--samples is %d; give a number ≥ 1", g.samples)
	}
	// The samples, their parameters and labels.
	if !g.staysSparse() {
		if err := g.fits(fmt.Sprintf("%d × %d samples need", rows, cols), int64(min(8*float64(rows)*(float64(cols)+8), 1<<60)), "draw fewer"); err != nil {
			return err
		}
	}
	if g.out == "" && g.outParams == "" && g.outLabels == "" {
		return wrong("--out is missing: the file for the samples, or - for standard output")
	}
	toStandard := 0
	var outs [3]*files.Output
	for i, path := range []string{g.out, g.outParams, g.outLabels} {
		if path == "-" {
			toStandard++
		}
		if i == 0 && namesFolder(path) {
			continue
		}
		if outs[i], err = g.create(path); err != nil {
			return err
		}
	}
	if toStandard > 1 {
		return wrong("several outputs would go to standard output; give all but one a file")
	}
	if err := g.checkFolder(); err != nil {
		return err
	}
	set, err := g.draw()
	if err != nil {
		return &inputError{Err: err}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := g.writeOutputs(set, outs[0], outs[1], outs[2]); err != nil {
		return err
	}
	return g.report(set)
}

// drawn is a set, and its samples, which may be sparse.
type drawn struct {
	x mat.Matrix
	*datasets.Set
}

func (g *generation) draw() (*drawn, error) {
	defer g.clock.Phase("draw")()
	if g.staysSparse() && g.outParams == "" {
		return g.drawSparse()
	}
	set, err := datasets.Generate(g.name, g.samples, g.seed, g.set)
	switch {
	case err != nil:
		return nil, err
	case g.outParams != "" && set.Params == nil:
		return nil, fmt.Errorf("%s has no coordinates for --out-params; leave it out", g.name)
	case g.outLabels != "" && set.Labels == nil:
		return nil, fmt.Errorf("%s has no classes for --out-labels; leave it out", g.name)
	}
	return &drawn{set.X, set}, nil
}

func (g *generation) writeOutputs(set *drawn, x, params, labels *files.Output) error {
	defer g.clock.Phase("write")()
	if err := g.writeMatrix(x, set.x); err != nil {
		return err
	}
	if namesFolder(g.out) {
		if err := g.writeImages(set); err != nil {
			return err
		}
	}
	if err := g.writeMatrix(params, set.Params); err != nil {
		return err
	}
	if labels != nil {
		if err := labels.WriteLabels(set.Labels); err != nil {
			return err
		}
	}
	return g.commit()
}

// generationReport is what --json prints of a data set drawn.
type generationReport struct {
	Generator string         `json:"generator"`
	Params    map[string]any `json:"params"`
	Samples   int            `json:"samples"`
	Features  int            `json:"features"`
	Seed      uint64         `json:"seed"`
	Out       string         `json:"out"`
	OutParams string         `json:"out_params"`
	OutLabels string         `json:"out_labels"`
	cost
}

func (g *generation) report(set *drawn) error {
	n, m := set.x.Dims()
	params := map[string]any{}
	parameters, _ := datasets.Parameters(g.name)
	for _, p := range parameters {
		params[p.Key] = p.Default
		if value, given := g.set[p.Key]; given {
			params[p.Key] = value
		}
		if p.Choices == nil {
			params[p.Key] = json.Number(strings.TrimSpace(params[p.Key].(string)))
		}
	}
	c := g.spent()
	if g.json {
		return g.printJSON(generationReport{g.name, params, n, m, g.seed, g.out, g.outParams, g.outLabels, c})
	}
	w := g.say()
	line(w, g.name, "%s × %s, seed %d  %s", counted(n, "sample"), counted(m, "feature"), g.seed, pairs(params))
	writeWritten(w, g.out, g.outParams, g.outLabels)
	return nil
}

// namesFolder reports whether an output is a folder by its name, which ends with a slash.
func namesFolder(path string) bool {
	return strings.HasSuffix(path, "/") || strings.HasSuffix(path, string(os.PathSeparator))
}

// checkFolder refuses a folder for samples that are not images, and one that holds
// something: images that are there already would be samples, too.
func (g *generation) checkFolder() error {
	if !namesFolder(g.out) {
		return nil
	}
	if g.name != "faces" {
		return wrong("--out is the folder %s, and samples of %s are not images; give a file, such as x.npy", g.out, g.name)
	}
	entries, err := disk.Files().ReadDir(g.out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return &inputError{Err: err}
	case len(entries) > 0:
		return wrong("--out is the folder %s, which holds files already; name another one, or empty it", g.out)
	}
	return nil
}

// writeImages writes a file for each sample.
func (g *generation) writeImages(set *drawn) error {
	n, _ := set.x.Dims()
	names := make([]string, n)
	digits := max(3, len(fmt.Sprint(n)))
	for i := range names {
		names[i] = fmt.Sprintf("%s-%0*d.png", strings.TrimSuffix(g.name, "s"), digits, i+1)
	}
	return files.WriteImages(g.out, names, set.x.(*mat.Dense), set.Height, set.Width)
}

// staysSparse reports whether a set of counts goes to files that keep them sparse.
func (g *generation) staysSparse() bool {
	ext := strings.ToLower(filepath.Ext(files.FileOf(g.out)))
	return g.name == "programmes" && slices.Contains([]string{".mtx", ".npz", ".mat"}, ext)
}

// drawSparse draws a set of counts without making it dense.
func (g *generation) drawSparse() (*drawn, error) {
	p, err := datasets.GenerateProgrammes(g.samples, g.seed, g.set)
	if err != nil {
		return nil, err
	}
	return &drawn{p.Counts, &datasets.Set{Labels: p.Labels}}, nil
}
