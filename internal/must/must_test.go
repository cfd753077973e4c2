package must

import (
	"errors"
	"testing"
)

// ended keeps what ends a test.
type ended struct {
	with   []any
	failed bool
}

func (e *ended) Helper()               {}
func (e *ended) Fatal(args ...any)     { e.with = args }
func (e *ended) Errorf(string, ...any) { e.failed = true }

// An error ends the test with that error, and without one the values come.
func TestMust(t *testing.T) {
	lost := errors.New("lost")
	for _, err := range []error{nil, lost} {
		var do, get, two ended
		Do(&do, err)
		v := Get(3, err)(&get)
		a, b := Two(4, "five", err)(&two)
		for _, e := range []ended{do, get, two} {
			if (len(e.with) == 1) != (err != nil) || err != nil && e.with[0] != any(err) {
				t.Errorf("%v ends a test with %v", err, e.with)
			}
		}
		if v != 3 || a != 4 || b != "five" {
			t.Errorf("%d, %d, %s", v, a, b)
		}
	}
}

// What is not refused, or in other words, fails the test.
func TestRefuse(t *testing.T) {
	call := func(err error) (int, error) { return 3, err }
	for _, c := range []struct {
		err    error
		failed bool
	}{{nil, true}, {errors.New("row 3 is lost"), false}, {errors.New("row 4 is lost"), true}} {
		var e ended
		if Refuse(&e, "row 3")(call(c.err)); e.failed != c.failed {
			t.Errorf("%v: failed %v", c.err, e.failed)
		}
	}
}
