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

// Outcome is the result of one check.
type Outcome struct {
	Name      string  `json:"name"`
	Kind      string  `json:"kind"`
	Formula   string  `json:"formula"`
	Threshold float64 `json:"threshold"`
	Ratio     float64 `json:"ratio"` // the largest ratio; MaxFloat64 if a result was NaN
	Passed    bool    `json:"passed"`
	Error     string  `json:"error,omitempty"` // why the check stopped
	// Bits is a checksum of the results' bits if these must be the same at every
	// instruction level; otherwise "".
	Bits    string  `json:"bits,omitempty"`
	Seconds float64 `json:"seconds"`
}

// seed is the seed of the random numbers: every run checks the same matrices.
const seed = 27

// check is one row of the table: the computation, and its threshold.
type check struct {
	name      string
	kind      string
	formula   string
	threshold float64
	sameBits  bool // of the native kernels, at every instruction level
	run       func(*trial) error
}

// checks lists all checks, from kernels to files.
func checks() []check {
	var all []check
	for _, of := range [][]check{productChecks, vectorChecks, stepChecks, exactChecks, denseChecks, sparseChecks, solverChecks, fileChecks} {
		all = append(all, of...)
	}
	return all
}

// Options configure [Run].
type Options struct {
	Kernels *blas.Kernels
	Folder  string   // for temporary files, which stay there
	Formats []string // extensions of files that the program has added by files.Register
}

// Run does every check and calls done after each. It takes about a second and 50 MB.
// It returns an error only if ctx ends; failures of a check are in its outcome.
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

// trial is the state of a check.
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

// exactly adds a ratio for results that must be equal: it counts the differences.
func (t *trial) exactly(equal bool) {
	if !equal {
		t.worst++
	}
}

// seen adds the bits of results to the checksum.
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
