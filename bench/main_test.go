package bench

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/must"
)

// runAsRunner makes the test binary a process that runs the suite "selftest", or
// one case of it.
const runAsRunner = "ORTHANT_BENCH_TEST_RUN"

func TestMain(m *testing.M) {
	if os.Getenv(runAsRunner) == "1" {
		if err := asRunner(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// asRunner takes "run FOLDER", or the arguments of the hidden command.
func asRunner(args []string) error {
	if args[0] == "run" {
		_, err := Run(context.Background(), Suites{selfTest}, &Env{}, Options{Out: args[1], Version: "test"})
		return err
	}
	number, err := strconv.Atoi(args[slices.Index(args, "--repeat")+1])
	if err != nil {
		return err
	}
	var out io.Writer = os.Stdout
	return RunCase(context.Background(), Suites{selfTest}, args[1], args[2], number, &Env{Quick: slices.Contains(args, "--quick")}, out)
}

// runner prepares a process of the test binary that runs the suite.
func runner(t testing.TB, folder string) *exec.Cmd {
	t.Helper()
	self := must.Get(os.Executable())(t)
	cmd := exec.Command(self, "run", folder)
	cmd.Env = append(os.Environ(), runAsRunner+"=1", "GORACE=atexit_sleep_ms=0")
	return cmd
}

// spin takes processor time.
func spin(d time.Duration) float64 {
	x := 1.0
	for start, _ := ProcessorSeconds(); ; {
		for range 2000 {
			x += 1 / x
		}
		if now, _ := ProcessorSeconds(); now-start >= d.Seconds() {
			return x
		}
	}
}

// spinning is a case that spins for some milliseconds.
func spinning(name, group string, milliseconds int) Case {
	return Case{
		Name: name, Group: group, Method: "spin", Params: map[string]any{"ms": milliseconds},
		Run: func(context.Context, *Env, *Case) (*Outcome, error) {
			spin(time.Duration(milliseconds) * time.Millisecond)
			return &Outcome{Quality: map[string]float64{"ms": float64(milliseconds)}, DataHash: "none", Samples: 3, Features: 2}, nil
		},
	}
}

// selfTest has a case of every kind, all of them short.
var selfTest = Suite{
	Name: "selftest", Title: "The harness itself",
	Cases: func(e *Env) []Case {
		fresh := spinning("fresh", "", 2)
		fresh.Fresh, fresh.Repeats = true, 2
		picture := Case{Name: "picture", Repeats: 2, Run: func(context.Context, *Env, *Case) (*Outcome, error) {
			return &Outcome{
				Pictures: map[string]*Picture{"y": {Points: mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6}), Labels: []int64{0, 1, 1}}},
				Series:   map[string][]float64{"error": {3, 2, 1}},
			}, nil
		}}
		absent := spinning("absent", "", 1)
		absent.Needs = []string{"data:no-such-file.npy"}
		full := spinning("full", "", 1)
		full.Full = true
		failing := Case{Name: "failing", Run: func(context.Context, *Env, *Case) (*Outcome, error) { return nil, fmt.Errorf("as it should") }}
		panicking := Case{Name: "panicking", Fresh: true, Run: func(context.Context, *Env, *Case) (*Outcome, error) { panic("as it should") }}
		return []Case{
			spinning("a", "pair", 3), fresh, spinning("b", "pair", 5), picture, absent, full, failing, panicking, spinning("last", "", 4),
		}
	},
}
