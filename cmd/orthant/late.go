package main

import "strings"

// What the texts of a command say of all methods takes longer to list than many runs, so
// that a mark stands for it until a text is shown.
const (
	namesOf  = "{names of the methods for "
	linesOf  = "{lines on the methods for "
	sparseOf = "{methods that keep sparse samples sparse for "
)

// late is the mark of what is listed of the methods for a task.
func late(what, task string) string { return what + task + "}" }

// filled fills in the marks of a text. A list goes on at the column where its mark stands.
func filled(text string) string {
	for _, list := range []struct {
		what string
		of   func(task string, column int) string
	}{
		{namesOf, func(task string, _ int) string { return strings.Join(methodNames(task), ", ") }},
		{linesOf, func(task string, _ int) string { return methodLines(task) }},
		{sparseOf, func(task string, column int) string { return wrapped(sparseNames(task), column) }},
	} {
		for {
			before, rest, found := strings.Cut(text, list.what)
			if !found {
				break
			}
			task, after, _ := strings.Cut(rest, "}")
			text = before + list.of(task, len(before)-1-strings.LastIndexByte(before, '\n')) + after
		}
	}
	return text
}
