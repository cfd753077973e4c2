package main

import (
	"fmt"
	"io"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/internal/release"
)

func newInfo(inv *invocation) *cobra.Command {
	return &cobra.Command{
		Use:   "info",
		Short: "Describe the CPU and the linear-algebra backends",
		Long: `Info reports what this program found on this machine: the CPU and the features
that decide which code runs, how many threads and how much memory this process may take
and who says so, the backends of this build, and which of them serves each
operation. "-v" on any other command prints the same before its work.`,
		Example: `  orthant info
  orthant info --backend gonum --json`,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			about := blas.Describe(inv.kernels)
			if inv.json {
				return inv.printJSON(infoReport{versionText(), about, inv.limits})
			}
			var b strings.Builder
			writeInfo(&b, about, inv.limits)
			return inv.write([]byte(b.String()))
		},
	}
}

// infoReport is what --json prints of the machine.
type infoReport struct {
	Version string `json:"version"`
	blas.Info
	limits.Limits
}

// version is set when a release is linked (-ldflags "-X main.version=…").
var version string

// versionText says which version this is, and what it was built with and for.
func versionText() string {
	return fmt.Sprintf("%s (%s %s/%s)", release.Text(version), runtime.Version(), runtime.GOOS, runtime.GOARCH)
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

// writeInfo prints the description of the machine, aligned.
func writeInfo(w io.Writer, about blas.Info, bounds limits.Limits) {
	line(w, "orthant", "%s", versionText())
	line(w, "cpu", "%s (%s, %s)", about.CPU, about.Arch, counted(about.Cores, "core"))
	line(w, "features", "%s; kernels use %s", strings.Join(about.Features, " "), about.ISA)
	size := func(b int) string { return limits.FormatBytes(int64(b)) }
	line(w, "caches", "L1 %s, L2 %s, L3 %s", size(about.CacheL1), size(about.CacheL2), size(about.CacheL3))
	writeLimits(w, bounds)
	line(w, "backends", "%s (of %s)", strings.Join(about.Available, ", "), strings.Join(about.Known, ", "))
	chosen := about.Backend
	if about.Choice != about.Backend {
		chosen = about.Choice + ", which is " + about.Backend
	}
	if about.Library != "" {
		chosen += " (" + about.Library + ")"
	}
	line(w, "chosen", "%s", chosen)
	for _, o := range about.Operations {
		when := o.When
		if when != "" {
			when = "  " + when
		}
		fmt.Fprintf(w, "  %-41s %s%s\n", o.Operation, o.Backend, when)
	}
}
