package main

import (
	"strings"
	"testing"
)

// Texts are shown with their lists, each at its column, and none with a mark.
func TestListsAreFilledIn(t *testing.T) {
	for _, task := range []string{"embed", "factorize", "cluster", "select"} {
		names := methodNames(task)
		text := filled("a: " + late(namesOf, task) + "; " + late(namesOf, task) + "\n" + late(linesOf, task) + "  " + late(sparseOf, task) + ".")
		if strings.ContainsAny(text, "{}") {
			t.Errorf("%s: a mark is left: %s", task, text)
		}
		joined := strings.Join(names, ", ")
		if want := "a: " + joined + "; " + joined + "\n" + methodLines(task) + "  " + wrapped(sparseNames(task), 2) + "."; text != want {
			t.Errorf("%s:\n%s\nnot\n%s", task, text, want)
		}
	}
	if text := filled("{names of others}"); text != "{names of others}" {
		t.Errorf("a text without marks became %q", text)
	}
}
