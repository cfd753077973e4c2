package sparse

import (
	"context"
	"runtime"
	"strings"
	"testing"
)

// elsewhere is a context that panics if it is used on another goroutine than the goroutine of the
// named function.
type elsewhere struct {
	context.Context
	home string
}

func (c elsewhere) Err() error {
	stack := make([]byte, 1<<16)
	if stack = stack[:runtime.Stack(stack, false)]; !strings.Contains(string(stack), c.home+"(") {
		panic("a bug elsewhere")
	}
	return nil
}

// A panic of another goroutine comes up where the dissection was called.
func TestDissectionPassesPanicsOn(t *testing.T) {
	defer func() {
		if crash := recover(); crash != "a bug elsewhere" {
			t.Errorf("recovered %v", crash)
		}
	}()
	_, err := NestedDissection(elsewhere{context.Background(), "TestDissectionPassesPanicsOn"}, grid(150, false), 4)
	t.Errorf("no panic, error %v", err)
}

// Where both panic, so does the caller, after the other has ended.
func TestForkPassesPanicsOn(t *testing.T) {
	ended := false
	defer func() {
		if crash := recover(); crash != "over there" || !ended {
			t.Errorf("recovered %v, ended %v", crash, ended)
		}
	}()
	defer fork(func() {
		defer func() { ended = true }()
		panic("over there")
	})()
	panic("here")
}
