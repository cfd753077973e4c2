package jsonkeys_test

import (
	"fmt"
	"testing"

	"github.com/orthant-go/orthant/internal/jsonkeys"
)

func ExampleRepeated() {
	fmt.Println(jsonkeys.Repeated([]byte(`{"set": {"gamma": 1, "gamma": 2}}`)))
	// Output: gamma true
}

func TestRepeated(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "", `null`: "", `[]`: "", ``: "", `{"a": 1`: "", `7`: "", `{"a": "a", "b": "a"}`: "", `{"a": {"a": {"a": 1}}}`: "", `[{"a": 1}, {"a": 1}]`: "",
		`{"a": {"b": 1}, "b": [{"b": 1}, "b", "b"]}`: "", `{"a": [], "b": {}, "c": [[]]}`: "", `{"a": 1, "A": 1}`: "",
		`{"a": 1, "a": 1}`: "a", `{"a": 1, "\u0061": null}`: "a", `{"a": [1], "b": {}, "a": {}}`: "a", `{"x": {"b": 1, "c": [], "b": 2}}`: "b",
		`[1, {"k": 1, "k": 2}]`: "k", `{"": 1, "": 2}`: "",
	} {
		key, found := jsonkeys.Repeated([]byte(text))
		if key != want || found != (want != "" || text == `{"": 1, "": 2}`) {
			t.Errorf("%s: %q, %v", text, key, found)
		}
	}
}
