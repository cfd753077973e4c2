package main

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

// denoising is one "orthant denoise".
type denoising struct {
	*invocation
	in, out        string
	dim, neighbors int
	working
	table tableFlags
}

func newDenoise(inv *invocation) *cobra.Command {
	d := &denoising{invocation: inv}
	cmd := &cobra.Command{
		Use:   "denoise --in X --out Z [flags]",
		Short: "Move samples onto the surface that they lie near",
		Long: `Denoise fits a plane of D dimensions to the K nearest samples of every sample (row),
and moves the sample onto this plane at a right angle. Neighbours are searched among
the original samples. K is chosen by local spectra: with small K the variance off the
planes is noise, with large K it is the bend of the surface. If the noise is not
certain, the samples are written unchanged, and the report says why.

"orthant embed" does the same before it embeds, with --neighbors auto or --denoise
auto, and keeps the planes in its model for new samples.`,
		Example: `  orthant generate swiss-roll --samples 5000 --set noise=0.3 --out x.npy
  orthant denoise --in x.npy --dim 2 --out z.npy
  orthant denoise --in x.npy --dim 2 --neighbors 60 --out z.npy
  orthant embed --method ltsa --in z.npy --out y.npy`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return d.run(cmd.Context()) },
	}
	d.neighbors = engine.Auto
	addGroup(cmd, "What to do", func(f *pflag.FlagSet) {
		f.IntVarP(&d.dim, "dim", "d", 2, "dimension `D` of the surface")
		f.VarP((*autoCount)(&d.neighbors), "neighbors", "k", "samples `K` that each plane is fitted to, or auto: chosen by the samples, if they show noise")
		f.BoolVar(&d.explain, "explain", false, "say on standard error what will be done")
	})
	addGroup(cmd, "Input and output", func(f *pflag.FlagSet) {
		f.StringVarP(&d.in, "in", "i", "", inputHelp)
		d.table.addFlags(inv, f)
		d.table.addMissing(f)
		f.StringVarP(&d.out, "out", "o", "", "`FILE` for the samples that were moved, in their order")
		f.BoolVar(&inv.float32, "float32", false, "write float32 in place of float64")
		inv.safeFlag(f)
	})
	reads(cmd, "in")
	writes(cmd, "out")
	return cmd
}

func (d *denoising) run(ctx context.Context) error {
	switch {
	case d.in == "":
		return wrong("--in is missing: the file with the samples, or - for standard input")
	case d.out == "":
		return wrong("--out is missing: the file for the samples that are moved, or - for standard output")
	case d.out == "-" && d.json:
		return wrong("--out - and --json both write to standard output; give a file to one of them")
	}
	if err := d.table.checkMissing("denoise"); err != nil {
		return err
	}
	out, err := d.create(d.out)
	if err != nil {
		return err
	}
	endRead := d.clock.Phase("read")
	x, err := d.table.read(d.invocation, d.in, "", func(o files.Options) (mat.Matrix, error) { return files.ReadAny(d.in, o) })
	if err != nil {
		return err
	}
	endRead()
	d.collectSooner(x)
	progress := d.progressOf()
	defer progress.end()
	o := d.running(engine.Options{Denoise: (*autoCount)(&d.neighbors).String()}, &d.working, progress)
	found, err := engine.Denoise(ctx, x, d.dim, o)
	if err != nil {
		return fromWork(err)
	}
	d.worked(progress, found.Warnings)
	endWrite := d.clock.Phase("write")
	d.table.title(d.invocation, out, d.table.names, d.table.ids)
	if err := out.WriteMatrix(found.X, d.writing()); err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := d.commit(); err != nil {
		return err
	}
	endWrite()
	return d.report(found)
}

// denoiseReport is what --json prints.
type denoiseReport struct {
	Samples     int                 `json:"samples"`
	Features    int                 `json:"features"`
	Dim         int                 `json:"dim"`
	Denoised    bool                `json:"denoised"`
	Noise       number              `json:"noise"`     // off the surface; 0: none was seen, or K was given
	Neighbors   int                 `json:"neighbors"` // of a plane; 0: nothing was seen
	Reason      string              `json:"reason"`    // why nothing was moved
	Levels      []engine.ScaleLevel `json:"levels"`
	Seed        uint64              `json:"seed"`
	Out         string              `json:"out"`
	Explanation []string            `json:"explanation,omitempty"`
	cost
	machine
}

func (d *denoising) report(f *engine.Denoised) error {
	c := d.spentBy(f.Seconds, f.CPUSeconds, f.Backend, f.Threads, f.EstimatedBytes)
	if d.json {
		return d.printJSON(denoiseReport{Samples: f.Samples, Features: f.Features, Dim: f.Dim, Denoised: f.Moved, Noise: number(f.Noise), Neighbors: f.Neighbors,
			Reason: f.Reason, Levels: append([]engine.ScaleLevel{}, f.Levels...), Seed: d.seed, Out: d.out, Explanation: d.explanation(), cost: c, machine: d.machine()})
	}
	w := d.say()
	line(w, "data", "%s near a surface of %s", shapeOf(f.Samples, f.Features), counted(f.Dim, "dimension"))
	switch {
	case !f.Moved:
		line(w, "denoised", "no, they are written as they are: %s", f.Reason)
	case f.Noise > 0:
		line(w, "denoised", "noise %.4g off the surface, planes of %s", f.Noise, counted(f.Neighbors, "neighbour"))
	default:
		line(w, "denoised", "planes of %s", counted(f.Neighbors, "neighbour"))
	}
	writeCost(w, c)
	writeWritten(w, d.out)
	return nil
}
