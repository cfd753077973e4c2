package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
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
	self func() (string, error) // the file of this program
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
	s := &selfTest{invocation: inv, self: os.Executable}
	cmd := &cobra.Command{
		Use:   "selftest [flags]",
		Short: "Check the numerics of this program on this machine",
		Long: `Selftest computes small problems whose answers are known, from a computation in twice
the precision or from a formula: products, eigenvalues, factors, steps of
factorisations, neighbours, files. It does so with every backend and at every
instruction level of this processor, each in a process of its own, in about ten
seconds. Where it cannot start itself, as under an emulator, it checks the level of its
own process, and a warning says so.

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
		one, err = s.one(ctx, s.kernels)
		all = []tested{one}
	} else {
		all, err = s.each(ctx)
		if refused, is := errors.AsType[*startError](err); is {
			all, err = s.inThisProcess(ctx, refused.Err)
		}
	}
	if err != nil {
		return err
	}
	return s.report(all, time.Since(begun).Seconds())
}

// one does all checks with these kernels in this process.
func (s *selfTest) one(ctx context.Context, kernels *blas.Kernels) (tested, error) {
	folder, err := os.MkdirTemp("", "orthant-selftest-")
	if err != nil {
		return tested{}, err
	}
	defer os.RemoveAll(folder)
	t := tested{Backend: kernels.Choice, ISA: levelInUse()}
	begun := time.Now()
	err = selftest.Run(ctx, selftest.Options{Kernels: kernels, Folder: folder, Formats: []string{".parquet"}},
		func(o selftest.Outcome) { t.Checks = append(t.Checks, o) })
	t.Seconds = time.Since(begun).Seconds()
	return t, err
}

// levelInUse is the instruction level of this process.
func levelInUse() string {
	levels := blas.ISALevels()
	return levels[len(levels)-1]
}

// planned are the backends, each with the instruction levels at which it is checked. Levels apply
// to the native kernels; linked libraries choose for themselves.
func (s *selfTest) planned() []tested {
	backends := blas.Available()
	if s.backend != "" {
		backends = []string{s.kernels.Choice}
	}
	var all []tested
	for _, backend := range backends {
		for _, level := range blas.ISALevels() {
			if level == levelInUse() || backend == "auto" || backend == "native" {
				all = append(all, tested{Backend: backend, ISA: level})
			}
		}
	}
	return all
}

// each does all checks once for each backend and instruction level.
func (s *selfTest) each(ctx context.Context) ([]tested, error) {
	all := s.planned()
	self, err := s.self()
	if err != nil {
		return nil, &startError{err}
	}
	progress := s.progressOf()
	defer progress.end()
	for at, t := range all {
		if report := progress.reporting(); report != nil {
			report(engine.Progress{Phase: "checks", Done: float64(at) / float64(len(all))})
		}
		if all[at], err = selftestProcess(ctx, self, t.Backend, t.ISA); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// inThisProcess does the planned checks of the level of this process. Other
// levels need a process of their own, which could not be started; a warning names them.
func (s *selfTest) inThisProcess(ctx context.Context, why error) ([]tested, error) {
	var done []tested
	for _, t := range s.planned() {
		if t.ISA != levelInUse() {
			continue
		}
		kernels, err := blas.Select(t.Backend)
		if err != nil {
			return nil, err
		}
		one, err := s.one(ctx, kernels)
		if err != nil {
			return nil, err
		}
		done = append(done, one)
	}
	rest := ""
	if levels := blas.ISALevels(); len(levels) > 1 {
		others := levels[:len(levels)-1]
		rest = fmt.Sprintf("; not checked: %s (run \"ORTHANT_ISA=%s orthant selftest\")", strings.Join(others, ", "), others[0])
	}
	s.warn("no process can be started here (%v): only the instruction level of this process, %s, was checked%s", why, levelInUse(), rest)
	return done, nil
}

// startError is why a process could not be started.
type startError struct{ Err error }

func (e *startError) Error() string { return e.Err.Error() }

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

// levelsOfNative is the number of levels at which native was checked.
func levelsOfNative(all []tested) (count int) {
	for _, t := range all {
		if t.Backend == "native" {
			count++
		}
	}
	return count
}

// selftestProcess does the checks of one backend at one level in a process of its own:
// the level is chosen when a process starts, and an instruction that a processor does not
// know ends the process, which is then an outcome like others.
func selftestProcess(ctx context.Context, self, backend, level string) (tested, error) {
	cmd := exec.CommandContext(ctx, self, "selftest", "--here", "--backend", backend, "--json")
	cmd.Env = append(os.Environ(), "ORTHANT_ISA="+level)
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	err := cmd.Start()
	if err != nil && ctx.Err() == nil {
		return tested{}, &startError{err}
	} else if err == nil {
		err = cmd.Wait()
	}
	if ended := ctx.Err(); ended != nil {
		return tested{}, ended
	}
	if exit, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		return tested{}, err
	} else if ended && exit.ExitCode() != exitFailed {
		return tested{Backend: backend, ISA: level, Error: endOf(exit, said.String())}, nil
	}
	var report selftestReport
	if err := json.Unmarshal(out.Bytes(), &report); err != nil || len(report.Tested) != 1 {
		return tested{Backend: backend, ISA: level, Error: "the process wrote no report: " + firstLine(said.String())}, nil
	}
	return report.Tested[0], nil
}

// endOf says how a process ended and the first line that it said.
func endOf(exit *exec.ExitError, said string) string {
	text := "the process ended with " + exit.ProcessState.String()
	if line := firstLine(said); line != "" {
		text += ": " + line
	}
	return text
}

// firstLine is the first line of an error, without what Go adds of its stack.
func firstLine(said string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	return line
}

// selftestReport is the JSON of "orthant selftest".
type selftestReport struct {
	Version string  `json:"version"`
	Machine machine `json:"machine"`
	Passed  bool    `json:"passed"`
	// DifferentBits names checks of native whose results differ between instruction levels.
	DifferentBits []string `json:"different_bits"`
	Tested        []tested `json:"tested"`
	Warnings      []string `json:"warnings,omitempty"`
	Seconds       float64  `json:"seconds"`
}

// report prints what came of the checks; a check that failed is an error.
func (s *selfTest) report(all []tested, seconds float64) error {
	different := differentBits(all)
	failed := failures(all)
	if len(different) > 0 {
		failed = append(failed, "other bits at another instruction level: "+strings.Join(different, ", "))
	}
	if s.json {
		r := selftestReport{versionText(), s.machine(), len(failed) == 0, list(different), all, list(s.warnings), seconds}
		if err := s.printJSON(r); err != nil {
			return err
		}
	} else if err := s.write([]byte(selftestTable(all))); err != nil {
		return err
	}
	if len(failed) > 0 {
		return errors.New(strings.Join(failed, "; ") + " (please report this, with the output of \"orthant selftest --json\")")
	}
	if len(all) > 1 {
		line(s.say(), "passed", "%s with %s, in %s", counted(len(all[0].Checks), "check"), counted(len(all), "backend and instruction level"), duration(seconds))
	} else {
		line(s.say(), "passed", "%s, in %s", counted(len(all[0].Checks), "check"), duration(seconds))
	}
	if levelsOfNative(all) > 1 {
		line(s.say(), "bits", "of native the same at every level")
	}
	return nil
}

// failures says which checks failed, and where.
func failures(all []tested) []string {
	var failed []string
	for _, t := range all {
		where := t.Backend + " at " + t.ISA
		if t.Error != "" {
			failed = append(failed, where+": "+t.Error)
		}
		for _, c := range t.Checks {
			switch {
			case c.Error != "":
				failed = append(failed, fmt.Sprintf("%s: %s: %s", where, c.Name, c.Error))
			case !c.Passed:
				failed = append(failed, fmt.Sprintf("%s: %s: ratio %s, threshold %g", where, c.Name, ratioText(c.Ratio), c.Threshold))
			}
		}
	}
	return failed
}

// selftestTable lays the ratios out, a line a check.
func selftestTable(all []tested) string {
	var b strings.Builder
	names, width := []string{}, 0
	row := map[string][]string{}
	for at, t := range all {
		for _, c := range t.Checks {
			if _, is := row[c.Name]; !is {
				names = append(names, c.Name)
				row[c.Name] = []string{fmt.Sprintf("%g", c.Threshold)}
				width = max(width, len(c.Name))
			}
			for len(row[c.Name]) <= at {
				row[c.Name] = append(row[c.Name], "–")
			}
			text := ratioText(c.Ratio)
			if !c.Passed {
				text += " !"
			}
			row[c.Name] = append(row[c.Name], text)
		}
	}
	fmt.Fprintf(&b, "%-*s  at most", width, "largest ratios")
	columns := make([]int, len(all))
	for at, t := range all {
		heading := t.Backend
		if t.Backend == "auto" || t.Backend == "native" {
			heading += "/" + t.ISA
		}
		columns[at] = max(len(heading), 7)
		fmt.Fprintf(&b, "  %*s", columns[at], heading)
	}
	b.WriteByte('\n')
	for _, name := range names {
		fmt.Fprintf(&b, "%-*s  %7s", width, name, row[name][0])
		for at, text := range row[name][1:] {
			fmt.Fprintf(&b, "  %*s", columns[at], text)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// ratioText prints a ratio with three digits.
func ratioText(ratio float64) string {
	switch {
	case ratio == math.MaxFloat64:
		return "NaN"
	case ratio == 0:
		return "0"
	case ratio < 0.001 || ratio >= 1000:
		return fmt.Sprintf("%.1e", ratio)
	}
	return fmt.Sprintf("%.3g", ratio)
}
