package eigen

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// within are the values in an interval.
func within(all []float64, low, high float64) (values []float64, below int) {
	for _, v := range all {
		if v < low {
			below++
		} else if v <= high {
			values = append(values, v)
		}
	}
	return values, below
}

// All pairs of an interval, for every kind of M, in one slice and in many, against dense solutions.
func TestBetweenAgainstDense(t *testing.T) {
	for _, n := range []int{60, 420} {
		a := randomSymmetric(t, n, 3, -1, 1)
		for name, m := range masses(t, n) {
			all := denseSpectrum(t, a, m)
			between := func(i int) float64 { return (all[i] + all[i+1]) / 2 }
			for _, ends := range [][2]float64{{between(n / 3), between(n/3 + 7)}, {between(n / 4), between(n / 2)}, {all[0] - 1, between(5)}, {between(8), between(8) + (all[9]-all[8])/8}} {
				want, below := within(all, ends[0], ends[1])
				e, err := Pencil{A: a, M: m}.Between(context.Background(), ends[0], ends[1], Options{})
				if err != nil {
					t.Fatal(name, n, err)
				}
				if len(want) == 0 {
					if len(e.Values) != 0 || !e.Converged {
						t.Errorf("%s, %d: %g in an empty interval", name, n, e.Values)
					}
					continue
				}
				checkInside(t, a, m, e, want)
				if c := e.Certificate; c != nil && (c.Known != below+len(want) || c.Below != c.Known || c.Pairs != len(want)) {
					t.Errorf("%s, %d: %+v for %d behind %d", name, n, c, len(want), below)
				}
			}
		}
	}
}

// Multiplicities are right, and an end that is an eigenvalue is moved out, so that all its copies are in.
func TestBetweenOnATorus(t *testing.T) {
	a, all := torus(t, 36, 2)
	constant := slices.Repeat([]float64{1}, a.Rows)
	for _, c := range []struct {
		low, high float64
		null      [][]float64
		says      string
	}{
		{0.7, 1.45, nil, "shifts"},
		{-1, 0.51, [][]float64{constant}, "shifts"},
		{all[60], all[90], nil, "off eigenvalues"},
		{1.9, 1.9 + 1e-9, nil, "shifts"},
	} {
		e := must.Get(Pencil{A: a, Null: c.null}.Between(context.Background(), c.low, c.high, Options{}))(t)
		want, _ := within(all, c.low-1e-9, c.high+1e-9)
		want = want[len(c.null):]
		if c.low == 1.9 {
			want = nil
		}
		if len(e.Values) != len(want) || !e.Converged || !strings.Contains(e.Plan.Reason, c.says) {
			t.Errorf("%d values from %g to %g, want %d; converged: %v; %s", len(e.Values), c.low, c.high, len(want), e.Converged, e.Plan.Reason)
			continue
		}
		for j, v := range e.Values {
			if math.Abs(v-want[j]) > 1e-9 {
				t.Errorf("value %d is %.12g, want %.12g", j, v, want[j])
			}
		}
		for j, r := range e.Residuals {
			if r > 1e-9 {
				t.Errorf("pair %d: residual %g", j, r)
			}
		}
	}
}

func TestBetweenRefuses(t *testing.T) {
	a, all := torus(t, 30, 2)
	inside, _ := within(all, 1.03, 2.97)
	for says, c := range map[string]struct {
		p         Pencil
		low, high float64
		memory    int64
	}{
		"the interval goes from 2 to 1":                               {Pencil{A: a}, 2, 1, 0},
		"the interval goes from NaN to 1":                             {Pencil{A: a}, math.NaN(), 1, 0},
		"of an operator only products are known":                      {Pencil{Operator: operatorOf(a)}, 1, 2, 0},
		fmt.Sprintf("the interval holds %d eigenvalues", len(inside)): {Pencil{A: a}, 1.03, 2.97, 3 << 20},
	} {
		_, err := c.p.Between(context.Background(), c.low, c.high, Options{Memory: c.memory})
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%v does not say %q", err, says)
		}
		var need *MemoryError
		if c.memory > 0 && !errors.As(err, &need) {
			t.Errorf("%v is no MemoryError", err)
		}
	}
	x := must.Get(Pencil{A: a}.Between(context.Background(), 1.03, 2.97, Options{}))(t)
	again, err := Pencil{A: a}.Between(context.Background(), 1.03, 2.97, Options{Threads: 3})
	if err != nil || !slices.Equal(x.Values, again.Values) || !slices.Equal(x.Vectors[7], again.Vectors[7]) {
		t.Error("threads change bits", err)
	}
}
