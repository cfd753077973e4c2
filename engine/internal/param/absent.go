package param

import "reflect"

// Absent reports whether an interface is nil or holds a nil pointer.
func Absent(v any) bool {
	if v == nil {
		return true
	}
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}
