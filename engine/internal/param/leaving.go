package param

import (
	"fmt"
	"slices"
)

// everyLeaves is the tag "leaves" of a parameter that is no longer offered.
const everyLeaves = "all"

// Offered reports whether the parameter is listed for users.
func (f Field) Offered() bool { return f.leaves != everyLeaves }

// named reports whether the parameter is accepted under a key.
func (f Field) named(key string) bool { return f.Key == key || slices.Contains(f.former, key) }

// Offered describes the parameters of a struct that are listed for users.
func Offered(m any) []Parameter {
	var list []Parameter
	for _, f := range Fields(m) {
		if f.Offered() {
			list = append(list, f.Parameter)
		}
	}
	return list
}

// Taken lists all keys that a struct accepts: those offered, and those accepted until
// 1.0.
func Taken(m any) []string {
	var list []string
	for _, f := range Fields(m) {
		list = append(append(list, f.Key), f.former...)
	}
	return list
}

// Current returns the present key of the parameter with the given key, which may be a former one.
func Current(m any, key string) string {
	for _, f := range Fields(m) {
		if f.named(key) {
			return f.Key
		}
	}
	return key
}

// UntilOne returns the keys that a struct accepts only until 1.0, with their present keys; empty: there
// are none.
func UntilOne(m any) map[string]string {
	all := map[string]string{}
	for _, f := range Fields(m) {
		if !f.Offered() {
			all[f.Key] = ""
		}
		for _, key := range f.former {
			all[key] = f.Key
		}
	}
	return all
}

// Leaving returns the warning that a key, or a value of it written as text, is accepted only until 1.0;
// empty: the key stays, or the value is the default anyway.
func Leaving(m any, key, text string) string {
	for _, f := range Fields(m) {
		switch {
		case !f.named(key):
		case f.Key != key:
			return fmt.Sprintf("%s is now %s, and its former name is taken until 1.0 only", key, f.Key)
		case !f.Offered() && text != fmt.Sprint(f.Default):
			return fmt.Sprintf("%s serves to compare with a paper, and is taken until 1.0 only", key)
		case f.leaves != "" && text == f.leaves:
			return fmt.Sprintf("%s %s serves to compare with a paper, and is taken until 1.0 only", key, text)
		}
	}
	return ""
}
