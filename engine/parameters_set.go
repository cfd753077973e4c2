package engine

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/internal/jsonkeys"
	"github.com/orthant-go/orthant/internal/suggest"
)

// Set gives one parameter of a method, which must be a pointer as [New] returns
// it, a value written as text. The error names the parameter, the value and
// what is allowed; an unknown key suggests the nearest one.
func Set(m Method, key, text string) error {
	if absent(m) {
		return errNoMethod
	}
	return setField(m.Name()+": ", fields(m), key, text)
}

// setField sets the field of that key; errors begin with the owner.
func setField(owner string, all []field, key, text string) error {
	var known []string
	for _, f := range all {
		if f.Key != key {
			known = append(known, f.Key)
			continue
		}
		if text == f.text && f.value.Kind() == reflect.Pointer {
			f.value.SetZero()
			return nil
		}
		value, err := f.parse(text)
		if err != nil {
			return fmt.Errorf("%s%w", owner, err)
		}
		if f.value.Kind() == reflect.Pointer {
			f.value.Set(reflect.New(f.value.Type().Elem()))
			f.value.Elem().Set(reflect.ValueOf(value))
			return nil
		}
		f.value.Set(reflect.ValueOf(value))
		return nil
	}
	if near := suggest.Nearest(key, known); near != "" {
		return fmt.Errorf("%sno parameter %q; did you mean %q?", owner, key, near)
	}
	return fmt.Errorf("%sno parameter %q; there are %s", owner, key, strings.Join(known, ", "))
}

// SetJSON gives a method the parameters of a JSON object, by the same rules. A key that
// is there twice is an error.
func SetJSON(m Method, object []byte) error {
	if absent(m) {
		return errNoMethod
	}
	var values map[string]json.RawMessage
	if err := json.Unmarshal(object, &values); err != nil {
		return fmt.Errorf("%s: the parameters are no JSON object: %w", m.Name(), err)
	}
	if key, found := jsonkeys.Repeated(object); found {
		return wording.Errorf("%s: ‹%s› is given twice; keep one of them", m.Name(), key)
	}
	for key, raw := range values {
		text := string(raw)
		var s string
		if json.Unmarshal(raw, &s) == nil {
			text = s
		}
		if err := Set(m, key, text); err != nil {
			return err
		}
	}
	return nil
}
