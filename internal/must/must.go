// Package must ends a test at a step that it needs and that fails.
package must

import (
	"errors"
	"os"
	"strings"
)

// Test is a test, a benchmark or a property.
type Test interface {
	Helper()
	Fatal(args ...any)
	Errorf(format string, args ...any)
}

// Do ends the test for an error.
func Do(t Test, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Get is the value of a call, or the end of the test: must.Get(os.ReadFile(path))(t).
func Get[T any](v T, err error) func(t Test) T {
	return func(t Test) T {
		t.Helper()
		Do(t, err)
		return v
	}
}

// Two is [Get] of a call with two values.
func Two[T, U any](v T, u U, err error) func(t Test) (T, U) {
	return func(t Test) (T, U) {
		t.Helper()
		Do(t, err)
		return v, u
	}
}

// Refuse fails the test unless a call, whose results are given, ends in an error that has the words:
// must.Refuse(t, "row 3")(Read(path)).
func Refuse(t Test, words string) func(results ...any) {
	return func(results ...any) {
		t.Helper()
		if err, _ := results[len(results)-1].(error); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("the error is %v, want one that says %q", err, words)
		}
	}
}

// NoFile is what this system says of a file that is not there.
func NoFile() string {
	_, err := os.Stat("there is no such file")
	return errors.Unwrap(err).Error()
}
