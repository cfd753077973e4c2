//go:build !bench

package main

import (
	"strings"

	"github.com/spf13/cobra"
)

// program returns the command for a command line.
func program(inv *invocation, args []string) (*cobra.Command, []string) {
	return rootFor(inv, args), args
}

// suitesElsewhere is the command that says where they are.
var suitesElsewhere = []subcommand{{"bench", newBench}}

// newBench says where the suites are, which this command does not hold.
func newBench(inv *invocation) *cobra.Command {
	const where = "the suites are a command of their own, orthant-bench (make build-bench builds bin/orthant-bench)"
	return &cobra.Command{
		Use: "bench", Short: "Say where the suites that check the papers' claims are", DisableFlagParsing: true,
		Long:    "Bench says where the suites that check the papers' claims and our own are: in a\ncommand of their own, orthant-bench, which \"make build-bench\" builds as bin/orthant-bench.",
		Example: "  orthant bench",
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) == 0:
				return inv.print("%s\n", where)
			case strings.HasPrefix(args[0], "--help") || args[0] == "-h":
				return cmd.Help()
			}
			return wrong("%s; type orthant-bench %s", where, strings.Join(args, " "))
		},
	}
}
