//go:build !bench

package main

import "github.com/spf13/cobra"

// program returns the command for a command line.
func program(inv *invocation, args []string) (*cobra.Command, []string) {
	return rootFor(inv, args), args
}
