package main

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

// working is what the commands that run a method of the engine have in common.
type working struct {
	explain   bool
	explained []string
	strict    bool // a verdict against the result is an error
}

// explanation is what a report repeats of the messages of --explain.
func (w *working) explanation() []string {
	if !w.explain {
		return nil
	}
	return w.explained
}

// running returns the options of a method with the options of the common flags.
func (inv *invocation) running(o engine.Options, w *working, p *progressLine) engine.Options {
	o.Backend, o.Threads, o.Seed, o.Memory = inv.backend, inv.threads, inv.seed, int64(inv.memory)
	o.Progress = p.reporting()
	o.Explain = func(line string) {
		w.explained = append(w.explained, line)
		if w.explain {
			p.above(func() { printLine(inv.err, line) })
		}
	}
	return o
}

// hint names a cheaper way before long work begins, where there is one.
func (inv *invocation) hint(ctx context.Context, x mat.Matrix, m engine.Method, o engine.Options) {
	if x == nil || inv.quiet {
		return
	}
	n, columns := x.Dims()
	if text := engine.Cheaper(ctx, m, n, columns, o); text != "" {
		printLine(inv.err, "hint: "+text)
	}
}

// worked ends the line of progress and passes on what the engine warns of.
func (inv *invocation) worked(p *progressLine, warnings []string) {
	p.end()
	for _, text := range warnings {
		inv.warn("%s", inv.withNames(text))
	}
	inv.reportImages()
}

// columnNumber finds a column in a message about scales.
var columnNumber = regexp.MustCompile(`\bcolumn (\d+)`)

// withNames adds the names of the columns to a message about their scales.
func (inv *invocation) withNames(text string) string {
	if !strings.Contains(text, "--scale ") {
		return text
	}
	return columnNumber.ReplaceAllStringFunc(text, func(found string) string {
		at, err := strconv.Atoi(strings.TrimPrefix(found, "column "))
		if err != nil || at < 1 || at > len(inv.features) || inv.features[at-1] == "" {
			return found
		}
		return found + " (" + inv.features[at-1] + ")"
	})
}

// inputHelp explains the flag of the samples.
const inputHelp = "`FILE` with the samples, one a row (file.csv:a,b,3-7 takes some columns of a table, file.h5ad:layers/counts an array), a folder of 10x, or images: a folder, or a quoted pattern such as 'faces/*.png'"

// readLabels reads the labels of those samples of a table that are kept, one for each of the n samples of its file, and
// the texts of the classes; nil: they are numbers.
func (inv *invocation) readLabels(t *tableFlags, path, samples string, n int) (labels []int64, names []string, err error) {
	labels, names, err = files.ReadClasses(path, inv.readingOf(path))
	if err != nil {
		return nil, nil, err
	}
	if len(labels) != n {
		return nil, nil, wrong("%s has %d labels for the %d samples of %s; give one for each", path, len(labels), n, samples)
	}
	return keptOf(t, labels), names, nil
}

// strictFlag adds --strict to what a command does.
func (w *working) strictFlag(f *pflag.FlagSet, what string) {
	f.BoolVar(&w.strict, "strict", false, "end with status 3 if the verdict is against the "+what+" (see quality in --json), which is written nevertheless")
}

// concluded is the error after a result was written and reported: of what was missed, or of --strict where the
// verdict is against the result. The verdict itself has been given as a warning.
func (w *working) concluded(missed error, method, what string, verdict engine.Judgement) error {
	if missed != nil {
		return missed
	}
	if verdict != engine.Doubtful || !w.strict {
		return nil
	}
	return &notConverged{Text: fmt.Sprintf("%s: the verdict is against this %s, which is written all the same (--strict; the warning says why)", method, what)}
}
