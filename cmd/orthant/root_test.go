package main

import (
	"bytes"
	"strings"
	"testing"
)

// The command made for one line alone says and takes what the whole command does.
func TestACommandMadeAloneIsThatOfTheWhole(t *testing.T) {
	help := func(make func(*invocation, []string) error, args ...string) string {
		var out bytes.Buffer
		inv := newInvocation(streams{out: &out, err: &out})
		if err := make(inv, args); err != nil {
			t.Fatalf("orthant %v: %v", args, err)
		}
		return out.String()
	}
	alone := func(inv *invocation, args []string) error { return inv.execute(t.Context(), rootFor(inv, args), args) }
	whole := func(inv *invocation, args []string) error { return inv.execute(t.Context(), newRoot(inv), args) }
	for _, c := range allSubcommands() {
		if made := c.make(newInvocation(streams{})).Name(); made != c.name {
			t.Errorf("%s stands in the table as %s", made, c.name)
		}
		if a, w := help(alone, c.name, "--help"), help(whole, c.name, "--help"); a != w || w == "" {
			t.Errorf("%s --help: alone\n%s\nin the whole\n%s", c.name, a, w)
		}
		if n := len(rootFor(newInvocation(streams{}), []string{c.name}).Commands()); n > 2 { // and help
			t.Errorf("%s is made with %d commands", c.name, n)
		}
	}
}

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
