//go:build mpi

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/cmd/internal/outcome"
	"github.com/orthant-go/orthant/cmd/internal/report"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/memory"
	"github.com/orthant-go/orthant/internal/visible"
)

// cost is what all processes took: the seconds of the slowest, the processor seconds of all,
// and the peaks of each.
func (inv *invocation) cost(r *result) (c report.Cost, peaks []int64) {
	c = report.Cost{Backend: inv.kernels.Name(), Threads: blas.Threads(inv.threads), Warnings: report.List(inv.warnings), Estimate: r.estimate}
	c.Seconds, c.CPUSeconds = inv.clock.Seconds()
	c.Add(r.shared.Spent())
	inv.together(largest, c.Seconds)
	inv.together(sum, c.CPUSeconds)
	peaks = make([]int64, inv.size)
	peaks[inv.rank] = memory.Peak()
	inv.counts(sum, peaks...)
	c.PeakRSS = slices.Max(peaks)
	return c, peaks
}

// together combines the seconds of all processes, which have the same phases.
func (inv *invocation) together(how int, s engine.Seconds) {
	names := slices.Sorted(maps.Keys(s))
	values := make([]float64, len(names))
	for i, name := range names {
		values[i] = s[name]
	}
	inv.numbers(how, values)
	for i, name := range names {
		s[name] = values[i]
	}
}

// report says what was found, on process 0.
func (inv *invocation) report(r *result) error {
	c, peaks := inv.cost(r)
	details, _ := r.shared.Found()
	details["processes"], details["peak_rss_bytes"] = inv.size, peaks
	if r.refinements > 0 {
		details["refinements"] = r.refinements
	}
	if inv.rank > 0 {
		return inv.agree(nil)
	}
	inv.wipe()
	if inv.json {
		about := blas.Describe(inv.kernels)
		full := report.Embed{
			Method: inv.method, Params: report.Finite(r.shared.Params()), Samples: r.all.Samples, Features: r.all.Features, Dim: r.shared.Dim(),
			Eigenvalues: report.Numbers(r.values), Residuals: report.Numbers(r.residuals), Next: report.Number(r.next), Converged: r.converged,
			Components: len(r.sizes), Sizes: r.sizes, Duplicates: r.duplicates, Seed: inv.seed, Out: inv.out,
			Details: report.Finite(details), Plan: &r.plan, Solves: r.solves, Products: r.products, Angle: report.Number(r.angle),
			Cost: c, Machine: report.Machine{CPU: about.CPU, ISA: report.List(about.Features), Go: runtime.Version()},
		}
		if inv.explain {
			full.Explanation = inv.explained
		}
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		err := encoder.Encode(full)
		if err == nil {
			if _, err = os.Stdout.WriteString(visible.JSON(text.String())); err != nil {
				err = &files.Error{Path: "-", Op: files.OpWrite, Err: err}
			}
		}
		return inv.agree(err)
	}
	if !inv.quiet {
		inv.lines(r, c)
	}
	return inv.agree(nil)
}

// lines is the report for a person.
func (inv *invocation) lines(r *result, c report.Cost) {
	say := func(heading, format string, args ...any) {
		inv.printf("%-10s %s", heading, fmt.Sprintf(format, args...))
	}
	say(inv.method, "k = %v, d = %d", r.shared.Params()["neighbors"], r.shared.Dim())
	say("data", "%d × %d on %d processes", r.all.Samples, r.all.Features, inv.size)
	var values []string
	for _, v := range r.values {
		values = append(values, fmt.Sprintf("%.4g", v))
	}
	say("eigen", "%s  then %.4g  (residual ≤ %.1e)", strings.Join(values, "  "), r.next, slices.Max(r.residuals))
	var phases []string
	for _, name := range slices.Sorted(maps.Keys(c.Seconds)) {
		if name != "total" {
			phases = append(phases, fmt.Sprintf("%s %.3g s", name, c.Seconds[name]))
		}
	}
	say("time", "%.3g s (%s)", c.Seconds["total"], strings.Join(phases, ", "))
	say("memory", "%s at the peak of a process, estimate %s", limits.FormatBytes(c.PeakRSS), limits.FormatBytes(c.Estimate))
	say("written", "%s", inv.out)
}

// printf prints one line for a person, on process 0.
func (inv *invocation) printf(format string, args ...any) {
	if inv.rank > 0 {
		return
	}
	inv.wipe()
	outcome.PrintLine(os.Stderr, fmt.Sprintf(format, args...))
}

// warn keeps a warning for the report and prints it at once.
func (inv *invocation) warn(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	inv.warnings = append(inv.warnings, text)
	if !inv.quiet {
		inv.printf("warning: %s", text)
	}
}

// explains prints a line about what is going to be done, where that is requested.
func (inv *invocation) explains(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	inv.explained = append(inv.explained, text)
	if inv.explain || inv.verbose {
		inv.printf("%s", text)
	}
}

// phase times a phase and shows it.
func (inv *invocation) phase(name string) (end func()) {
	inv.fault(name)
	inv.show(name, 0)
	return inv.clock.Phase(name)
}

// show redraws the line of progress, on process 0.
func (inv *invocation) show(name string, done float64) {
	if inv.rank > 0 || inv.progress == "never" {
		return
	}
	if inv.progress == "auto" && (inv.json || inv.quiet || !outcome.Terminal(os.Stderr)) {
		return
	}
	const width = 30
	full := int(width * done)
	inv.drawn = true
	fmt.Fprintf(os.Stderr, "\r%-10s %s%s %3.0f %%\x1b[K", name, strings.Repeat("█", full), strings.Repeat("░", width-full), 100*done)
}

// wipe makes room for a line of text.
func (inv *invocation) wipe() {
	if inv.drawn {
		fmt.Fprint(os.Stderr, "\r\x1b[K")
	}
	inv.drawn = false
}

// restarts is the number of restarts of the search for eigenvectors at most: 1 where a test asks
// for it by ORTHANT_MPI_FAULT=restart.
func (inv *invocation) restarts() int {
	if os.Getenv("ORTHANT_MPI_FAULT") == "restart" {
		return 1
	}
	return maxRestarts
}

// fault has a phase fail on a process, for the tests of what becomes of the others:
// ORTHANT_MPI_FAULT=panic:1:solve or wait:1:solve.
func (inv *invocation) fault(name string) {
	text := os.Getenv("ORTHANT_MPI_FAULT")
	if text == "" {
		return
	}
	switch text {
	case fmt.Sprintf("panic:%d:%s", inv.rank, name):
		panic("a test asked for it")
	case fmt.Sprintf("wait:%d:%s", inv.rank, name):
		time.Sleep(time.Minute)
	}
}
