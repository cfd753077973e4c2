package engine

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/orthant-go/orthant/engine/wording"
)

// Parameter describes one parameter of a method. It is read from the field's
// tags, so that help, command line, JSON and Go cannot disagree.
type Parameter struct {
	Key     string `json:"key"`
	Type    string `json:"type"`    // integer, number, boolean or text
	Default any    `json:"default"` // a word such as "auto" where no number stands for it
	Allowed string `json:"allowed"` // such as "≥ 1", "> 0", "union|mutual"; empty: anything
	Meaning string `json:"meaning"`
	// Paper is the default under protocol=paper, where that is another one; else nil.
	Paper any `json:"paper,omitempty"`
}

// field is one parameter of one method value.
type field struct {
	Parameter
	text  string // the default as its tag spells it
	paper string // that under protocol=paper; empty: the same
	zero  string // the word that stands for 0; empty: none does
	index []int  // of the field in its struct
	value reflect.Value
}

// fields walks the parameters of a struct: the fields with a json key, which
// have a default and a doc tag besides, and a zero tag where a word stands for 0.
// The default of a number may be a word: its zero value means that word.
// An embedded struct is a group of parameters that methods share, in its place; a tag
// of the embedding that is named like one of its keys is another default. A tag paper, of
// the embedding paper_KEY, is the default under protocol=paper; allowed_KEY and doc_KEY
// of the embedding are what the method allows and means by it.
func fields(m any) []field {
	v := reflect.Indirect(reflect.ValueOf(m))
	all := slices.Clone(declared(v.Type()))
	for i := range all {
		all[i].value = v.FieldByIndex(all[i].index)
	}
	if slices.ContainsFunc(all, field.asksForPaper) {
		for i := range all {
			all[i].takePaper()
		}
	}
	return all
}

// declarations are the fields of each type of a method as its tags declare them.
var declarations sync.Map

// declared reads the tags of a type, the first time it is asked for.
func declared(t reflect.Type) []field {
	if known, found := declarations.Load(t); found {
		return known.([]field)
	}
	all := fieldsOf(reflect.New(t).Elem(), "", nil)
	declarations.Store(t, all)
	return all
}

func fieldsOf(v reflect.Value, defaults reflect.StructTag, index []int) []field {
	var all []field
	for i := range v.NumField() {
		of := v.Type().Field(i)
		at := append(slices.Clone(index), i)
		if of.Anonymous {
			all = append(all, fieldsOf(v.Field(i), of.Tag, at)...)
			continue
		}
		if of.Tag.Get("json") == "" {
			continue
		}
		f := fieldOf(v.Field(i), of.Tag, defaults)
		f.index = at
		all = append(all, f)
	}
	return all
}

func fieldOf(value reflect.Value, tag, defaults reflect.StructTag) field {
	f := field{value: value, text: tag.Get("default"), zero: tag.Get("zero")}
	f.Key, f.Allowed, f.Meaning = tag.Get("json"), tag.Get("allowed"), tag.Get("doc")
	f.paper = tag.Get("paper")
	if text, found := defaults.Lookup("allowed_" + f.Key); found {
		f.Allowed = text
	}
	if text, found := defaults.Lookup("doc_" + f.Key); found {
		f.Meaning = text
	}
	if text, found := defaults.Lookup(f.Key); found {
		f.text = text
	}
	if text, found := defaults.Lookup("paper_" + f.Key); found {
		f.paper = text
	}
	f.Type = kinds[baseType(f.value.Type()).Kind()]
	if f.paper != "" {
		f.Paper = f.defaultOf(f.paper)
	}
	f.Default = f.defaultOf(f.text)
	return f
}

// defaultOf is the default that a tag spells.
func (f field) defaultOf(text string) any {
	f.text = text
	if w := f.word(); w != nil {
		return w
	}
	value, _ := f.parse(text)
	return value
}

var kinds = map[reflect.Kind]string{reflect.Int: "integer", reflect.Float64: "number", reflect.Bool: "boolean", reflect.String: "text"}

func baseType(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// word returns the default where it is a word, not a number: of a number, for which its
// zero value stands, and of a field that has a pointer because 0 is not the default.
func (f field) word() any {
	if slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Float64, reflect.Int}, f.value.Kind()) {
		if _, err := strconv.ParseFloat(f.text, 64); err != nil {
			return f.text
		}
	}
	return nil
}

