package engine

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/method"
)

// endsOf are numbers at the ends of what a parameter allows.
func endsOf(p Parameter) []float64 {
	small, large := []float64{math.SmallestNonzeroFloat64, 1e-300, 1e-150}, []float64{1e150, 1e300, math.MaxFloat64}
	switch {
	case p.Type != "number":
		return nil
	case p.Allowed == "≥ 0":
		return append(append(small, large...), 0)
	case p.Allowed == "> 0":
		return append(small, large...)
	case p.Allowed == "> 1":
		return append(large, math.Nextafter(1, 2))
	case p.Allowed == "≥ 1":
		return append(large, 1)
	case p.Allowed == "from 0 to 1":
		return append(small, 0, 1)
	}
	return append(append(append(small, large...), 0), -1e-150, -1e150, -math.MaxFloat64)
}

// positiveTable has 60 samples of 12 columns in three classes.
func positiveTable() (*mat.Dense, []int64) {
	s, x, labels := blas.NewStream(9), mat.NewDense(60, 12, nil), make([]int64, 60)
	for i := range labels {
		labels[i] = int64(i % 3)
		for j := range 12 {
			x.Set(i, j, 0.05+s.Uniform()+float64(labels[i])*float64(j%2))
		}
	}
	return x, labels
}

// Every factorisation with a number at an end of its range ends within its iterations, in
// finite factors or in an error that names the method.
func TestEndsOfParameters(t *testing.T) {
	x, labels := positiveTable()
	for _, entry := range Methods() {
		if method.RowOf(named(t, entry.Name)).Factorize == nil {
			continue
		}
		t.Run(entry.Name, func(t *testing.T) {
			for _, p := range entry.Parameters {
				for _, v := range endsOf(p) {
					for _, protocol := range []string{"general", "paper"} {
						atEnd(t, named(t, entry.Name), protocol, p.Key, v, x, labels)
					}
				}
			}
		})
	}
}

// atEnd factorises with one parameter at an end of its range.
func atEnd(t *testing.T, m Method, protocol, key string, v float64, x *mat.Dense, labels []int64) {
	t.Helper()
	if err := Set(m, "protocol", protocol); err != nil && protocol == "paper" {
		return // the method has no protocols
	}
	const iterations = 40
	counted := Set(m, "iterations", strconv.Itoa(iterations)) == nil
	what := fmt.Sprintf("%s, protocol=%s %s=%g", m.Name(), protocol, key, v)
	if err := Set(m, key, strconv.FormatFloat(v, 'g', -1, 64)); err != nil {
		if !strings.Contains(err.Error(), key) {
			t.Errorf("%s: the refusal is %q", what, err)
		}
		return
	}
	o := FactorizeOptions{Options: Options{Threads: 1}, Rank: 3}
	if method.RowOf(m).Labels {
		o.Labels = labels
	}
	f, err := Factorize(context.Background(), x, m, o)
	if err != nil && !strings.HasPrefix(err.Error(), m.Name()+": ") {
		t.Errorf("%s: %v", what, err)
	}
	expectSoundFactors(t, what, f, err)
	if f != nil && counted && f.Iterations > iterations {
		t.Errorf("%s: %d iterations", what, f.Iterations)
	}
}

// Every other method with a number at an end of its range ends with finite numbers, or in an
// error that names the method.
func TestEndsOfOtherParameters(t *testing.T) {
	x, labels := positiveTable()
	for _, entry := range Methods() {
		if method.RowOf(named(t, entry.Name)).Factorize != nil {
			continue
		}
		for _, p := range entry.Parameters {
			for _, v := range endsOf(p) {
				m := named(t, entry.Name)
				if Set(m, p.Key, strconv.FormatFloat(v, 'g', -1, 64)) != nil {
					continue
				}
				o := Options{Components: "each", Threads: 1}
				if method.RowOf(m).Labels {
					o.Labels = labels
				}
				numbers, err := outcomeOf(context.Background(), m, entry.Tasks[0], x, o)
				if err != nil && !strings.HasPrefix(err.Error(), entry.Name+": ") {
					t.Errorf("%s, %s=%g: %v", entry.Name, p.Key, v, err)
				}
				for _, number := range numbers {
					if number-number != 0 {
						t.Errorf("%s, %s=%g: a result of %v", entry.Name, p.Key, v, number)
						break
					}
				}
			}
		}
	}
}

// expectSoundFactors fails for factors that are not finite, and for an error or warning
// that speaks of such numbers.
func expectSoundFactors(t *testing.T, what string, f *Factorization, err error) {
	t.Helper()
	if err != nil {
		soundText(t, what, err.Error())
		return
	}
	for _, w := range f.Warnings {
		soundText(t, what, w)
	}
	for name, a := range map[string]*mat.Dense{"W": f.W, "H": f.H} {
		for _, v := range mat.DenseCopyOf(a).RawMatrix().Data {
			if v-v != 0 {
				t.Errorf("%s: an entry of %s is %v", what, name, v)
				break
			}
		}
	}
	for _, p := range f.Trace {
		if p.Objective-p.Objective != 0 || p.Residual-p.Residual != 0 {
			t.Errorf("%s: objective %v, residual %v after %d iterations", what, p.Objective, p.Residual, p.Iteration)
			break
		}
	}
}
