package main

import (
	"os"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	ends "github.com/orthant-go/orthant/cmd/internal/outcome"
	"github.com/orthant-go/orthant/engine/files"
)

// outputs are the files under construction of one run. They are created before
// the work, so that a path that cannot be written fails at once, and committed
// together after all of them are written.
type outputs []*files.Output

// create begins the output of a matrix; an empty path gives nil.
func (inv *invocation) create(path string) (*files.Output, error) {
	if path == "" {
		return nil, nil
	}
	if path == "-" {
		if inv.json {
			return nil, wrong("both the output and --json would go to standard output; give the output a file")
		}
		if isTerminal(inv.out) {
			return nil, wrong("the output would go to the terminal as .npy; give it a file, or redirect standard output")
		}
	}
	o, err := inv.keep(files.Create(path, inv.out))
	if err == nil && inv.safeCSV {
		o.NoFormulas()
	}
	return o, err
}

// createFor begins the output of a result for each sample of an input: a matrix, or, if the path is an .h5ad, a copy of the input with
// the entry in it.
func (inv *invocation) createFor(path, in, entry string, t *tableFlags) (*files.Output, error) {
	if !files.IsCopied(path) {
		return inv.create(path)
	}
	if t.missing == "drop" {
		return nil, wrong("--missing drop leaves samples out, and the copy of an .h5ad has them all; give --missing mean, or write .npy or .csv")
	}
	return inv.keep(files.CreateCopy(path, files.Addition{Source: in, Transpose: t.transpose, Entry: entry}))
}

// safeFlag adds the flag of commands that write names of columns and ids.
func (inv *invocation) safeFlag(f *pflag.FlagSet) {
	f.BoolVar(&inv.safeCSV, "safe-csv", false, "write names and ids that a spreadsheet would take for formulas (=, +, -, @ or a tab first) with an apostrophe before them, in .csv and .tsv outputs; numbers stay as they are")
}

// createRaw begins the output of a picture or a model; an empty path gives nil.
func (inv *invocation) createRaw(path string) (*files.Output, error) {
	if path == "" {
		return nil, nil
	}
	return inv.keep(files.CreateRaw(path, nil))
}

func (inv *invocation) keep(o *files.Output, err error) (*files.Output, error) {
	if err == nil {
		inv.outputs = append(inv.outputs, o)
	}
	return o, err
}

// writeMatrix writes a matrix to an output; nil: it was not asked for.
func (inv *invocation) writeMatrix(to *files.Output, x mat.Matrix) error {
	if to == nil {
		return nil
	}
	return to.WriteMatrix(x, inv.writing())
}

// commit puts all outputs in their places, as one.
func (inv *invocation) commit() error { return files.CommitAll(inv.outputs...) }

// discard gives up what is not in its place yet.
func (inv *invocation) discard() {
	for _, o := range inv.outputs {
		o.Discard()
	}
}

// isTerminal reports whether a stream is one that a person reads.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && ends.Terminal(f)
}

// oneStandardInput refuses several inputs from "-". The paths come with the names
// of their flags before them.
func oneStandardInput(flagsAndPaths ...string) error {
	first := ""
	for i := 0; i < len(flagsAndPaths); i += 2 {
		if flagsAndPaths[i+1] != "-" {
			continue
		}
		if first != "" {
			return wrong("%s and %s would both read standard input; give one of them a file", first, flagsAndPaths[i])
		}
		first = flagsAndPaths[i]
	}
	return nil
}

// write sends text to standard output, as one write.
func (inv *invocation) write(text []byte) error {
	inv.answered = true
	if _, err := inv.out.Write(text); err != nil {
		if pathError, ok := err.(*os.PathError); ok {
			err = pathError.Err
		}
		return &files.Error{Path: "-", Op: files.OpWrite, Err: err}
	}
	return nil
}
