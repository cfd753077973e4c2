package must

import (
	"errors"
	"testing"
)

// ended keeps what ends a test.
type ended struct{ with []any }

func (e *ended) Helper()           {}
func (e *ended) Fatal(args ...any) { e.with = args }

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
