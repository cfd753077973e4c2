// Readings shows how another program uses orthant's engine: it has samples in a
// type of its own, embeds them with a limit of time and a bar of progress, keeps
// the fit, places a sample that comes later, and distinguishes what may go wrong.
package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/measures"
)

// readings are samples in this program's own layout: a stretch of a spiral strip,
// computed on demand. Whatever has the three methods of gonum's
// mat.Matrix is taken as it is.
type readings struct{ samples int }

func (r readings) Dims() (int, int) { return r.samples, 3 }
func (r readings) T() mat.Matrix    { return mat.Transpose{Matrix: r} }

func (r readings) At(i, j int) float64 {
	angle, height := r.place(i)
	return [3]float64{angle * math.Cos(angle), height, angle * math.Sin(angle)}[j]
}

// place gives the two numbers that a sample was made from.
func (r readings) place(i int) (angle, height float64) {
	fraction := func(v float64) float64 { return v - math.Floor(v) }
	// Multiples of two irrational numbers fill the square evenly.
	return 1.5 * math.Pi * (1 + fraction(0.754877666*float64(i))), 10 * fraction(0.569840291*float64(i))
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "readings:", err)
		os.Exit(1)
	}
}

func run() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	x := readings{samples: 1000}
	result, err := embed(ctx, x)
	if err != nil {
		return err
	}
	if err := keep(ctx, result, x); err != nil {
		return err
	}
	if err := giveUp(x); err != nil {
		return err
	}
	return goWrong(ctx, x)
}

// embed unrolls the strip and compares it with what it was made from.
func embed(ctx context.Context, x readings) (*engine.Result, error) {
	var mu sync.Mutex // progress comes from any goroutine
	seen := map[string]bool{}
	result, err := engine.Embed(ctx, x, engine.NEML{Neighbors: 12, Dim: 2}, engine.Options{
		Model: true,
		Progress: func(p engine.Progress) {
			mu.Lock()
			defer mu.Unlock()
			seen[p.Phase] = true
		},
	})
	if err != nil {
		return nil, err
	}
	for _, warning := range result.Warnings {
		fmt.Println("warning:", warning)
	}
	truth := mat.NewDense(x.samples, 2, nil)
	for i := range x.samples {
		angle, height := x.place(i)
		truth.SetRow(i, []float64{angle, height})
	}
	deviation, _, err := measures.Deviation(truth, result.Y) // Y is a *mat.Dense
	if err != nil {
		return nil, err
	}
	rows, cols := result.Y.Dims()
	fmt.Printf("embedded: %d × %d, progress reported: %v, deviation below 0.2: %v\n", rows, cols, len(seen) > 0, deviation < 0.2)
	return result, nil
}

// keep writes the fit to a file, reads it, and places samples by it.
func keep(ctx context.Context, result *engine.Result, x readings) error {
	folder, err := os.MkdirTemp("", "readings")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	model, err := result.Model()
	if err != nil {
		return err
	}
	path := filepath.Join(folder, "strip.model")
	out, err := files.CreateRaw(path, nil)
	if err != nil {
		return err
	}
	defer out.Discard() // does nothing after Commit
	if err := errors.Join(model.Save(out), out.Commit()); err != nil {
		return err
	}

	in, _, err := files.OpenRaw(path, files.Options{})
	if err != nil {
		return err
	}
	defer in.Close()
	if model, err = engine.LoadModel(in); err != nil {
		return err
	}
	few := mat.DenseCopyOf(x).Slice(10, 13, 0, 3)
	y, err := model.Transform(ctx, few, engine.Options{})
	if err != nil {
		return err
	}
	var difference mat.Dense
	difference.Sub(y, result.Y.Slice(10, 13, 0, 2))
	fmt.Printf("placed by the model, as in the fit: %v\n", mat.Max(&difference) < 1e-3 && mat.Min(&difference) > -1e-3)
	return nil
}

// giveUp cancels a run at the first sign of progress, as a user would by a button.
func giveUp(x readings) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	_, err := engine.Embed(ctx, x, engine.LTSA{}, engine.Options{Progress: func(engine.Progress) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		return fmt.Errorf("cancelled, and yet: %w", err)
	}
	fmt.Println("cancelled: no result, and no goroutine left behind")
	return nil
}

// goWrong shows errors: each is one line with the remedy, and they can be distinguished.
func goWrong(ctx context.Context, x readings) error {
	_, err := engine.Embed(ctx, x, engine.LLE{Neighbors: 5000}, engine.Options{})
	fmt.Println("too many neighbours:", err)

	method, err := engine.New("neml")
	if err != nil {
		return err
	}
	fmt.Println("a slip:", engine.Set(method, "gama", "1e-3"))

	_, err = files.ReadMatrix("absent.npy", files.Options{})
	if e, ok := errors.AsType[*files.Error](err); ok {
		fmt.Println("a file:", e.Op, e.Path, errors.Is(err, fs.ErrNotExist))
	}
	return nil
}
