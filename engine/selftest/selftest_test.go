package selftest

import (
	"context"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/neighbors"
	"github.com/orthant-go/orthant/internal/must"
	"github.com/orthant-go/orthant/solvers/eigen"
	"github.com/orthant-go/orthant/solvers/nmf"
	"github.com/orthant-go/orthant/sparse"
)

func TestEveryCheckPasses(t *testing.T) {
	for _, backend := range blas.Available() {
		t.Run(backend, func(t *testing.T) {
			names := map[string]bool{}
			must.Do(t, Run(t.Context(), Options{Kernels: blas.MustSelect(backend), Folder: t.TempDir()}, func(o Outcome) {
				if !o.Passed {
					t.Errorf("%s: ratio %g, threshold %g %s", o.Name, o.Ratio, o.Threshold, o.Error)
				}
				if names[o.Name] || o.Formula == "" || o.Kind == "" {
					t.Errorf("%q is there twice, or says too little", o.Name)
				}
				names[o.Name] = true
			}))
		})
	}
}

func TestRunEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	count := 0
	err := Run(ctx, Options{Kernels: blas.MustSelect("auto"), Folder: t.TempDir()}, func(Outcome) { count++; cancel() })
	if err != context.Canceled || count != 1 {
		t.Errorf("%v after %d checks", err, count)
	}
}

// Each operation in its turn is broken in one number, in the eighth digit, or in one
// bit of what is exact. Every check that uses the operation has to see it.
func TestEveryThresholdCatchesABrokenKernel(t *testing.T) {
	options := Options{Kernels: blas.MustSelect("auto"), Folder: t.TempDir()}
	all := checks()
	fields := reflect.TypeFor[operations]()
	using := make([][]check, fields.NumField()) // of each operation, the checks that call it
	for _, c := range all {
		ops, called := shipped(options.Kernels), make([]bool, len(using))
		for i := range using {
			replace(ops, i, func(of reflect.Value, args []reflect.Value) []reflect.Value {
				called[i] = true
				return of.Call(args)
			})
		}
		must.Do(t, run(t.Context(), []check{c}, ops, options, func(Outcome) {}))
		for i, is := range called {
			if is {
				using[i] = append(using[i], c)
			}
		}
		if !slices.Contains(called, true) {
			t.Errorf("%q calls nothing that could be broken", c.name)
		}
	}
	for i, checks := range using {
		name := fields.Field(i).Name
		if len(checks) == 0 {
			t.Errorf("no check uses %s", name)
		}
		ops := shipped(options.Kernels)
		replace(ops, i, broken)
		must.Do(t, run(t.Context(), checks, ops, options, func(o Outcome) {
			if o.Passed {
				t.Errorf("%q passes with a broken %s: ratio %g, threshold %g", o.Name, name, o.Ratio, o.Threshold)
			}
		}))
	}
}

// replace puts a function around operation i.
func replace(ops *operations, i int, with func(of reflect.Value, args []reflect.Value) []reflect.Value) {
	field := reflect.ValueOf(ops).Elem().Field(i)
	field = reflect.NewAt(field.Type(), field.Addr().UnsafePointer()).Elem() // the fields are not exported
	of := reflect.ValueOf(field.Interface())
	field.Set(reflect.MakeFunc(field.Type(), func(args []reflect.Value) []reflect.Value { return with(of, args) }))
}

// broken calls a function and spoils what it wrote and what it returns.
func broken(of reflect.Value, args []reflect.Value) []reflect.Value {
	if strings.Contains(of.Type().String(), "CholeskyOptions") { // of a factor nothing is seen: it is of another matrix
		args[2] = reflect.ValueOf(args[2].Float() * (1 + 1e-7))
		return of.Call(args)
	}
	before := make([]reflect.Value, len(args))
	for i, a := range args {
		if a.Kind() == reflect.Slice {
			before[i] = reflect.AppendSlice(reflect.MakeSlice(a.Type(), 0, a.Len()), a)
		}
	}
	results := of.Call(args)
	for i, a := range args {
		for at := 0; before[i].IsValid() && at < a.Len(); at++ {
			if x := a.Index(at); !same(x, before[i].Index(at)) {
				spoil(x)
				break
			}
		}
	}
	for i, r := range results {
		switch v := r.Interface().(type) {
		case float64:
			results[i] = reflect.ValueOf(v * (1 + 1e-7))
		case bool:
			results[i] = reflect.ValueOf(!v)
		case *mat.Dense:
			v.Set(1, 2, math.Nextafter(v.At(1, 2), 9))
		case *eigen.Eigen:
			v.Values[1] *= 1 + 1e-7
			v.Vectors[1][0] += 1e-7
		case *nmf.Result:
			v.W[3] *= 1 + 1e-7
		case *neighbors.Graph:
			v.Index[0], v.Index[1] = v.Index[1], v.Index[0]
		case *sparse.Cholesky, error, nil:
		}
	}
	return results
}

// same compares bits: NaN is the same as itself.
func same(a, b reflect.Value) bool {
	if a.CanFloat() {
		return math.Float64bits(a.Float()) == math.Float64bits(b.Float())
	}
	return a.Equal(b)
}

// spoil changes a number in its eighth digit, of single precision in the third, and a
// whole number or a mark by its last bit.
func spoil(x reflect.Value) {
	switch {
	case x.Kind() == reflect.Float32:
		x.SetFloat(x.Float() * (1 + 1e-3))
	case x.CanFloat():
		x.SetFloat(x.Float() * (1 + 1e-7))
	case x.CanInt():
		x.SetInt(x.Int() ^ 1)
	case x.CanUint():
		x.SetUint(x.Uint() ^ 1)
	case x.Kind() == reflect.Bool:
		x.SetBool(!x.Bool())
	}
}

// What is the same at every instruction level is a promise of the native kernels; here
// the same numbers have to come out twice.
func TestBitsAreTheSameTwice(t *testing.T) {
	bits := func() (all []string) {
		must.Do(t, Run(t.Context(), Options{Kernels: blas.MustSelect("native"), Folder: t.TempDir()}, func(o Outcome) { all = append(all, o.Bits) }))
		return all
	}
	if a, b := bits(), bits(); !slices.Equal(a, b) {
		t.Errorf("%v, then %v", a, b)
	}
}
