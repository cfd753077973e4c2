package card

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
)

// levels of the instruction set, as $ORTHANT_ISA names them.
var levels = []string{"generic", "avx2", "avx512"}

// quickLevel is the level at which --quick compares the choice with all backends; at the others it takes the choice alone.
const quickLevel = "avx2"

// choices are ours (the automatic choice), and each backend that it may choose from.
var choices = []struct{ side, backend string }{{oursSide, "auto"}, {"/native", "native"}, {"/gonum", "gonum"}, {"/openblas", "openblas"}}

// choiceOperation computes from an n × n matrix by the kernels, and says what came out.
type choiceOperation struct {
	name, group string // group is what [blas.Kernels.Operations] calls it
	n           int
	run         func(k *blas.Kernels, n int, a []float64, w *blas.Work) ([]float64, error)
}

var choiceOperations = []choiceOperation{
	{"gemm", "gemm", 512, func(k *blas.Kernels, n int, a []float64, _ *blas.Work) ([]float64, error) {
		c := make([]float64, n*n)
		k.Gemm(false, false, n, n, n, 1, a, n, a, n, 0, c, n)
		return c, nil
	}},
	{"gemv", "gemv", 2048, func(k *blas.Kernels, n int, a []float64, _ *blas.Work) ([]float64, error) {
		y := make([]float64, n)
		k.Gemv(false, n, n, 1, a, n, a[:n], 0, y)
		return y, nil
	}},
	{"symmetric eigen", "symmetric eigen", 256, func(k *blas.Kernels, n int, a []float64, w *blas.Work) ([]float64, error) {
		values := make([]float64, n)
		return values, k.SymEig(n, slices.Clone(a), n, values, w)
	}},
	{"cholesky", "cholesky", 512, func(k *blas.Kernels, n int, a []float64, _ *blas.Work) ([]float64, error) {
		l := slices.Clone(a)
		if !k.Cholesky(n, l, n) {
			return nil, fmt.Errorf("cholesky: the matrix was not found positive definite")
		}
		for i := range n {
			clear(l[i*n+i+1 : (i+1)*n])
		}
		return l, nil
	}},
	{"svd", "svd", 256, func(k *blas.Kernels, n int, a []float64, w *blas.Work) ([]float64, error) {
		s := make([]float64, n)
		return s, k.SVD(n, n, slices.Clone(a), n, s, make([]float64, n*n), n, make([]float64, n*n), n, w)
	}},
}

func choiceName(level string, op *choiceOperation, side string) string {
	return "choice/" + level + "/" + strings.ReplaceAll(op.name, " ", "-") + side
}

func choiceCases() []bench.Case {
	var list []bench.Case
	for _, level := range levels {
		for i := range choiceOperations {
			op := &choiceOperations[i]
			for _, one := range choices {
				c := bench.Case{
					Name: choiceName(level, op, one.side), Group: choiceName(level, op, ""), Data: "normal numbers, symmetric, positive definite", Method: op.name, Threads: 1,
					Params: map[string]any{"n": op.n, "isa": level, "backend": one.backend}, Fresh: true, Env: []string{"ORTHANT_ISA=" + level}, Needs: []string{"isa:" + level},
					Accuracy: []bench.Accuracy{bench.AtMost("difference", differenceLimit)},
					Run: func(ctx context.Context, _ *bench.Env, _ *bench.Case) (*bench.Outcome, error) {
						return op.measure(ctx, one.backend)
					},
				}
				if one.backend != "auto" {
					c.Needs = append(c.Needs, "backend:"+one.backend)
					c.Full = level != quickLevel
				}
				list = append(list, c)
			}
		}
	}
	return list
}

// least is how long an operation is repeated for one measurement, in processor seconds.
const least = 0.05

