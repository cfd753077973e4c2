package bench

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

// tapkeeMethods are the names that Tapkee gives to methods of ours.
var tapkeeMethods = map[string]string{
	"lle": "lle", "ltsa": "ltsa", "hlle": "hlle", "isomap": "isomap", "pca": "pca", "mds": "mds", "le": "la", "lpp": "lpp", "npp": "npe",
}

// Tapkee is a case that runs Tapkee's command on a data set, with params
// neighbors and dim and otherwise what Tapkee takes by itself, but for the vantage
// point tree that finds its neighbours. Times are those of the whole process,
// which reads and writes text: beside it belongs a [Command] that does so, too.
// It writes six digits.
func Tapkee(name string, data Source, method string, params map[string]any, list ...Measure) Case {
	return Case{
		Name: name, Data: data.Name(), N: data.N, Method: "Tapkee " + method, Params: params,
		Needs: append(data.Needs(), "peer:tapkee"),
		Run: func(ctx context.Context, e *Env, c *Case) (*Outcome, error) {
			known, found := tapkeeMethods[method]
			if !found {
				return nil, fmt.Errorf("tapkee has no method %s here", method)
			}
			args := []string{e.Tapkee, "--method", known, "--neighbors-method", "vptree"}
			for key, flag := range map[string]string{"neighbors": "--num-neighbors", "dim": "--target-dimension"} {
				if v, given := c.Params[key]; given {
					args = append(args, flag, fmt.Sprint(v))
				}
			}
			out, _, err := runWhole(ctx, e, c, data, ".csv", list, func(in, out string) process {
				return process{args: append(args, "--input-file", in, "--output-file", out), env: []string{fmt.Sprintf("OMP_NUM_THREADS=%d", c.ThreadCount())}}
			})
			if out != nil {
				out.Backend = "Tapkee"
			}
			return out, err
		},
	}
}

// runWhole runs a process that reads the samples from one file and writes the
// embedding to another, and returns what it printed, too.
func runWhole(ctx context.Context, e *Env, c *Case, data Source, extension string, list []Measure, command func(in, out string) process) (*Outcome, []byte, error) {
	d, err := data.Load(e)
	if err != nil {
		return nil, nil, err
	}
	dir, err := e.folder()
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	in, err := d.saved(dir, extension)
	if err != nil {
		return nil, nil, err
	}
	result := filepath.Join(dir, "y"+extension)
	cost, err := command(in, result).run(ctx)
	if err != nil {
		return nil, nil, err
	}
	y, err := files.ReadMatrix(result, files.Options{AllowNonFinite: true})
	if err != nil {
		return nil, nil, err
	}
	n, m := d.X.Dims()
	if rows, cols := y.Dims(); rows != n && cols == n {
		y = mat.DenseCopyOf(y.T()) // older versions of Tapkee write a column a sample
	}
	out := &Outcome{
		Seconds: engine.Seconds{"total": cost.wall}, CPUSeconds: engine.Seconds{"total": cost.cpu},
		PeakBytes: cost.peak, Samples: n, Features: m, DataHash: d.Hash,
	}
	return out, cost.out, assess(ctx, c, list, d, y, out)
}
