package param

import "reflect"

// Absent reports whether nothing was given: there is nothing in the interface, or a nil pointer of some type.
func Absent(v any) bool {
	if v == nil {
		return true
	}
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}
