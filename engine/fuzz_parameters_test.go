package engine

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/method"
)

// settable are the methods that are fuzzed, by number.
var settable = Methods()

// Whatever a parameter is given as text, it is taken or refused in one line that names it;
// what is taken reads the same when it is given again, and the method it makes runs or is
// refused by its conditions.
func FuzzSet(f *testing.F) {
	for i, e := range settable {
		for _, p := range e.Parameters {
			f.Add(byte(i), p.Key, fmt.Sprint(p.Default))
			f.Add(byte(i), p.Key, strings.SplitN(p.Allowed, "|", 2)[0])
		}
	}
	for _, text := range []string{"", "auto", "NaN", "-0", "1e400", "-1", "0x10", "1_000", "9223372036854775808", "inf", "true ", "1,5", "½", "\x00", "a\nb"} {
		f.Add(byte(1), "neighbors", text)
		f.Add(byte(1), "gamma", text)
	}
	f.Fuzz(func(t *testing.T, which byte, key, text string) {
		m := must(New(settable[int(which)%len(settable)].Name))(t)
		if err := Set(m, key, text); err != nil {
			if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), m.Name()+": ") {
				t.Fatalf("the refusal is %q", err)
			}
			return
		}
		first := Values(m)
		if err := Set(m, key, fmt.Sprint(first[key])); err != nil {
			t.Fatalf("%s=%q is taken and told as %v, which is not taken: %v", key, text, first[key], err)
		}
		if again := Values(m); fmt.Sprint(first) != fmt.Sprint(again) {
			t.Fatalf("%s=%q is %v, and told again %v", key, text, first[key], again[key])
		}
		for _, n := range []int{2, 50, method.AnySize} {
			if _, err := param.Resolve(m.Name(), m, n, func(string, ...any) {}); err != nil && strings.Contains(err.Error(), "\n") {
				t.Fatalf("the refusal is %q", err)
			}
		}
	})
}

// The same of a JSON object.
func FuzzSetJSON(f *testing.F) {
	for _, text := range []string{`{}`, `{"neighbors": 5}`, `{"neighbors": "5", "dim": 2}`, `{"dim": 2, "dim": 3}`, `{"gamma": 1e-400}`, `[1]`, `null`, `{"dim": null}`, `{"a": {`, `{"dim": 1e0}`, `{"neighbors": [1]}`} {
		for i := range 6 {
			f.Add(byte(9*i), text)
		}
	}
	f.Fuzz(func(t *testing.T, which byte, text string) {
		m := must(New(settable[int(which)%len(settable)].Name))(t)
		err := SetJSON(m, []byte(text))
		if err != nil {
			if strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), m.Name()+": ") {
				t.Fatalf("the refusal is %q", err)
			}
			return
		}
		again, err := json.Marshal(Values(m))
		if err != nil {
			t.Fatalf("%q makes values that are no JSON: %v", text, err)
		}
		same, _ := New(m.Name())
		if err := SetJSON(same, again); err != nil {
			t.Fatalf("%q is taken, its values %s are not: %v", text, again, err)
		}
	})
}

// Common parameters are taken or refused likewise.
func FuzzSetCommon(f *testing.F) {
	for _, p := range CommonParameters() {
		f.Add(p.Key, fmt.Sprint(p.Default))
		f.Add(p.Key, "auto")
		f.Add(p.Key, "-1")
	}
	f.Fuzz(func(t *testing.T, key, text string) {
		var o Options
		if err := SetCommon(&o, key, text); err != nil {
			if strings.Contains(err.Error(), "\n") {
				t.Fatalf("the refusal is %q", err)
			}
			return
		}
		if _, err := o.withDefaults(); err != nil && strings.Contains(err.Error(), "\n") {
			t.Fatalf("the refusal is %q", err)
		}
	})
}
