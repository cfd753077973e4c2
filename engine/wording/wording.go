// Package wording lets one message speak the language of whoever reads it. A message
// names a parameter between marks, by its key, with or without a value:
//
//	choose ‹components=largest›, or leave ‹fixed› out
//
// A program in Go reads of fields (Components: "largest"), a caller of the C library, of
// Python or of R of arguments (components="largest"), and the command, which brings its own
// [Wording], of flags. Nothing of the engine knows a flag.
//
// Errors keep their marks ([Errorf]) until their text is requested. Other messages of a run,
// warnings and verdicts, are worded as the run's context says ([In]).
package wording

import (
	"context"
	"regexp"
	"strconv"
	"strings"
)

// Wording names a parameter, with a value where that is not empty.
type Wording func(key, value string) string

// call is the key of an entry that does a task: ‹call=embed› is engine.Embed, embed, or
// "orthant embed".
const call = "call"

// fields are the names of fields that do not follow from their keys.
var fields = map[string]string{"normalise": "Normalize", "k1": "Within", "k2": "Between", "neighbors_method": "Options.Neighbors",
	"labels": "Options.Labels", "targets": "Options.Targets", "memory": "Options.Memory", "certified": "Options.Certified", "next": "VerifyOptions.Next",
	"delimiter": "Options.Delimiter", "transpose": "Options.Transpose", "skip_rows": "Options.SkipRows", "columns": "Options.Columns", "drop": "Options.Drop", "thousands": "Options.Thousands", "resize": "ImageOptions.Height and Width",
	"overlap_penalty": "Alpha", "norm_weight": "Alpha", "mixing": "Lambda", "distance_cost": "Lambda", "misfit_cost": "Gamma", "joined": "T",
	"dissimilarity_weight": "Beta", "square_weight": "Delta",
	"given_graph": "Options.Graph", "given_distances": "Options.Distances"}

// Field is the name that the field of a key has in the structs of Go.
func Field(key string) string {
	if name, other := fields[key]; other {
		return name
	}
	var name strings.Builder
	for part := range strings.SplitSeq(key, "_") {
		if part != "" {
			name.WriteString(strings.ToUpper(part[:1]) + part[1:])
		}
	}
	return name.String()
}

// Go words a parameter as a field of a struct of the engine: Components: "largest".
func Go(key, value string) string {
	switch {
	case key == call:
		return "engine." + Field(value)
	case value == "":
		return Field(key)
	case value == "auto" && (key == "dim" || key == "neighbors"):
		value = "engine.Auto"
	case value == "auto" && key == "gamma":
		value = "0, which is auto"
	case !plain.MatchString(value):
		value = strconv.Quote(value)
	}
	return Field(key) + ": " + value
}

// Arguments words a parameter as an argument of Python and R, which is a key of the JSON
// of the C library, too: components="largest".
func Arguments(key, value string) string {
	switch {
	case key == call:
		return value
	case value == "":
		return strings.TrimPrefix(key, "given_")
	case !plain.MatchString(value):
		value = strconv.Quote(value)
	}
	return key + "=" + value
}

// plain are values that are not text: numbers, truth values, and a letter that denotes one.
var plain = regexp.MustCompile(`^([-+0-9.e]+|true|false|[A-Z])$`)

var marks = regexp.MustCompile(`‹([a-z][a-z0-9_]*)(?:=([^‹›]*))?›`)

// Text is a message with its marks in the given words.
func Text(marked string, w Wording) string {
	if !strings.Contains(marked, "‹") {
		return marked
	}
	return marks.ReplaceAllStringFunc(marked, func(mark string) string {
		of := marks.FindStringSubmatch(mark)
		return w(of[1], of[2])
	})
}

type inContext struct{}

// In is a context whose runs word their messages in the given way.
func In(ctx context.Context, w Wording) context.Context {
	return context.WithValue(ctx, inContext{}, w)
}

// Of is the wording that a context asks for: [Go] where none was given.
func Of(ctx context.Context) Wording {
	if ctx != nil {
		if w, given := ctx.Value(inContext{}).(Wording); given {
			return w
		}
	}
	return Go
}