// parse reads a value of the field's type and checks its range.
func (f field) parse(text string) (any, error) {
	if f.mayBeAuto() && text == "auto" {
		return Auto, nil
	}
	if f.zero != "" && text == f.zero {
		text = "0"
	}
	if f.value.Kind() != reflect.Pointer && f.word() == any(text) {
		return reflect.Zero(f.value.Type()).Interface(), nil
	}
	var value any
	var err error
	switch f.Type {
	case "integer":
		value, err = strconv.Atoi(text)
	case "number":
		var x float64
		if x, err = strconv.ParseFloat(text, 64); err == nil && (math.IsNaN(x) || math.IsInf(x, 0)) {
			err = fmt.Errorf("not finite")
		}
		value = x
	case "boolean":
		value, err = strconv.ParseBool(text)
	default:
		value = text
	}
	if err != nil {
		return nil, wording.Errorf("‹%s› is %q; give %s", f.Key, text, f.expected())
	}
	return value, f.inRange(value)
}

// expected describes what a value may be.
func (f field) expected() string {
	what := map[string]string{"integer": "a whole number", "number": "a number", "boolean": "true or false", "text": "one of"}[f.Type]
	if f.Allowed != "" {
		what += " " + strings.ReplaceAll(f.Allowed, "|", ", ")
	}
	if w := f.word(); w != nil {
		what += fmt.Sprintf(", or %v", w)
	}
	if f.zero != "" {
		what += ", or " + f.zero
	}
	return what
}

// current returns the field's value, nil pointers as their word.
func (f field) current() any {
	if f.mayBeAuto() && f.value.Int() == Auto {
		return "auto"
	}
	if f.value.Kind() != reflect.Pointer {
		if w := f.word(); w != nil && f.value.IsZero() {
			return w
		}
		return f.value.Interface()
	}
	if f.value.IsNil() {
		return f.Default
	}
	if f.zero != "" && f.value.Elem().IsZero() {
		return f.zero
	}
	return f.value.Elem().Interface()
}

// Parameters describes the parameters of a method.
func Parameters(m Method) []Parameter {
	var list []Parameter
	for _, f := range fields(m) {
		list = append(list, f.Parameter)
	}
	return list
}

// Values returns the parameters of a method under their keys, those left at
// zero with their defaults.
func Values(m Method) map[string]any {
	values := map[string]any{}
	for _, f := range fields(m) {
		values[f.Key] = f.current()
		if f.value.IsZero() {
			values[f.Key] = f.Default
		}
	}
	return values
}

// resolved returns a copy of m with defaults for n samples filled in, after
// checking every parameter's range. A default for the number of neighbours is
// capped at n − 1, with a warning.
func resolved(m Method, n int, warn func(string, ...any)) (Method, error) {
	out := copied(m)
	if out == nil {
		return nil, fmt.Errorf("engine: no method given")
	}
	for _, f := range fields(out) {
		given, err := f.fill()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name(), err)
		}
		if f.Key != "neighbors" || f.value.Kind() == reflect.Pointer && f.value.IsNil() {
			continue
		}
		switch k := reflect.Indirect(f.value); {
		case k.Int() < int64(n):
		case given:
			return nil, fmt.Errorf("%s: %d neighbours asked of %d samples; give a number from 1 to %d", m.Name(), k.Int(), n, n-1)
		default:
			warn("%d neighbours, the default, are too many for %d samples: took %d", k.Int(), n, n-1)
			k.SetInt(int64(n - 1))
		}
	}
	return out, nil
}

// fill checks the field's value, or sets it to its default where none was given. A
// word stays a nil pointer or a zero; other pointers are there only so that 0 can be given.
func (f field) fill() (given bool, err error) {
	switch {
	case f.value.Kind() == reflect.Pointer && !f.value.IsNil():
		return true, f.inRange(f.value.Elem().Interface())
	case f.value.Kind() == reflect.Pointer && f.word() == nil:
		f.value.Set(reflect.New(f.value.Type().Elem()))
		f.value.Elem().Set(reflect.ValueOf(f.Default))
	case f.value.Kind() == reflect.Pointer:
	case !f.value.IsZero():
		return true, f.inRange(f.value.Interface())
	case f.word() != nil:
	default:
		f.value.Set(reflect.ValueOf(f.Default))
	}
	return false, nil
}
