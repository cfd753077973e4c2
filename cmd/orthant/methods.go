package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

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
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return methodNames(""), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error { return inv.showMethods(args) },
	}
}

// listed returns the methods with their own parameters. What every command says
// about them in its help is to cost a run in a batch nothing.
var listed = sync.OnceValue(engine.Methods)

// allMethods returns the methods with every key that --set takes.
func allMethods() []engine.Entry {
	entries := engine.Methods()
	for i := range entries {
		entries[i].Parameters = append(entries[i].Parameters, sharedParameters(entries[i])...)
	}
	return entries
}

// sharedParameters are those that a method has besides its own, by its tasks.
func sharedParameters(e engine.Entry) []engine.Parameter {
	switch {
	case slices.Contains(e.Tasks, "embed"):
		return engine.CommonParameters()
	case slices.Contains(e.Tasks, "cluster"):
		return engine.ClusterParameters()
	case slices.Contains(e.Tasks, "select"):
		return engine.SelectParameters()
	}
	return engine.FactorizeParameters()
}

// methodNames lists the methods for a task, or all of them.
func methodNames(task string) []string {
	var names []string
	for _, e := range listed() {
		if task == "" || slices.Contains(e.Tasks, task) {
			names = append(names, e.Name)
		}
	}
	return names
}

// sparseNames lists the methods of a task that keep sparse samples so.
func sparseNames(task string) string {
	var names []string
	for _, e := range listed() {
		if e.KeepsSparse && slices.Contains(e.Tasks, task) {
			names = append(names, e.Name)
		}
	}
	return strings.Join(names, ", ")
}

// missingKey is the key of the parameter that --missing sets.
const missingKey = "missing"

// refuseMissing refuses the parameter that has a flag of its own, which the readers of the samples go by too.
func refuseMissing(given settings) error {
	if text, set := given[missingKey]; set {
		return wrong("--set missing=%s is the flag --missing %s; type that", text, text)
	}
	return nil
}

// takesMissing reports whether a method takes missing and weighted entries.
func takesMissing(list []engine.Parameter) bool {
	return slices.ContainsFunc(list, func(p engine.Parameter) bool { return p.Key == missingKey })
}

// takingMissing are the names of the methods of a task that do.
func takingMissing(task string) (names []string) {
	for _, e := range engine.Methods() {
		if takesMissing(e.Parameters) && slices.Contains(e.Tasks, task) {
			names = append(names, e.Name)
		}
	}
	return names
}

// supervised reports whether a method learns from labels.
func supervised(name string) bool {
	e, err := engine.MethodNamed(name)
	return err == nil && e.Supervised
}

// methodLines lists the methods for the help of the command of a task.
func methodLines(task string) string {
	var b strings.Builder
	width := longestName()
	for _, e := range listed() {
		if slices.Contains(e.Tasks, task) {
			fmt.Fprintf(&b, "  %-*s%s\n", width, e.Name, wrapped(e.Title+": "+e.Summary, width+2))
		}
	}
	return b.String()
}

// longestName is the width of a column of names.
func longestName() int {
	width := 0
	for _, e := range listed() {
		width = max(width, len(e.Name)+2)
	}
	return width
}

func (inv *invocation) showMethods(args []string) error {
	entries := allMethods()
	if len(args) == 0 {
		if inv.json {
			return inv.printJSON(methodsReport{entries})
		}
		var b strings.Builder
		writeMethods(&b, entries)
		return inv.write([]byte(b.String()))
	}
	if _, err := engine.New(args[0]); err != nil {
		return &inputError{Err: err}
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

// methodsReport is what --json prints of all methods.
type methodsReport struct {
	Methods []engine.Entry `json:"methods"`
}

// writeMethods prints one block a method: name, title, parameters with defaults.
func writeMethods(w io.Writer, entries []engine.Entry) {
	width := longestName()
	for _, e := range entries {
		own := len(e.Parameters) - len(sharedParameters(e))
		fmt.Fprintf(w, "%-*s%s (%s)\n%*s%s\n", width, e.Name, e.Title, strings.Join(e.Tasks, ", "), width, "", defaults(e.Parameters[:own]))
	}
	fmt.Fprintf(w, "\n%-*s%s\n\n\"orthant methods NAME\" explains a method.\n", width, "all", defaults(engine.CommonParameters()))
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
	fmt.Fprintf(w, "%s: %s\n%s\n%s\nof \"orthant %s\"\n\n", e.Name, e.Title, e.Summary, e.Source, strings.Join(e.Tasks, "\" and \"orthant "))
	if e.Supervised {
		fmt.Fprintf(w, "  needs --labels, the class of each sample\n\n")
	}
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
