package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthant-go/orthant/engine"
)

func newMethods(inv *invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "methods [NAME]",
		Short: "List the methods, their parameters and defaults",
		Long: `Methods lists all methods with their parameters and defaults. With a name it
explains one of them. The parameters are the keys of --set.`,
		Example: `  orthant methods
  orthant methods neml
  orthant methods --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return wrong("give one name, or none for all methods")
			}
			return nil
		},
		ValidArgs: methodNames(),
		RunE:      func(_ *cobra.Command, args []string) error { return inv.showMethods(args) },
	}
}

// allMethods returns the methods with every key that --set takes.
func allMethods() []engine.Entry {
	entries := engine.Methods()
	for i := range entries {
		entries[i].Parameters = append(entries[i].Parameters, engine.CommonParameters()...)
	}
	return entries
}

func methodNames() []string {
	var names []string
	for _, e := range engine.Methods() {
		names = append(names, e.Name)
	}
	return names
}

// methodLines lists the methods for the help of embed.
func methodLines() string {
	var b strings.Builder
	for _, e := range engine.Methods() {
		fmt.Fprintf(&b, "  %-6s%s: %s\n", e.Name, e.Title, e.Summary)
	}
	return b.String()
}

func (inv *invocation) showMethods(args []string) error {
	entries := allMethods()
	if len(args) == 0 {
		if inv.json {
			return inv.printJSON(map[string]any{"methods": entries})
		}
		var b strings.Builder
		writeMethods(&b, entries)
		return inv.write([]byte(b.String()))
	}
	if _, err := engine.New(args[0]); err != nil {
		return &inputError{err}
	}
	for _, e := range entries {
		if e.Name != args[0] {
			continue
		}
		if inv.json {
			return inv.printJSON(e)
		}
		var b strings.Builder
		writeMethod(&b, e)
		return inv.write([]byte(b.String()))
	}
	return nil
}

// writeMethods prints one block a method: name, title, parameters with defaults.
func writeMethods(w io.Writer, entries []engine.Entry) {
	for _, e := range entries {
		own := len(e.Parameters) - len(engine.CommonParameters())
		fmt.Fprintf(w, "%-6s%s\n      %s\n", e.Name, e.Title, defaults(e.Parameters[:own]))
	}
	fmt.Fprintf(w, "\nall   %s\n\n\"orthant methods NAME\" explains a method.\n", defaults(engine.CommonParameters()))
}

// defaults lists parameters as key=default.
func defaults(parameters []engine.Parameter) string {
	var text []string
	for _, p := range parameters {
		text = append(text, fmt.Sprintf("%s=%v", p.Key, p.Default))
	}
	return strings.Join(text, " ")
}

// writeMethod explains one method.
func writeMethod(w io.Writer, e engine.Entry) {
	fmt.Fprintf(w, "%s: %s\n%s\n%s\n\n", e.Name, e.Title, e.Summary, e.Source)
	for _, p := range e.Parameters {
		allowed := strings.ReplaceAll(p.Allowed, "|", ", ")
		if allowed != "" {
			allowed = " (" + p.Type + ", " + allowed + ")"
		} else {
			allowed = " (" + p.Type + ")"
		}
		fmt.Fprintf(w, "  %s=%v%s\n      %s\n", p.Key, p.Default, allowed, wrapped(p.Meaning, 6))
	}
}
