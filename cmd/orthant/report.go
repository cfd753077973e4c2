package main

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/solvers"
)

// cost is what every subcommand that works says about its run.
type cost struct {
	Backend    string         `json:"backend"`
	Threads    int            `json:"threads"`
	Seconds    engine.Seconds `json:"seconds"`
	CPUSeconds engine.Seconds `json:"cpu_seconds"`
	PeakRSS    int64          `json:"peak_rss_bytes"`
	Estimate   int64          `json:"memory_estimate_bytes,omitempty"` // what the process was reckoned to take at most
	Warnings   []string       `json:"warnings"`
	beside     bool           // other runs in the process: its processor time is not that of this one
}

// spent returns the cost so far, which counts the whole process; of a run beside
// others only the peak does.
func (inv *invocation) spent() cost {
	c := cost{Backend: inv.kernels.Name(), Threads: blas.Threads(inv.threads), Warnings: list(inv.warnings)}
	c.Seconds, c.CPUSeconds = inv.clock.Seconds()
	var cpu float64
	if c.PeakRSS, cpu = processUsage(); inv.beside != nil {
		c.beside, c.CPUSeconds = true, engine.Seconds{}
		if own, known := inv.beside(); known {
			c.CPUSeconds["total"] = own
		}
	} else if cpu > 0 {
		c.CPUSeconds["total"] = cpu
	}
	return c
}

// spentBy returns the cost with that of a run of the engine, which has a clock of its
// own and tells what it ran on.
func (inv *invocation) spentBy(wall, cpu engine.Seconds, backend string, threads int, estimate int64) cost {
	c := inv.spent()
	c.add(wall, cpu)
	c.Backend, c.Threads, c.Estimate = backend, threads, estimate
	return c
}

// add merges the phases of a part of the run, which has a clock of its own.
// Processor time is left out where the phases overlap and it is not known of each.
func (c *cost) add(wall, cpu engine.Seconds) {
	for phase := range wall {
		if phase != "total" {
			c.Seconds[phase] += wall[phase]
			if cpu != nil && !c.beside {
				c.CPUSeconds[phase] += cpu[phase]
			}
		}
	}
}

// list returns a slice that is [] in JSON where there is nothing, not null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// number is a float64 that is null in JSON where it is not finite.
type number float64

// MarshalJSON writes the shortest text that reads back the same.
func (x number) MarshalJSON() ([]byte, error) {
	if v := float64(x); math.IsNaN(v) || math.IsInf(v, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// finite replaces numbers that JSON cannot hold, so that no report fails.
func finite(values map[string]any) map[string]any {
	out := map[string]any{}
	for key, v := range values {
		switch v := v.(type) {
		case float64:
			out[key] = number(v)
		case []float64:
			numbers := make([]number, len(v))
			for i, x := range v {
				numbers[i] = number(x)
			}
			out[key] = numbers
		default:
			out[key] = v
		}
	}
	return out
}

// printJSON prints one object, on one line of standard output.
func (inv *invocation) printJSON(v any) error {
	var text strings.Builder
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v); err != nil {
		return err
	}
	return inv.write([]byte(visibleJSON(text.String())))
}

// print prints the answer of a command on standard output.
func (inv *invocation) print(format string, args ...any) error {
	return inv.write(fmt.Appendf(nil, format, args...))
}

// line prints one aligned line of a human report.
func line(w io.Writer, heading, format string, args ...any) {
	tell(w, fmt.Sprintf("%-10s %s", heading, fmt.Sprintf(format, args...)))
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
		reckoned := ""
		if c.Estimate > 0 {
			reckoned = ", of the " + solvers.FormatBytes(c.Estimate) + " reckoned with"
		}
		line(w, "memory", "%s at the peak%s", solvers.FormatBytes(c.PeakRSS), reckoned)
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

// machine is what decides the speed of a run.
type machine struct {
	CPU string   `json:"cpu"`
	ISA []string `json:"isa"`
	Go  string   `json:"go"`
}

func (inv *invocation) machine() machine {
	about := blas.Describe(inv.kernels)
	return machine{about.CPU, list(about.Features), runtime.Version()}
}

// shapeOf words the size of the data. Samples whose graph or distances were given have no
// features.
func shapeOf(samples, features int) string {
	if features == 0 {
		return counted(samples, "sample")
	}
	return counted(samples, "sample") + " × " + counted(features, "feature")
}
