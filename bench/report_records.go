package bench

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/internal/draw"
)

// recordRow is a record as a row of the table that every figure leads to.
type recordRow struct {
	ID      string
	Case    string
	Method  string
	Params  string
	Data    string
	Setting string // threads, backend, instruction set
	CPU     string // median of the total
	Spread  string
	Wall    string
	Memory  string
	Repeats int
	Phases  []measure // processor time by phase
	Quality []measure
	Notes   []note
	Command string
	Line    int
}

// measure is a named figure.
type measure struct{ Name, Text string }

// note is something said of a record: its kind is "missing", "failed", "noisy"
// or "note".
type note struct{ Kind, Text string }

func newRecordRow(r *Record, id string) recordRow {
	row := recordRow{
		ID: id, Case: r.Case, Method: r.Method, Params: paramsText(r.Params), Data: dataText(r),
		Setting: settingText(r), Repeats: r.Repeats, Command: r.Command, Line: r.Line,
	}
	if s, ok := r.CPUSeconds["total"]; ok && r.Done() {
		row.CPU, row.Spread = SecondsText(s.Median), spreadText(s)
	}
	if s, ok := r.Seconds["total"]; ok && r.Done() {
		row.Wall = SecondsText(s.Median)
	}
	if r.PeakBytes > 0 {
		row.Memory = limits.FormatBytes(r.PeakBytes)
	}
	for _, phase := range slices.SortedFunc(maps.Keys(r.CPUSeconds), inPhaseOrder) {
		if phase != "total" {
			row.Phases = append(row.Phases, measure{phase, SecondsText(r.CPUSeconds[phase].Median)})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Quality)) {
		s := r.Quality[name]
		text := draw.Number(s.Median, 4)
		if s.Spread > 0 {
			text += " " + spreadText(s)
		}
		row.Quality = append(row.Quality, measure{name, text})
	}
	for _, n := range []note{{"missing", r.Missing}, {"failed", r.Error}, {"noisy", r.Noise}, {"note", r.Note}} {
		if n.Text != "" {
			row.Notes = append(row.Notes, n)
		}
	}
	return row
}

// phases in the order in which they happen.
var phases = []string{"read", "neighbors", "patches", "alignment", "solve", "write", "process"}

func inPhaseOrder(a, b string) int {
	rank := func(p string) int {
		if i := slices.Index(phases, p); i >= 0 {
			return i
		}
		return len(phases)
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}

func paramsText(params map[string]any) string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(params)) {
		text := fmt.Sprint(params[key])
		if v, ok := params[key].(float64); ok {
			text = strings.Trim(fmt.Sprintf("%g", v), "\"")
		}
		list = append(list, key+"="+text)
	}
	return strings.Join(list, " ")
}

func dataText(r *Record) string {
	text := r.Data
	if r.Samples > 0 {
		text += fmt.Sprintf(" %d × %d", r.Samples, r.Features)
	}
	if r.DataHash != "" {
		text += " #" + r.DataHash[:min(len(r.DataHash), 8)]
	}
	return strings.TrimSpace(text)
}

func settingText(r *Record) string {
	var list []string
	switch {
	case r.Threads == 1:
		list = append(list, "1 thread")
	case r.Threads > 1:
		list = append(list, fmt.Sprintf("%d threads", r.Threads))
	}
	for _, text := range []string{r.Backend, r.ISA} {
		if text != "" {
			list = append(list, text)
		}
	}
	if r.Quick {
		list = append(list, "quick")
	}
	return strings.Join(list, ", ")
}

// SecondsText writes a duration with three digits.
func SecondsText(s float64) string { return secondsText(s, 3) }

func secondsText(s float64, digits int) string {
	switch size := math.Abs(s); {
	case s == 0:
		return "0"
	case size < 1e-6:
		return draw.Number(s*1e9, digits) + " ns"
	case size < 1e-3:
		return draw.Number(s*1e6, digits) + " µs"
	case size < 1:
		return draw.Number(s*1e3, digits) + " ms"
	}
	return draw.Number(s, digits) + " s"
}

// spreadText writes half the interquartile range over the median; empty for a
// single value.
func spreadText(s Statistics) string {
	if len(s.Values) < 2 {
		return ""
	}
	if percent := 100 * s.Spread; percent > 0 && percent < 0.1 {
		return "± <0.1 %"
	}
	return "± " + draw.Number(100*s.Spread, 2) + " %"
}
