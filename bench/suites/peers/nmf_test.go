//go:build unix

package peers

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/solvers/nmf"
)

// nmfCase is a matrix with the start that both sides are given.
type nmfCase struct {
	n, m, r int
	x, y, c []float64
	folder  string
}

// BenchmarkNMFPeer measures, on one thread each and from the same start, an
// iteration of multiplicative updates against a sweep of scikit-learn's (targets: 1.0
// of its time, and 0.6 for Kullback–Leibler), and the time in which HALS reaches the
// error that its coordinate descent has after 20 and 200 sweeps (target 0.7).
// Processor seconds of whole calls, the least of three.
func BenchmarkNMFPeer(b *testing.B) {
	if exec.Command(python, "-c", "import sklearn").Run() != nil {
		b.Skip("scikit-learn is not installed (Debian: python3-sklearn)")
	}
	b.Run("coil20", func(b *testing.B) { coil(b).compare(b) })
	b.Run("dense", func(b *testing.B) { (&nmfCase{n: 4000, m: 2000, r: 40}).compare(b) })
}

func (c *nmfCase) compare(b *testing.B) {
	c.begin(b)
	for _, v := range []struct {
		loss *nmf.Loss
		peer string
	}{{nmf.Frobenius, "frobenius"}, {nmf.KL, "kullback-leibler"}} {
		b.Run("mu/"+v.loss.String(), func(b *testing.B) {
			for b.Loop() {
				const few, many = 5, 25
				theirs := c.peer(b, "mu", v.peer, few, many)
				o := nmf.Options{Loss: v.loss, TraceEvery: many}
				long, squares := c.least(b, o, many, 0)
				short, _ := c.least(b, o, few, 0)
				ours := long - short
				if c.report(b, squares, theirs[1].squares); squares > bench.AsGood*theirs[1].squares {
					b.Errorf("after %d iterations the squared error is %g where scikit-learn has %g", many, squares, theirs[1].squares)
				}
				sweep := (theirs[1].seconds - theirs[0].seconds) / (many - few)
				b.ReportMetric(ours/(many-few)*1e3, "ms/iteration")
				b.ReportMetric(sweep*1e3, "sklearn-ms/sweep")
				b.ReportMetric(ours/(many-few)/sweep, "of-sklearn")
			}
		})
	}
	for _, extrapolate := range []bool{false, true} {
		b.Run(fmt.Sprintf("hals/extrapolate=%v", extrapolate), func(b *testing.B) {
			for b.Loop() {
				theirs := c.peer(b, "cd", "frobenius", 20, 200)
				for i, sweeps := range []string{"20", "200"} {
					o := nmf.Options{Solver: nmf.HALS, Extrapolate: extrapolate, TraceEvery: 1}
					if extrapolate { // the error then costs products of its own
						o.TraceEvery = 5
					}
					ours, squares := c.least(b, o, 2000, theirs[i].squares)
					c.report(b, squares, theirs[i].squares)
					b.ReportMetric(ours/theirs[i].seconds, "of-sklearn-"+sweeps)
				}
			}
		})
	}
}

func coil(b *testing.B) *nmfCase {
	table, err := files.ReadMatrix(dataFile(b, "coil20.X.npy"), files.Options{})
	if err != nil {
		b.Fatal(err)
	}
	n, m := table.Dims()
	return &nmfCase{n: n, m: m, r: 20, x: table.RawMatrix().Data}
}

// begin draws what is missing and writes all for the peer to read.
func (c *nmfCase) begin(b *testing.B) {
	random := blas.NewStream(1)
	draw := func(n int) []float64 {
		x := make([]float64, n)
		random.Uniforms(x)
		return x
	}
	if c.x == nil { // twice as many components as are asked for, and noise
		c.x = draw(c.n * c.m)
		blas.MustSelect("").Gemm(false, false, c.n, c.m, 2*c.r, 1, draw(c.n*2*c.r), 2*c.r, draw(2*c.r*c.m), c.m, 0.3, c.x, c.m)
	}
	c.y, c.c = draw(c.n*c.r), draw(c.r*c.m)
	c.folder = b.TempDir()
	for name, x := range map[string][]float64{"x": c.x, "y": c.y, "c": c.c} {
		var out bytes.Buffer
		if err := binary.Write(&out, binary.NativeEndian, x); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(c.folder, name), out.Bytes(), 0o600); err != nil {
			b.Fatal(err)
		}
	}
}

type peerRun struct{ seconds, squares float64 }

func (c *nmfCase) peer(b *testing.B, solver, loss string, sweeps ...int) []peerRun {
	b.Helper()
	args := []string{"nmf_peer.py", c.folder, strconv.Itoa(c.n), strconv.Itoa(c.m), strconv.Itoa(c.r), solver, loss}
	for _, s := range sweeps {
		args = append(args, strconv.Itoa(s))
	}
	cmd := exec.Command(python, args...)
	cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")
	out, err := cmd.Output()
	if err != nil {
		b.Fatalf("scikit-learn: %v", err)
	}
	runs := make([]peerRun, len(sweeps))
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	for i := range runs {
		if i >= len(lines) {
			b.Fatalf("scikit-learn printed %q", out)
		}
		if _, err := fmt.Sscan(lines[i], &runs[i].seconds, &runs[i].squares); err != nil {
			b.Fatalf("scikit-learn printed %q: %v", out, err)
		}
	}
	return runs
}

// report prints the relative errors beside the times.
func (c *nmfCase) report(b *testing.B, ours, theirs float64) {
	size := blas.Dot(c.x, c.x)
	b.ReportMetric(math.Sqrt(ours/size), "error")
	b.ReportMetric(math.Sqrt(theirs/size), "sklearn-error")
}

// least returns the processor seconds of a factorisation that ends after so many
// iterations, or (where squares is positive) at that squared error, and the one that it
// ends at.
func (c *nmfCase) least(b *testing.B, o nmf.Options, iterations int, squares float64) (seconds, reachedSquares float64) {
	b.Helper()
	o.Rank, o.Threads, o.Iterations, o.Normalize = c.r, 1, iterations, nmf.Never
	o.Init, o.W, o.H = nmf.Given, c.y, c.c
	reached := squares == 0
	o.Watch = func(p nmf.Point) bool {
		stop := squares > 0 && p.Objective <= squares
		reached = reached || stop
		return stop
	}
	best := 0.0
	for round := range 3 {
		start, _ := bench.ProcessorSeconds()
		r, err := nmf.Factorize(context.Background(), nmf.Dense(c.n, c.m, c.x), o)
		if err != nil {
			b.Fatal(err)
		}
		if end, _ := bench.ProcessorSeconds(); round == 0 || end-start < best {
			best = end - start
		}
		rest := slices.Clone(c.x)
		blas.MustSelect("").Gemm(false, false, c.n, c.m, c.r, -1, r.W, c.r, r.H, c.m, 1, rest, c.m)
		reachedSquares = blas.Dot(rest, rest)
	}
	if !reached {
		b.Errorf("%d iterations do not reach the error %g", iterations, squares)
	}
	return best, reachedSquares
}
