package selftest

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"
	"math"
	"time"

	"github.com/orthant-go/orthant/blas"
)

// Outcome is what came of one check.
type Outcome struct {
	Name      string  `json:"name"`
	Kind      string  `json:"kind"`
	Formula   string  `json:"formula"`
	Threshold float64 `json:"threshold"`
	Ratio     float64 `json:"ratio"` // the largest found; MaxFloat64 where a result was not a number
	Passed    bool    `json:"passed"`
	Error     string  `json:"error,omitempty"` // what stopped the check
	// Bits is a sum of the results' bits where these have to be the same at every
	// instruction level; "" elsewhere.
	Bits    string  `json:"bits,omitempty"`
	Seconds float64 `json:"seconds"`
}

// seed is the seed of the random numbers: every run checks the same matrices.
const seed = 27

// check is one row of the table: what is computed, and how far it may be off.
type check struct {
	name      string
	kind      string
	formula   string
	threshold float64
	sameBits  bool // of the native kernels, at every instruction level
	run       func(*trial) error
}

// checks are all of them, from the bottom of the house to its top.
func checks() []check {
	var all []check
	for _, of := range [][]check{productChecks, vectorChecks, stepChecks, exactChecks, denseChecks, sparseChecks, solverChecks, fileChecks} {
		all = append(all, of...)
	}
	return all
}

// Options are the options of [Run].
type Options struct {
	Kernels *blas.Kernels
	Folder  string   // for temporary files, which stay there
	Formats []string // extensions of files that the program has added by files.Register
}

// Run does every check and calls done after each. It takes about a second and 50 MB.
// Only the end of ctx is an error; what went wrong in a check is in its outcome.
func Run(ctx context.Context, o Options, done func(Outcome)) error {
	return run(ctx, checks(), shipped(o.Kernels), o, done)
}

func run(ctx context.Context, all []check, ops *operations, options Options, done func(Outcome)) error {
	for _, c := range all {
		if err := ctx.Err(); err != nil {
			return err
		}
		t := &trial{operations: ops, ctx: ctx, kernels: options.Kernels, options: options, random: blas.NewStream(seed), sum: fnv.New64a()}
		begun := time.Now()
		err := t.guarded(c.run)
		if ended := ctx.Err(); ended != nil {
			return ended
		}
		o := Outcome{Name: c.name, Kind: c.kind, Formula: c.formula, Threshold: c.threshold,
			Ratio: t.worst, Passed: err == nil && t.worst <= c.threshold, Seconds: time.Since(begun).Seconds()}
		if err != nil {
			o.Error = err.Error()
		}
		if c.sameBits {
			o.Bits = fmt.Sprintf("%016x", t.sum.Sum64())
		}
		done(o)
	}
	return nil
}

// trial is what a check works with.
type trial struct {
	*operations
	ctx     context.Context
	kernels *blas.Kernels
	options Options
	random  *blas.Stream
	worst   float64
	sum     hash.Hash64
}

// guarded runs a check; a panic is an error.
func (t *trial) guarded(run func(*trial) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return run(t)
}

// ratio keeps the largest of the ratios it is given.
func (t *trial) ratio(r float64) {
	if !(r < math.MaxFloat64) { // NaN too
		r = math.MaxFloat64
	}
	t.worst = max(t.worst, r)
}

// exactly is a ratio of results that have to be equal: it counts those that are not.
func (t *trial) exactly(equal bool) {
	if !equal {
		t.worst++
	}
}

// seen adds the bits of results to the check's sum.
func (t *trial) seen(values []float64) {
	var b [8]byte
	for _, v := range values {
		binary.LittleEndian.PutUint64(b[:], math.Float64bits(v))
		_, _ = t.sum.Write(b[:])
	}
}

// uniform returns n numbers between −1 and 1, or with least ≥ 0 between least and 1.
func (t *trial) uniform(n int, least float64) []float64 {
	v := make([]float64, n)
	t.random.Uniforms(v)
	for i := range v {
		v[i] = least + float64((1-least)*v[i]) // the same numbers on every processor
	}
	return v
}
