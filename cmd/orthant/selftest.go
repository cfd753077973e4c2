package main

import (
	"context"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/selftest"
)

// selfTest is one "orthant selftest".
type selfTest struct {
	*invocation
	here bool
}

// tested is what came of all checks with one backend at one instruction level.
type tested struct {
	Backend string             `json:"backend"`
	ISA     string             `json:"isa"`
	Checks  []selftest.Outcome `json:"checks"`
	Error   string             `json:"error,omitempty"` // what ended the process before its checks were done
	Seconds float64            `json:"seconds"`
}

func newSelftest(inv *invocation) *cobra.Command {
	s := &selfTest{invocation: inv}
	cmd := &cobra.Command{
		Use:   "selftest [flags]",
		Short: "Check the numerics of this program on this machine",
		Long: `Selftest computes small problems whose answers are known, from a computation in twice
the precision or from a formula: products, eigenvalues, factors, steps of
factorisations, neighbours, files. It does so with every backend and at every
instruction level of this processor, each in a process of its own, in about ten
seconds.

Every check gives the largest ratio of an error to the error that rounding explains.
It passes if this ratio is at most the threshold. The results of "native" must have
the same bits at all levels.

Status 0: all checks passed; 1: one did not. Add the output of "orthant selftest
--json" to a bug report, and run it on a new kind of processor.`,
		Example: `  orthant selftest
  orthant selftest --json > selftest.json
  ORTHANT_ISA=avx2 orthant selftest --here --backend native`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return s.run(cmd.Context()) },
	}
	addGroup(cmd, "What to check", func(f *pflag.FlagSet) {
		f.BoolVar(&s.here, "here", false, "check only the backend and the instruction level of this process ($ORTHANT_ISA), and start no other")
	})
	return cmd
}

func (s *selfTest) run(ctx context.Context) error {
	begun := time.Now()
	var all []tested
	var err error
	if s.here {
		var one tested
		one, err = s.one(ctx)
		all = []tested{one}
	} else {
		all, err = s.each(ctx)
	}
	if err != nil {
		return err
	}
	return s.report(all, time.Since(begun).Seconds())
}

// one does all checks in this process.
func (s *selfTest) one(ctx context.Context) (tested, error) {
	folder, err := os.MkdirTemp("", "orthant-selftest-")
	if err != nil {
		return tested{}, err
	}
	defer os.RemoveAll(folder)
	levels := blas.ISALevels()
	t := tested{Backend: s.kernels.Choice, ISA: levels[len(levels)-1]}
	begun := time.Now()
	err = selftest.Run(ctx, selftest.Options{Kernels: s.kernels, Folder: folder, Formats: []string{".parquet"}},
		func(o selftest.Outcome) { t.Checks = append(t.Checks, o) })
	t.Seconds = time.Since(begun).Seconds()
	return t, err
}

// each does all checks once for each backend and instruction level. Levels are those of
// the native kernels; linked libraries choose for themselves.
func (s *selfTest) each(ctx context.Context) ([]tested, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	levels := blas.ISALevels()
	backends := blas.Available()
	if s.backend != "" {
		backends = []string{s.kernels.Choice}
	}
	var all []tested
	for _, backend := range backends {
		for at, level := range levels {
			if at < len(levels)-1 && backend != "auto" && backend != "native" {
				continue
			}
			all = append(all, tested{Backend: backend, ISA: level})
		}
	}
	progress := s.progressOf()
	defer progress.end()
	for at, t := range all {
		if tell := progress.told(); tell != nil {
			tell(engine.Progress{Phase: "checks", Done: float64(at) / float64(len(all))})
		}
		if all[at], err = selftestProcess(ctx, self, t.Backend, t.ISA); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// differentBits names the checks whose results are not the same at all levels.
func differentBits(all []tested) []string {
	var names []string
	bits := map[string]string{}
	for _, t := range all {
		if t.Backend != "native" {
			continue
		}
		for _, c := range t.Checks {
			first, is := bits[c.Name]
			if !is {
				bits[c.Name] = c.Bits
			} else if c.Bits != first && !slices.Contains(names, c.Name) {
				names = append(names, c.Name)
			}
		}
	}
	return names
}
