package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/internal/suggest"
)

func newHelp(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use: "help [command]", Short: "Explain a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return unknownCommand(root, strings.Join(args, " "))
			}
			return about.Help()
		},
	}
}

// noArguments refuses arguments that are not flags.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return wrong("unexpected argument %q; values follow their flag, as in --in x.npy", args[0])
	}
	return nil
}

// explainUnknownCommand rephrases cobra's complaint about the name of a command.
func explainUnknownCommand(root *cobra.Command, err error) error {
	var name string
	if _, other := fmt.Sscanf(err.Error(), "unknown command %q", &name); other != nil {
		return err
	}
	return unknownCommand(root, name)
}

func unknownCommand(root *cobra.Command, name string) error {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return wrong("unknown command %q%s; there are %s", name, suggest.Hint(name, names), strings.Join(names, ", "))
}

// explainFlagError rephrases what pflag says about a flag: what was wrong and
// how to correct it.
func explainFlagError(cmd *cobra.Command, err error) error {
	if e, ok := errors.AsType[*pflag.NotExistError](err); ok && len(e.GetSpecifiedName()) > 1 {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		name := "--" + e.GetSpecifiedName()
		return wrong("unknown flag %s%s; see %s --help", name, suggest.Hint(name, names), cmd.CommandPath())
	}
	if e, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return wrong("--%s is %q; %s", e.GetFlag().Name, e.GetValue(), wanted(e.GetFlag(), e.Unwrap()))
	}
	if e, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		return wrong("--%s needs a value; see %s --help", e.GetFlag().Name, cmd.CommandPath())
	}
	return wrong("%w; see %s --help", err, cmd.CommandPath())
}

// wanted says what a flag takes, after an error about its value.
func wanted(f *pflag.Flag, err error) string {
	want := map[string]string{"int": "give a whole number", "uint64": "give a whole number, 0 or more", "bool": "give true or false", "float64": "give a number"}[f.Value.Type()]
	if want == "" {
		want = err.Error()
	}
	return want
}

// helpColumns is the width of help texts.
const helpColumns = 110

// writeHelp prints the help of a command: what it does, how to call it, an
// example, and the flags by heading.
func writeHelp(w io.Writer, cmd *cobra.Command) {
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	fmt.Fprintf(w, "%s\n\n", filled(text))
	if cmd.HasParent() {
		fmt.Fprintf(w, "Usage:\n  %s\n\n", cmd.UseLine())
	} else {
		fmt.Fprintf(w, "Usage:\n  %s COMMAND [flags]\n\nCommands:\n", cmd.Name())
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() {
				fmt.Fprintf(w, "  %-11s%s\n", c.Name(), c.Short)
			}
		}
		fmt.Fprintln(w)
	}
	if cmd.Example != "" {
		fmt.Fprintf(w, "Example:\n%s\n\n", cmd.Example)
	}
	writeFlags(w, cmd)
	if !cmd.HasParent() {
		fmt.Fprintf(w, "%s\n\"%[2]s COMMAND --help\" explains a command. \"%[2]s completion bash\" (or zsh, fish) prints\nthe completion for that shell.\n", rootStatuses, cmd.Name())
	}
}

// helpAll is the flag that explains all flags, where --help explains the usual ones.
const helpAll = "help-all"

// withHelp adds --help to a command line with --help-all, so that cobra explains the command
// before it looks at the rest of the line.
func withHelp(args []string) []string {
	if slices.Contains(args, "--"+helpAll) {
		return append(slices.Clone(args), "--help")
	}
	return args
}

// rarelyUsed are the common flags that --help leaves to --help-all.
var rarelyUsed = []string{overwriteInput, "backend", "progress", "verbose"}

// writeFlags prints the flags of a command under their headings, the common ones last: all of
// them, or the usual ones where the command names these.
func writeFlags(w io.Writer, cmd *cobra.Command) {
	const common = "Common flags"
	var headings []string
	groups := map[string]*pflag.FlagSet{}
	add := func(heading string, f *pflag.Flag) {
		if groups[heading] == nil {
			groups[heading] = pflag.NewFlagSet(heading, pflag.ContinueOnError)
			groups[heading].SortFlags = false
			headings = append(headings, heading)
		}
		shown := *f
		shown.Usage = filled(f.Usage)
		groups[heading].AddFlag(&shown)
	}
	all, chosen, hidden := cmd.Root().PersistentFlags().Lookup(helpAll).Changed, false, 0
	cmd.Flags().VisitAll(func(f *pflag.Flag) { chosen = chosen || f.Annotations[usualKey] != nil })
	show := func(heading string, f *pflag.Flag, usual bool) {
		if chosen && !all && !usual {
			hidden++
			return
		}
		add(heading, f)
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if heading := f.Annotations[headingKey]; heading != nil {
			show(heading[0], f, f.Annotations[usualKey] != nil)
		}
	})
	cmd.Root().PersistentFlags().VisitAll(func(f *pflag.Flag) { show(common, f, !slices.Contains(rarelyUsed, f.Name)) })
	for _, heading := range headings {
		fmt.Fprintf(w, "%s:\n%s\n", heading, groups[heading].FlagUsagesWrapped(helpColumns))
	}
	if hidden > 0 {
		fmt.Fprintf(w, "\"%s --help-all\" explains %d more flags.\n", cmd.CommandPath(), hidden)
	}
}

// wrapped breaks text into lines that fit next to an indentation.
func wrapped(text string, indentation int) string {
	var b strings.Builder
	at := indentation
	for i, word := range strings.Fields(text) {
		width := len([]rune(word))
		switch {
		case i == 0:
		case at+1+width > helpColumns:
			b.WriteString("\n" + strings.Repeat(" ", indentation))
			at = indentation
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += width
	}
	return b.String()
}

// What the texts of a command say of all methods takes longer to list than many runs, so
// that a mark replaces it until a text is shown.
const (
	namesOf  = "{names of the methods for "
	linesOf  = "{lines on the methods for "
	sparseOf = "{methods that keep sparse samples sparse for "
)

// late is the mark of what is listed of the methods for a task.
func late(what, task string) string { return what + task + "}" }

// filled fills in the marks of a text. A list continues at the column of its mark.
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