func (op *choiceOperation) measure(ctx context.Context, backend string) (*bench.Outcome, error) {
	k, err := blas.Select(backend)
	if err != nil {
		return nil, err
	}
	a := definite(op.n)
	work := new(blas.Work)
	got, err := op.run(k, op.n, a, work) // has caches and scratch ready
	if err != nil {
		return nil, err
	}
	clock := engine.NewClock()
	calls := 0
	var wall, cpu engine.Seconds
	for calls == 0 || cpu["total"] < least {
		if _, err := op.run(k, op.n, a, work); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		calls++
		wall, cpu = clock.Seconds()
	}
	want, err := op.run(blas.MustSelect("gonum"), op.n, a, work)
	if err != nil {
		return nil, err
	}
	return &bench.Outcome{
		Seconds: engine.Seconds{"total": wall["total"] / float64(calls)}, CPUSeconds: engine.Seconds{"total": cpu["total"] / float64(calls)},
		Samples: op.n, Features: op.n, Backend: k.Name(), ISA: blas.Describe(k).ISA, Note: op.servedBy(k),
		Quality: map[string]float64{"difference": difference(got, want)},
	}, nil
}

// servedBy says which backend the operation resolves to at its order.
func (op *choiceOperation) servedBy(k *blas.Kernels) string {
	var list []string
	for _, o := range k.Operations() {
		if o.Operation == op.group {
			list = append(list, strings.TrimSpace(o.Backend+" "+o.When))
		}
	}
	return strings.Join(list, ", ")
}

// definite is a symmetric matrix whose spectrum is far from zero.
func definite(n int) []float64 {
	a := make([]float64, n*n)
	blas.NewStream(1).Normals(a)
	for i := range n {
		for j := range i {
			a[i*n+j] = a[j*n+i]
		}
		a[i*n+i] += 4 * math.Sqrt(float64(n))
	}
	return a
}

func choiceClaims() []bench.Claim {
	var list []bench.Claim
	for _, level := range levels {
		list = append(list, bench.Claim{
			Name: "choice/" + level, Source: "orthant", Paper: "no backend of the build more than a tenth faster",
			Statement: fmt.Sprintf("The backend chosen for each operation at the instruction level %s is the fastest of the run, or within a tenth of it.", level),
			Check:     func(r *bench.Records) bench.Finding { return fastestChosen(r, level) },
		})
	}
	return list
}

func fastestChosen(r *bench.Records, level string) bench.Finding {
	var all, ours, why []string
	for i := range choiceOperations {
		op := &choiceOperations[i]
		for _, one := range choices {
			name := choiceName(level, op, one.side)
			// What this build does not have cannot have been chosen.
			if rec := r.Lookup(name); one.backend != "openblas" || rec != nil && rec.Missing == "" {
				all = append(all, name)
			}
		}
	}
	f, ready := r.Sound(all...)
	if !ready {
		return f
	}
	for i := range choiceOperations {
		op := &choiceOperations[i]
		chosen, _ := r.CPU(choiceName(level, op, oursSide))
		fastest, by := math.Inf(1), ""
		for _, one := range choices[1:] {
			if cpu, ran := r.CPU(choiceName(level, op, one.side)); ran && cpu < fastest {
				fastest, by = cpu, one.backend
			}
		}
		ours = append(ours, fmt.Sprintf("%s: %.2f of the time of %s", op.name, chosen/fastest, by))
		if chosen > fastest*(1+bench.FigureTolerance) {
			why = append(why, fmt.Sprintf("%s takes %.2f times as long as by %s", op.name, chosen/fastest, by))
		}
	}
	differ, _ := r.Qualities("difference", all...)
	return r.SpeedFinding(len(why) == 0, fmt.Sprintf("%s; differences of %s at most", strings.Join(ours, ", "), bench.ErrorText(slices.Max(append(differ, 0)))), all, why...)
}

func choiceSections(r *bench.Records) []bench.Section {
	t := &bench.Table{Columns: []string{"level", "operation", "order", "chosen", "auto", "native", "gonum", "openblas"}}
	for _, level := range levels {
		for i := range choiceOperations {
			op := &choiceOperations[i]
			row := []bench.Cell{{Text: level}, {Text: op.name}, {Text: fmt.Sprint(op.n)}, r.Cell(choiceName(level, op, oursSide), func(one *bench.Record) string { return one.Note })}
			for _, one := range choices {
				row = append(row, r.TimedCell(choiceName(level, op, one.side), "total"))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return []bench.Section{{Title: "The choice of a backend at each instruction level, one thread", Table: t,
		Text: "Each run is a process of its own with ORTHANT_ISA set, which caps our kernels; a linked OpenBLAS chooses its own by the processor."}}
}
