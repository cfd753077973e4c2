package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/cmd/internal/report"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/messages"
	"github.com/orthant-go/orthant/internal/visible"
)

type (
	cost    = report.Cost
	number  = report.Number
	machine = report.Machine
)

var (
	numbers = report.Numbers
	finite  = report.Finite
)

// list is [report.List].
func list[T any](s []T) []T { return report.List(s) }

// spent returns the cost so far, which counts the whole process; for a run next to
// others only the peak does.
func (inv *invocation) spent() cost {
	c := cost{Backend: inv.kernels.Name(), Threads: blas.Threads(inv.threads), Warnings: list(inv.warnings), WarningIDs: messages.IDs(inv.warnings)}
	c.Seconds, c.CPUSeconds = inv.clock.Seconds()
	var cpu float64
	if c.PeakRSS, cpu = processUsage(); inv.ownClock != nil {
		c.Concurrent, c.CPUSeconds = true, engine.Seconds{}
		if own, known := inv.ownClock(); known {
			c.CPUSeconds["total"] = own
		}
	} else if cpu > 0 {
		c.CPUSeconds["total"] = cpu
	}
	return c
}

// spentBy returns the cost including a run of the engine, which has a clock of its
// own and reports what it ran on.
func (inv *invocation) spentBy(wall, cpu engine.Seconds, backend string, threads int, estimate int64) cost {
	c := inv.spent()
	c.Add(wall, cpu)
	c.Backend, c.Threads, c.Estimate = backend, threads, estimate
	return c
}

// printJSON prints one object, on one line of standard output.
func (inv *invocation) printJSON(v any) error {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return err
	}
	return inv.write([]byte(visible.JSON(text.String())))
}

// print prints the answer of a command on standard output.
func (inv *invocation) print(format string, args ...any) error {
	return inv.write(fmt.Appendf(nil, format, args...))
}

// line prints one aligned line of a human report.
func line(w io.Writer, heading, format string, args ...any) {
	printLine(w, fmt.Sprintf("%-10s %s", heading, fmt.Sprintf(format, args...)))
}

// pairs lists parameters with their values.
func pairs(params map[string]any) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(params)) {
		list = append(list, fmt.Sprintf("%s=%v", key, params[key]))
	}
	return strings.Join(list, " ")
}

// writeComponents prints the line about a graph of several components, or one.
func writeComponents(w io.Writer, components int, sizes []int) {
	text := counted(components, "component")
	if components > 1 {
		text += fmt.Sprintf(" of %v samples", sizes[:min(len(sizes), 8)])
	}
	line(w, "graph", "%s", text)
}

// writeWritten prints the line about the files written; an output that was not asked
// for is "".
func writeWritten(w io.Writer, paths ...string) {
	if paths = slices.DeleteFunc(paths, func(path string) bool { return path == "" }); len(paths) > 0 {
		line(w, "written", "%s", strings.Join(paths, ", "))
	}
}

// phaseOrder is the order in which phases are shown.
var phaseOrder = []string{"load", "read", "draw", "kernel", "scale", "neighbors", "gram", "codes", "patches", "alignment", "whitening", "solve", "quality", "diagnosis", "kmeans", "clusters", "transform", "measure", "write"}

// writeCost prints the lines about time and memory.
func writeCost(w io.Writer, c cost) {
	var phases []string
	for _, name := range phaseOrder {
		if s, ok := c.Seconds[name]; ok {
			phases = append(phases, name+" "+duration(s))
		}
	}
	for name, s := range c.Seconds {
		if name != "total" && !slices.Contains(phaseOrder, name) {
			phases = append(phases, name+" "+duration(s))
		}
	}
	threads := fmt.Sprintf("%d threads", c.Threads)
	if c.Threads == 1 {
		threads = "1 thread"
	}
	line(w, "time", "%s on %s (%s)", duration(c.Seconds["total"]), threads, strings.Join(phases, ", "))
	if c.PeakRSS > 0 {
		estimate := ""
		if c.Estimate > 0 {
			estimate = ", estimate " + limits.FormatBytes(c.Estimate)
		}
		if c.PeakRSS > c.Estimate && c.Estimate > 0 { // garbage is collected late where there is room
			estimate += " (more is taken where it is free)"
		}
		line(w, "memory", "%s at the peak%s", limits.FormatBytes(c.PeakRSS), estimate)
	}
}

// duration prints seconds with three digits.
func duration(s float64) string {
	switch {
	case s < 1e-3:
		return fmt.Sprintf("%.0f µs", s*1e6)
	case s < 1:
		return fmt.Sprintf("%.3g ms", s*1e3)
	case s < 1000:
		return fmt.Sprintf("%.3g s", s)
	}
	return fmt.Sprintf("%.0f s", s)
}

// counted prints a number with its noun, in the plural where it is due.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (inv *invocation) machine() machine {
	about := blas.Describe(inv.kernels)
	return machine{CPU: about.CPU, ISA: list(about.Features), Go: runtime.Version()}
}

// shapeOf words the size of the data. Samples whose graph or distances were given have no
// features.
func shapeOf(samples, features int) string {
	if features == 0 {
		return counted(samples, "sample")
	}
	return counted(samples, "sample") + " × " + counted(features, "feature")
}
