package run

import "reflect"

// Absent reports whether there is nothing in an interface, be it a nil pointer of some type.
func Absent(v any) bool {
	if v == nil {
		return true
	}
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Pointer && r.IsNil()
}
