package main

import (
	"os"
	"testing"
)

func TestStatusOfErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{&commandError{Command: "orthant", Err: os.ErrClosed}, 1},
		{&commandError{Command: "orthant", Err: wrong("no")}, 2},
		{&commandError{Command: "orthant", Err: &notConverged{Text: "almost"}}, 3},
		{fromWork(os.ErrInvalid), 2},
	} {
		if got := status(c.err); got != c.want {
			t.Errorf("%v has status %d, want %d", c.err, got, c.want)
		}
	}
}
