package jsonkeys

import (
	"encoding/json"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// What is said to be there twice is a key of the object, and what json.Marshal writes of a
// map has no key twice.
func FuzzRepeated(f *testing.F) {
	for _, text := range []string{`{}`, `{"a": 1, "a": 2}`, `{"a": {"a": 1}}`, `[{"a": 1}, {"a": 2}]`, `{"a": [1, {"b": 2}], "b": 3, "b": 4}`, `{"\u0061": 1, "a": 2}`, `{`, ``} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var object map[string]json.RawMessage
		if json.Unmarshal(text, &object) != nil {
			_, _ = Repeated(text)
			return
		}
		key, found := Repeated(text)
		if _, there := object[key]; found && !there {
			t.Errorf("%q is not a key of %q", key, text)
		}
		once := must.Get(json.Marshal(object))(t)
		if key, found := Repeated(once); found && key != "" {
			if _, there := object[key]; !there {
				t.Errorf("%q is not a key of %q", key, once)
			}
		}
	})
}
