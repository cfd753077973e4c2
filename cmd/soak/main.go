// Command soak runs "orthant batch" for long, on many small jobs of every method, first
// undisturbed and then killed every few seconds, and says whether it holds: that memory,
// descriptors and goroutines do not grow, that no job is lost and none done twice, and that
// equal jobs have equal outputs to the bit. "make soak" builds the command and runs it.
//
// It leaves OUT/soak.csv, what was sampled, and OUT/soak.png, the same as curves. It needs
// Linux, as it samples from /proc.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// soak is what a run was asked for.
type soak struct {
	orthant string        // the command, absolute
	out     string        // folder, absolute
	jobs    int           // lines of the file
	each    time.Duration // of each of the two parts
	seed    uint64
}

func main() {
	var s soak
	var seconds float64
	flag.StringVar(&s.orthant, "orthant", "bin/orthant", "the `FILE` of the command")
	flag.StringVar(&s.out, "out", "out/soak", "`FOLDER` for jobs, outputs, the table and the curves; what is in it is removed")
	flag.IntVar(&s.jobs, "jobs", 50000, "`N` jobs")
	flag.Float64Var(&seconds, "seconds", 600, "`SECONDS` undisturbed, and as many with kills")
	flag.Uint64Var(&s.seed, "seed", 1, "`SEED` of the jobs and of the moments of the kills")
	flag.Parse()
	s.each = time.Duration(seconds * float64(time.Second))
	if err := s.run(); err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
}

// run makes the jobs, takes both parts, and writes what was sampled.
func (s *soak) run() error {
	if s.jobs < 1 || s.each <= 0 {
		return fmt.Errorf("%d jobs for %v; give numbers above 0", s.jobs, s.each)
	}
	var err error
	if s.orthant, err = filepath.Abs(s.orthant); err != nil {
		return err
	}
	if s.out, err = filepath.Abs(s.out); err != nil {
		return err
	}
	if err := s.emptied(); err != nil {
		return err
	}
	jobs, err := s.makeJobs()
	if err != nil {
		return err
	}
	calm, err := s.undisturbed(jobs)
	if err != nil {
		return err
	}
	if err := writeCurves(s.out, calm.samples, nil); err != nil { // in case that the second part is broken off
		return err
	}
	killed, err := s.withKills(jobs[:calm.whole])
	if err != nil {
		return err
	}
	if err := writeCurves(s.out, calm.samples, killed.samples); err != nil {
		return err
	}
	failures := append(calm.failures, killed.failures...)
	failures = append(failures, differences(calm.digests, killed.digests)...)
	fmt.Printf("table     %s\ncurves    %s\n", filepath.Join(s.out, "soak.csv"), filepath.Join(s.out, "soak.png"))
	if len(failures) == 0 {
		fmt.Println("verdict   it holds")
		return nil
	}
	for i, f := range failures {
		if i == 20 {
			fmt.Printf("          and %d more\n", len(failures)-i)
			break
		}
		fmt.Println("failure  ", f)
	}
	return fmt.Errorf("%d failures", len(failures))
}

// emptied makes the folder anew. It removes none that it did not make itself.
func (s *soak) emptied() error {
	mark := filepath.Join(s.out, ".made-by-soak")
	if list, err := os.ReadDir(s.out); err == nil && len(list) > 0 {
		if _, err := os.Stat(mark); err != nil {
			return fmt.Errorf("%s is not empty, and no folder of an earlier soak; give another one by --out", s.out)
		}
		if err := os.RemoveAll(s.out); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(s.out, 0o777); err != nil {
		return err
	}
	return os.WriteFile(mark, nil, 0o666)
}
