package run

import (
	"fmt"
	"maps"

	"github.com/orthant-go/orthant/engine/wording"
)

// report collects what is said about a run besides its result. It is written only.
type report struct {
	warnings []string
	notes    map[string]any
}

func newReport() *report { return &report{notes: map[string]any{}} }

func (r *report) part() *report { return &report{notes: maps.Clone(r.notes)} }

// Say is a text in the words that the context of the run asks for (see [wording]).
func (r *Run) Say(marked string) string { return wording.Text(marked, wording.Of(r.ctx)) }

// Warn tells the caller of something doubtful.
func (r *Run) Warn(format string, args ...any) {
	r.report.warnings = append(r.report.warnings, r.Say(fmt.Sprintf(format, args...)))
}

// Note tells the caller a figure that was found on the way. No step reads it.
func (r *Run) Note(key string, value any) { r.report.notes[key] = value }

// Warnings are those of the run so far.
func (r *Run) Warnings() []string { return r.report.warnings }

// Notes are those of the run so far.
func (r *Run) Notes() map[string]any { return r.report.notes }

// Adopt makes the notes of a part those of the run.
func (r *Run) Adopt(part *Run) { r.report.notes = part.report.notes }
