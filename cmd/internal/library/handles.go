package library

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// handles are the objects that C holds, by number. Numbers are never reused, so a freed handle
// stays an error for ever. The Go type of an object is the kind of its handle. (runtime/cgo.Handle
// does the same, but panics where this returns an error.)
var handles struct {
	last atomic.Uintptr
	live sync.Map // uintptr → *result or *model
}

// keep gives an object a handle.
func keep(object any) uintptr {
	h := handles.last.Add(1)
	handles.live.Store(h, object)
	return h
}

// kind names the kind of a handle in errors.
func kind(object any) string {
	switch object.(type) {
	case *result:
		return "result"
	case *model:
		return "model"
	}
	return "handle"
}

// find returns the object of a handle.
func find[T any](h uintptr) (T, error) { return typed[T](h, handles.live.Load) }

// take is find, and then frees the handle.
func take[T any](h uintptr) (T, error) {
	if object, err := find[T](h); err != nil {
		return object, err
	}
	return typed[T](h, handles.live.LoadAndDelete) // if two threads free it, one of them finds nothing
}

func typed[T any](h uintptr, load func(any) (any, bool)) (T, error) {
	var none T
	if h == 0 {
		return none, fmt.Errorf("the %s is NULL", kind(none))
	}
	object, live := load(h)
	if !live {
		return none, fmt.Errorf("the %s is not one of this library, or was freed", kind(none))
	}
	wanted, ok := object.(T)
	if !ok {
		return none, fmt.Errorf("the handle is a %s where a %s is wanted", kind(object), kind(none))
	}
	return wanted, nil
}
