package bench

import (
	"context"
	"os"
	"path/filepath"

	"github.com/orthant-go/orthant/engine/files"
)

// Sklearn is a case that runs a method of scikit-learn on a data set, in a
// process of its own: lle, mlle, hlle, ltsa, le, isomap, pca (params neighbors,
// dim, gamma), neighbors, kmeans (clusters, starts, iterations, tolerance), nmf-mu
// or nmf-cd (rank, iterations, tolerance, init_w, init_h). The totals are around
// the call alone, after Python's imports; the phase "process" is all of it. The
// measures look at the result of the first repeat: the embedding, or the
// distances, labels or factor W.
func Sklearn(name string, data Source, method string, params map[string]any, list ...Measure) Case {
	return sklearnCase(name, data, method, params, false, list)
}

// SklearnToday is [Sklearn] by the newer scikit-learn that $ORTHANT_PYTHON_TODAY names the
// Python of.
func SklearnToday(name string, data Source, method string, params map[string]any, list ...Measure) Case {
	return sklearnCase(name, data, method, params, true, list)
}

func sklearnCase(name string, data Source, method string, params map[string]any, today bool, list []Measure) Case {
	need := "peer:sklearn"
	if today {
		need = "peer:sklearn-today"
	}
	return Case{
		Name: name, Data: data.Name(), N: data.N, Method: "scikit-learn " + method, Params: params,
		Needs: append(data.Needs(), need),
		Run: func(ctx context.Context, e *Env, c *Case) (*Outcome, error) {
			d, err := data.Load(e)
			if err != nil {
				return nil, err
			}
			dir, err := e.folder()
			if err != nil {
				return nil, err
			}
			defer os.RemoveAll(dir)
			return runSklearn(ctx, c, d, dir, PeerCall{Method: method, Today: today}, list)
		},
	}
}

func runSklearn(ctx context.Context, c *Case, d *Data, dir string, call PeerCall, list []Measure) (*Outcome, error) {
	result := filepath.Join(dir, "y.npy")
	in := d.Path
	if ext := filepath.Ext(in); ext != ".npy" && ext != ".mtx" {
		var err error
		if in, err = d.saved(dir, ".npy"); err != nil {
			return nil, err
		}
	}
	call.Params, call.In, call.Out, call.Threads = c.Params, in, result, c.ThreadCount()
	peer, err := CallPeer(ctx, dir, call)
	if err != nil {
		return nil, err
	}
	y, err := files.ReadMatrix(result, files.Options{AllowNonFinite: true})
	if err != nil {
		return nil, err
	}
	n, m := d.X.Dims()
	out := peer.Outcome()
	out.Samples, out.Features, out.DataHash = n, m, d.Hash
	return out, assess(ctx, c, list, d, y, out)
}
