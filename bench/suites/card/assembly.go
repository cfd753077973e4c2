package card

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/sparse"
)

// assembled is the number of patches that are summed.
const assembled = 100000

const (
	ourAssembly   = "assembly/patches" + oursSide
	scipyAssembly = "assembly/coo-csr/scipy"
	plainCopy     = "assembly/copy/memory"
)

// differenceLimit is the largest relative difference of sums in another order.
const differenceLimit = 1e-12

func assemblyCases() []bench.Case {
	entries := assembled * (nearest + 1) * (nearest + 1)
	list := []bench.Case{
		{Name: ourAssembly, Method: "assembly", Run: assembleOurs},
		{Name: scipyAssembly, Method: "SciPy coo_matrix.tocsr", Run: assembleSciPy, Needs: []string{"peer:sklearn"}},
		{Name: plainCopy, Method: "copy", Run: copyMemory},
	}
	for i := range list {
		c := &list[i]
		c.Group, c.Data, c.N, c.Threads = "assembly", fmt.Sprintf("swiss-roll, %d neighbourhoods", assembled), entries, 1
		c.Params = map[string]any{"neighbors": nearest, "patches": assembled}
		c.Accuracy = []bench.Accuracy{bench.AtMost("difference", differenceLimit)}
	}
	return list
}

// assembledRoll draws the sets that are assembled.
func assembledRoll(ctx context.Context) (*neighborhoods, error) {
	return rollNeighborhoods(ctx, assembled)
}

func assembleOurs(ctx context.Context, _ *bench.Env, c *bench.Case) (*bench.Outcome, error) {
	s, err := assembledRoll(ctx)
	if err != nil {
		return nil, err
	}
	clock := engine.NewClock()
	end := clock.Phase("patches")
	p, err := s.patches(reciprocal)
	if err != nil {
		return nil, err
	}
	end()
	members, lower := len(s.sets)*(nearest+1), 0
	for i := range p.Len() {
		lower += p.Size(i)
	}
	end = clock.Phase("sum")
	a, err := sparse.Assemble(ctx, 1, len(s.sets), p)
	if err != nil {
		return nil, err
	}
	end()
	out := &bench.Outcome{Samples: c.N, Features: a.NNZ()}
	out.Seconds, out.CPUSeconds = clock.Seconds()
	// The sum alone: both sides are given their patches.
	out.Seconds["total"], out.CPUSeconds["total"] = out.Seconds["sum"], out.CPUSeconds["sum"]
	y := make([]float64, len(s.sets))
	a.MulVec(1, probe(len(s.sets)), y)
	out.Quality = map[string]float64{
		"difference":    difference(y, s.scattered()),
		"gb-per-second": float64(8*lower+4*members+12*a.NNZ()) / out.CPUSeconds["total"] / 1e9,
	}
	return out, nil
}

func assembleSciPy(ctx context.Context, e *bench.Env, c *bench.Case) (*bench.Outcome, error) {
	s, err := assembledRoll(ctx)
	if err != nil {
		return nil, err
	}
	dir, remove, err := e.Folder()
	if err != nil {
		return nil, err
	}
	defer remove()
	sets := mat.NewDense(len(s.sets), nearest+1, nil)
	for i, set := range s.sets {
		for a, j := range set {
			sets.Set(i, a, float64(j))
		}
	}
	in, result := filepath.Join(dir, "sets.npy"), filepath.Join(dir, "y.npy")
	if err := bench.SaveMatrix(in, sets); err != nil {
		return nil, err
	}
	p, err := bench.CallPeer(ctx, dir, bench.PeerCall{Method: "coo-csr", In: in, Out: result, Threads: 1})
	if err != nil {
		return nil, err
	}
	y, err := files.ReadMatrix(result, files.Options{})
	if err != nil {
		return nil, err
	}
	out := p.Outcome()
	out.Samples, out.Quality = c.N, map[string]float64{"difference": difference(mat.Col(nil, 0, y), s.scattered())}
	return out, nil
}

// copied is how many numbers a plain copy reads and writes: more than caches hold.
const copied = 32 << 20

// copyMemory measures the bandwidth of a plain copy, on one thread.
func copyMemory(_ context.Context, _ *bench.Env, c *bench.Case) (*bench.Outcome, error) {
	from, to := make([]float64, copied), make([]float64, copied)
	for i := range from {
		from[i], to[i] = float64(i), 1
	}
	clock := engine.NewClock()
	copy(to, from)
	out := &bench.Outcome{Samples: c.N, Features: copied}
	out.Seconds, out.CPUSeconds = clock.Seconds()
	out.Quality = map[string]float64{"difference": differing(to, from), "gb-per-second": 16 * copied / out.CPUSeconds["total"] / 1e9}
	return out, nil
}

func assemblyClaims() []bench.Claim {
	return []bench.Claim{{
		Name: "assembly/scipy", Source: "orthant", Paper: "no slower",
		Statement: "The sum of 100 000 patches into a matrix takes no more processor time than SciPy's coo → csr of the same entries, and is as exact.",
		Check: func(r *bench.Records) bench.Finding {
			f, ready := r.Sound(ourAssembly, scipyAssembly)
			if !ready {
				return f
			}
			a, _ := r.CPU(ourAssembly)
			b, _ := r.CPU(scipyAssembly)
			ours := []string{fmt.Sprintf("%.3g times as fast, %.3g entries a second; %s to %s", b/a, rate(r, ourAssembly), r.AccuracyCell(ourAssembly).Text, r.AccuracyCell(scipyAssembly).Text)}
			if share, known := bandwidthShare(r); known {
				ours = append(ours, fmt.Sprintf("%.0f %% of a plain copy's bandwidth", 100*share))
			}
			var why []string
			if b < a {
				why = []string{"SciPy takes less"}
			}
			return r.SpeedFinding(b >= a, strings.Join(ours, "; "), f.Cases, why...)
		},
	}}
}

// bandwidthShare is what of a plain copy's bandwidth the assembly reaches, counting what
// it has to read and write at least.
func bandwidthShare(r *bench.Records) (share float64, known bool) {
	a, found := r.Quality(ourAssembly, "gb-per-second")
	b, both := r.Quality(plainCopy, "gb-per-second")
	return a / b, found && both && b > 0
}

func assemblySections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"", "CPU and error", "entries a second", "GB/s"}}
	for _, name := range []string{ourAssembly, scipyAssembly, plainCopy} {
		entries := func(*bench.Record) string { return fmt.Sprintf("%.3g", rate(r, name)) }
		if name == plainCopy {
			entries = func(*bench.Record) string { return "" }
		}
		t.Rows = append(t.Rows, []bench.Cell{{Text: strings.TrimPrefix(name, "assembly/")}, r.TimedCell(name, "total"), r.Cell(name, entries), r.QualityCell(name, "gb-per-second", "%.2f")})
	}
	return []bench.Section{{Title: "Assembly of an alignment matrix, one thread", Table: t,
		Text: "The bytes of the assembly are those that it has to read and write at least: the lower triangles and sets of the patches once, and the matrix once."}}
}
