package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/internal/release"
	"github.com/orthant-go/orthant/internal/suggest"
)

// version is set when a release is linked (-ldflags "-X main.version=…").
var version string

const rootHelp = `Orthant finds the few coordinates that lie behind many: manifold learning and
nonnegative embedding, fast, from the command line. Samples are rows.

Files are .npy, .npz (file.npz:name), .csv, .tsv, .mtx, .mat (file.mat:name) or
.parquet (file.parquet:column,column), as their extension says, and compressed if
.gz or .zst follows it. "-" is standard input or output as .npy. Results go to
files, messages to standard error.`

const rootExample = `  orthant generate swiss-roll --samples 1500 --out x.npy --out-params t.npy
  orthant embed --method neml --in x.npy --neighbors 15 --out y.npy --plot y.png --color t.npy
  orthant evaluate --metric dev --truth t.npy --embedding y.npy`

const rootStatuses = `Exit status:
    0   done
    1   failed: a full disk, a job of a batch, an internal error
    2   the command line or an input is wrong; one line says which
    3   no convergence; or, from verify and with --strict, a verdict against the
        result; the best result found is written
  130   interrupted; nothing half-written is left
`

func init() {
	cobra.EnableCommandSorting = false // subcommands are in the order of a session
}

// subcommand is a command below the root, made for one run.
type subcommand struct {
	name string
	make func(*invocation) *cobra.Command
}

// subcommands are those that work with data.
func subcommands() []subcommand {
	return []subcommand{
		{"generate", newGenerate}, {"embed", newEmbed}, {"transform", newTransform}, {"factorize", newFactorize},
		{"cluster", newCluster}, {"select", newSelect}, {"evaluate", newEvaluate}, {"verify", newVerify}, {"neighbors", newNeighbors},
		{"denoise", newDenoise},
	}
}

func allSubcommands() []subcommand {
	list := append(subcommands(), subcommand{"compare", newCompare}, subcommand{"batch", newBatch}, subcommand{"methods", newMethods})
	list = append(list, suitesElsewhere...)
	return append(list, subcommand{"info", newInfo}, subcommand{"selftest", newSelftest}, subcommand{"version", newVersion}, subcommand{"man", newMan})
}

// newRoot returns the command with all its subcommands.
func newRoot(inv *invocation) *cobra.Command {
	root := rootOf(inv)
	for _, c := range allSubcommands() {
		root.AddCommand(c.make(inv))
	}
	root.SetHelpCommand(newHelp(root))
	return root
}

// rootFor returns the command for one command line: with the subcommand that the line
// begins with, if it does, because to make the others takes longer than many runs.
func rootFor(inv *invocation, args []string) *cobra.Command {
	for _, c := range allSubcommands() {
		if len(args) > 0 && args[0] == c.name {
			root := rootOf(inv, c.make)
			root.SetHelpCommand(newHelp(root))
			return root
		}
	}
	return newRoot(inv)
}

// rootOf returns the command with some of its subcommands.
func rootOf(inv *invocation, subcommands ...func(*invocation) *cobra.Command) *cobra.Command {
	root := &cobra.Command{
		Use:     "orthant",
		Short:   "Embed data sets",
		Long:    rootHelp,
		Example: rootExample,

		SilenceUsage:       true,
		SilenceErrors:      true,
		DisableSuggestions: true, // they take several lines
		CompletionOptions:  cobra.CompletionOptions{HiddenDefaultCmd: true},
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			inv.command = cmd.CommandPath()
			if err := inv.begin(); err != nil {
				return err
			}
			return inv.checkFlagFiles(cmd)
		},
	}
	root.SetIn(inv.in)
	root.SetOut(inv.out)
	root.SetErr(inv.err)
	// cobra's own flag prints by a template, with which the linker keeps the methods of all types.
	version := root.Flags().Bool("version", false, "print the version")
	root.RunE = func(cmd *cobra.Command, _ []string) error {
		if *version {
			return inv.print("%s %s\n", root.Name(), versionText())
		}
		return cmd.Help()
	}
	root.PersistentFlags().SortFlags = false
	inv.commonFlags(root.PersistentFlags())
	root.PersistentFlags().Bool(helpAll, false, "explain all flags of a command")
	root.SetFlagErrorFunc(explainFlagError)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { writeHelp(inv.out, cmd) })
	for _, make := range subcommands {
		root.AddCommand(make(inv))
	}
	return root
}

func newVersion(inv *invocation) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			if inv.json {
				return inv.printJSON(versionReport{runtime.Version(), versionText()})
			}
			return inv.print("orthant %s\n", versionText())
		},
	}
}

// versionReport is what --json prints of the version.
type versionReport struct {
	Go      string `json:"go"`
	Version string `json:"version"`
}

// versionText says which version this is, and what it was built with and for.
func versionText() string {
	return fmt.Sprintf("%s (%s %s/%s)", release.Text(version), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

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
var rarelyUsed = []string{"backend", "progress", "verbose"}

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
