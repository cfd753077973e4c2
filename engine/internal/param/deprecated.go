package param

import (
	"fmt"
	"slices"
)

// wholeParameter is the tag "deprecated" of a parameter that is no longer offered.
const wholeParameter = "all"

// Listed reports whether the parameter is listed for users.
func (f Field) Listed() bool { return f.deprecated != wholeParameter }

// named reports whether the parameter is accepted under a key.
func (f Field) named(key string) bool { return f.Key == key || slices.Contains(f.former, key) }

// Listed describes the parameters of a struct that are listed for users.
func Listed(m any) []Parameter {
	var list []Parameter
	for _, f := range Fields(m) {
		if f.Listed() {
			list = append(list, f.Parameter)
		}
	}
	return list
}

// AcceptedKeys lists all keys that a struct accepts: those offered, and those accepted until
// 1.0.
func AcceptedKeys(m any) []string {
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

// DeprecatedKeys returns the keys that a struct accepts only until 1.0, with their present keys; empty: there
// are none.
func DeprecatedKeys(m any) map[string]string {
	all := map[string]string{}
	for _, f := range Fields(m) {
		if !f.Listed() {
			all[f.Key] = ""
		}
		for _, key := range f.former {
			all[key] = f.Key
		}
	}
	return all
}

// DeprecationWarning returns the warning that a key, or a value of it written as text, is accepted only until 1.0;
// empty: the key stays, or the value is the default anyway.
func DeprecationWarning(m any, key, text string) string {
	for _, f := range Fields(m) {
		switch {
		case !f.named(key):
		case f.Key != key:
			return fmt.Sprintf("%s is now %s; the former name is accepted only until 1.0", key, f.Key)
		case !f.Listed() && text != fmt.Sprint(f.Default):
			return fmt.Sprintf("%s only serves comparison with a paper, and is accepted only until 1.0", key)
		case f.deprecated != "" && text == f.deprecated:
			return fmt.Sprintf("%s %s only serves comparison with a paper, and is accepted only until 1.0", key, text)
		}
	}
	return ""
}
