package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/cmd/internal/serve"
)

const rootHelp = `Orthant finds the few coordinates that lie behind many: manifold learning and
nonnegative embedding, fast, from the command line. Samples are rows.

Files are .npy, .npz (file.npz:name), .csv, .tsv, .txt, .dat, .asc, .mtx, .mat
(file.mat:name) or .parquet (file.parquet:column,column), as their extension says, and
compressed if .gz or .zst follows it. "-" is standard input or output as .npy. Results go to
files, messages to standard error.`

const rootExample = `  orthant generate swiss-roll --samples 1500 --out x.npy --out-params t.npy
  orthant embed --method neml --in x.npy --neighbors 15 --out y.npy --plot y.png --color t.npy
  orthant evaluate --metric dev --truth t.npy --embedding y.npy`

func init() {
	cobra.EnableCommandSorting = false // subcommands are in the order of a session
}

// subcommand is a command below the root, made for one run.
type subcommand struct {
	name string
	make func(*invocation) *cobra.Command
}

// subcommands are those that a batch runs, too.
func subcommands() []subcommand {
	return []subcommand{
		{"generate", newGenerate}, {"embed", newEmbed}, {"transform", newTransform}, {"factorize", newFactorize},
		{"cluster", newCluster}, {"select", newSelect}, {"evaluate", newEvaluate}, {"verify", newVerify}, {"neighbors", newNeighbors},
		{"denoise", newDenoise}, {"explore", newExplore}, {"eigs", newEigs}, {"svds", newSvds}, {"solve", newSolve},
	}
}

func allSubcommands() []subcommand {
	list := append(subcommands(), subcommand{"compare", newCompare}, subcommand{"batch", newBatch}, subcommand{"methods", newMethods})
	list = append(list, suitesElsewhere...)
	list = append(list, subcommand{"serve", func(inv *invocation) *cobra.Command { return serve.Command(inv.in, inv.out, version) }})
	return append(list, subcommand{"info", newInfo}, subcommand{"explain", newExplain}, subcommand{"selftest", newSelftest}, subcommand{"version", newVersion}, subcommand{"man", newMan})
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
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			inv.command = cmd.CommandPath()
			if err := inv.begin(); err != nil {
				return err
			}
			if err := inv.checkText(cmd.Flags()); err != nil {
				return err
			}
			return inv.checkFlagFiles(cmd, args)
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

// begin checks the common flags and puts them into effect.
func (inv *invocation) begin() error {
	if inv.threads < 0 || inv.threads > maxThreads {
		return wrong("--threads is %d; give a number from 1 to %d, or 0 for all cores", inv.threads, maxThreads)
	}
	if known := []string{"auto", "always", "never"}; !slices.Contains(known, inv.progress) {
		return wrong("--progress is %q; give one of %s", inv.progress, strings.Join(known, ", "))
	}
	kernels, err := blas.Select(inv.backend)
	if err != nil {
		return &inputError{Err: err}
	}
	inv.kernels = kernels
	if err := inv.bound(); err != nil {
		return err
	}
	if inv.verbose {
		writeInfo(inv.err, blas.Describe(kernels), inv.limits)
	}
	return nil
}
