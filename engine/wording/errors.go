package wording

import (
	"fmt"
	"strings"
)

// Marked is an error whose text has marks. Its Error words them as [Go] does.
type Marked interface {
	error
	Marked() string
}

// message is an error with marks, and what it wraps.
type message struct{ marked error }

func (m *message) Error() string  { return Text(m.marked.Error(), Go) }
func (m *message) Marked() string { return m.marked.Error() }
func (m *message) Unwrap() error  { return m.marked }

// Errorf is fmt.Errorf for a format with marks.
func Errorf(format string, args ...any) error { return &message{fmt.Errorf(format, args...)} }

// Error is the text of an error in the given words, wherever in it the marks are.
func Error(err error, w Wording) string {
	text := err.Error()
	walk(err, func(m Marked) { text = strings.Replace(text, m.Error(), Text(m.Marked(), w), 1) })
	return text
}

// Keep is the text of an error with its marks, for another message that takes it up.
func Keep(err error) string {
	return Error(err, func(key, value string) string {
		if value == "" {
			return "‹" + key + "›"
		}
		return "‹" + key + "=" + value + "›"
	})
}

// walk visits the marked errors that an error wraps, the outer ones first: the text of an
// inner one is part of theirs.
func walk(err error, visit func(Marked)) {
	if err == nil {
		return
	}
	if m, marked := err.(Marked); marked {
		visit(m)
	}
	switch e := err.(type) {
	case interface{ Unwrap() error }:
		walk(e.Unwrap(), visit)
	case interface{ Unwrap() []error }:
		for _, inner := range e.Unwrap() {
			walk(inner, visit)
		}
	}
}
