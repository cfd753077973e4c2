// Package param reads the parameters of a struct from the tags of its fields, so that help,
// command line, JSON and Go agree.
package param

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/internal/jsonkeys"
	"github.com/orthant-go/orthant/internal/suggest"
)

// Parameter describes one parameter.
type Parameter struct {
	Key     string `json:"key"`
	Type    string `json:"type"`    // integer, number, boolean or text
	Default any    `json:"default"` // a word such as "auto" if no number stands for it
	Allowed string `json:"allowed"` // such as "≥ 1", "> 0", "union|mutual"; empty: anything
	Meaning string `json:"meaning"`
	Paper   any    `json:"paper,omitempty"` // releases up to 0.9.0 gave the default of the method's paper; to be removed in 1.0
}

// Field is one parameter of one method value.
type Field struct {
	Parameter
	text string // the default as written in the tag
	zero string // the word that stands for 0; empty: none does

	former     []string // other keys that are accepted until 1.0
	deprecated string   // wholeParameter, or the value that is no longer offered

	capped bool // a number of neighbours that the search caps, with a warning

	index []int // of the field in the struct
	Value reflect.Value
}

// Fields returns the parameters of a struct: the fields with a json key. Each also
// has a default tag and a doc tag, and a zero tag if a word stands for 0.
// The default of a number may be a word, which then means the zero value.
// An embedded struct is a group of parameters that methods share. Tags on the embedding override
// the group: KEY sets another default, allowed_KEY the allowed values, doc_KEY the meaning.
// The tag former lists earlier keys of the parameter, separated by commas. The tag deprecated is "all" if
// the parameter is no longer offered, or names a value that is no longer offered. Both are accepted
// until 1.0 and reported by [DeprecationWarning]; the Go fields stay. The tag capped lets the search cap a
// number of neighbours that exceeds the number of samples.
func Fields(m any) []Field {
	v := reflect.Indirect(reflect.ValueOf(m))
	all := slices.Clone(declared(v.Type()))
	for i := range all {
		all[i].Value = v.FieldByIndex(all[i].index)
	}
	if slices.ContainsFunc(all, Field.asksForPaper) {
		takePaper(all, m)
	}
	return all
}

// declarations caches the declared fields of each type.
var declarations sync.Map

// declared returns the fields of a type, reading its tags on the first call.
func declared(t reflect.Type) []Field {
	if known, found := declarations.Load(t); found {
		return known.([]Field)
	}
	all := fieldsOf(reflect.New(t).Elem(), "", nil)
	declarations.Store(t, all)
	return all
}

func fieldsOf(v reflect.Value, defaults reflect.StructTag, index []int) []Field {
	var all []Field
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

func fieldOf(value reflect.Value, tag, defaults reflect.StructTag) Field {
	f := Field{Value: value, text: tag.Get("default"), zero: tag.Get("zero")}
	f.Key, f.Allowed, f.Meaning = tag.Get("json"), tag.Get("allowed"), tag.Get("doc")
	f.deprecated = tag.Get("deprecated")
	f.capped = tag.Get("capped") != ""
	if keys := tag.Get("former"); keys != "" {
		f.former = strings.Split(keys, ",")
	}
	if text, found := defaults.Lookup("allowed_" + f.Key); found {
		f.Allowed = text
	}
	if text, found := defaults.Lookup("doc_" + f.Key); found {
		f.Meaning = text
	}
	if text, found := defaults.Lookup(f.Key); found {
		f.text = text
	}
	f.Type = kinds[baseType(f.Value.Type()).Kind()]
	f.Default = f.defaultOf(f.text)
	return f
}

// defaultOf returns the default that a tag states.
func (f Field) defaultOf(text string) any {
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

// word returns the default if it is a word, not a number: a number whose zero value stands for the
// word, or a pointer field (used where 0 is not the default).
func (f Field) word() any {
	if slices.Contains([]reflect.Kind{reflect.Pointer, reflect.Float64, reflect.Int}, f.Value.Kind()) {
		if _, err := strconv.ParseFloat(f.text, 64); err != nil {
			return f.text
		}
	}
	return nil
}

// parse parses a value of the field's type and checks its range.
func (f Field) parse(text string) (any, error) {
	if f.MayBeAuto() && text == "auto" {
		return Auto, nil
	}
	if f.zero != "" && text == f.zero {
		text = "0"
	}
	if f.Value.Kind() != reflect.Pointer && f.word() == any(text) {
		return reflect.Zero(f.Value.Type()).Interface(), nil
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
	return value, f.InRange(value)
}

// expected describes the values that are allowed.
func (f Field) expected() string {
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

// Current returns the field's value; a nil pointer as its default, such as "auto".
func (f Field) Current() any {
	if f.MayBeAuto() && f.Value.Int() == Auto {
		return "auto"
	}
	if f.Value.Kind() != reflect.Pointer {
		if w := f.word(); w != nil && f.Value.IsZero() {
			return w
		}
		return f.Value.Interface()
	}
	if f.Value.IsNil() {
		return f.Default
	}
	if f.zero != "" && f.Value.Elem().IsZero() {
		return f.zero
	}
	return f.Value.Elem().Interface()
}

// Values returns the parameters of a struct by key, with defaults for those left at zero.
func Values(m any) map[string]any {
	values := map[string]any{}
	for _, f := range Fields(m) {
		values[f.Key] = f.Current()
		if f.Value.IsZero() {
			values[f.Key] = f.Default
		}
	}
	return values
}

// Resolve checks the range of every parameter and returns a copy of a struct with the defaults for n
// samples filled in. Errors begin with name. A default number of neighbours is capped at n − 1,
// with a warning.
func Resolve[M any](name string, m M, n int, warn func(string, ...any)) (M, error) {
	var none M
	out := Copy(m)
	for _, f := range Fields(out) {
		given, err := f.fill()
		if err != nil {
			return none, fmt.Errorf("%s: %w", name, err)
		}
		if f.Key != Neighbors || f.capped || f.Value.Kind() == reflect.Pointer && f.Value.IsNil() {
			continue
		}
		switch k := reflect.Indirect(f.Value); {
		case k.Int() < int64(n):
		case given:
			return none, fmt.Errorf("%s: %d neighbours requested of %d samples; give a number from 1 to %d", name, k.Int(), n, n-1)
		default:
			warn("%d neighbours, the default, are too many for %d samples: took %d", k.Int(), n, n-1)
			k.SetInt(int64(n - 1))
		}
	}
	return out, nil
}

// fill checks the field's value, or sets it to its default if none was given. A default that is a
// word stays a nil pointer or zero; other pointers exist only so that 0 can be given.
func (f Field) fill() (given bool, err error) {
	switch {
	case f.Value.Kind() == reflect.Pointer && !f.Value.IsNil():
		return true, f.InRange(f.Value.Elem().Interface())
	case f.Value.Kind() == reflect.Pointer && f.word() == nil:
		f.Value.Set(reflect.New(f.Value.Type().Elem()))
		f.Value.Elem().Set(reflect.ValueOf(f.Default))
	case f.Value.Kind() == reflect.Pointer:
	case !f.Value.IsZero():
		return true, f.InRange(f.Value.Interface())
	case f.word() != nil:
	default:
		f.Value.Set(reflect.ValueOf(f.Default))
	}
	return false, nil
}

// Copy returns a settable copy of a struct, or of the struct a pointer points to.
func Copy[M any](m M) M {
	v := reflect.Indirect(reflect.ValueOf(m))
	own := reflect.New(v.Type())
	own.Elem().Set(v)
	return own.Interface().(M)
}

// Set sets the parameter of a struct with the given key from text. Errors begin with owner. They
// name the parameter, the value and the allowed values; for an unknown key they suggest the
// closest one.
func Set(owner string, m any, key, text string) error {
	var known []string
	for _, f := range Fields(m) {
		if !f.named(key) {
			if f.Listed() {
				known = append(known, f.Key)
			}
			continue
		}
		if text == f.text && f.Value.Kind() == reflect.Pointer {
			f.Value.SetZero()
			return nil
		}
		value, err := f.parse(text)
		if err != nil {
			return fmt.Errorf("%s%w", owner, err)
		}
		if f.Value.Kind() == reflect.Pointer {
			f.Value.Set(reflect.New(f.Value.Type().Elem()))
			f.Value.Elem().Set(reflect.ValueOf(value))
			return nil
		}
		f.Value.Set(reflect.ValueOf(value))
		return nil
	}
	if near := suggest.Nearest(key, known); near != "" {
		return fmt.Errorf("%sno parameter %q; did you mean %q?", owner, key, near)
	}
	return fmt.Errorf("%sno parameter %q; there are %s", owner, key, strings.Join(known, ", "))
}

// SetJSON sets the parameters of a struct from a JSON object, by the rules of [Set]. A repeated key
// is an error.
func SetJSON(name string, m any, object []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(object, &values); err != nil {
		return fmt.Errorf("%s: the parameters are no JSON object: %w", name, err)
	}
	if key, found := jsonkeys.Repeated(object); found {
		return wording.Errorf("%s: ‹%s› is given twice; keep one of them", name, key)
	}
	for key, raw := range values {
		if now := Current(m, key); now != key && values[now] != nil {
			return wording.Errorf("%s: ‹%s› is given twice, also as %s, which is its former name; keep one of them", name, now, key)
		}
		text := string(raw)
		var s string
		if json.Unmarshal(raw, &s) == nil {
			text = s
		}
		if err := Set(name+": ", m, key, text); err != nil {
			return err
		}
	}
	return nil
}

// InRange returns an error for a value that is not allowed.
func (f Field) InRange(value any) error {
	if f.MayBeAuto() && value == Auto {
		return nil
	}
	ok := true
	bound := func(x float64) {
		var least, most float64
		if n, _ := fmt.Sscanf(f.Allowed, "from %g to %g", &least, &most); n == 2 {
			ok = x >= least && x <= most
			return
		}
		sign, limit, found := strings.Cut(f.Allowed, " ")
		if !found {
			return
		}
		l, err := strconv.ParseFloat(limit, 64)
		ok = err == nil && (sign == "≥" && x >= l || sign == ">" && x > l)
	}
	switch x := value.(type) {
	case int:
		if x > math.MaxInt32 {
			return wording.Errorf("‹%s› is %d; give %s, below 2³¹", f.Key, x, f.expected())
		}
		bound(float64(x))
	case float64:
		bound(x)
	case string:
		if f.Allowed != "" {
			ok = false
			for _, choice := range strings.Split(f.Allowed, "|") {
				ok = ok || chosen(choice, x)
			}
			ok = ok || x != "" && x == f.deprecated
		}
	}
	if !ok {
		if text, is := value.(string); is {
			value = visible(text)
		}
		return wording.Errorf("‹%s› is %v; give %s", f.Key, value, f.expected())
	}
	return nil
}

// visible returns a text for messages: quoted if it is empty or has characters that cannot be seen.
func visible(text string) string {
	if quoted := strconv.Quote(text); text == "" || quoted != `"`+text+`"` {
		return quoted
	}
	return text
}

// chosen reports whether a text matches one choice: the word itself, or, for the choice K, an
// integer ≥ 1, and for R, a number > 0.
func chosen(choice, text string) bool {
	switch choice {
	case "K":
		k, err := strconv.Atoi(text)
		return err == nil && k >= 1
	case "R":
		r, err := strconv.ParseFloat(text, 64)
		return err == nil && r > 0 && r <= math.MaxFloat64
	}
	return text == choice
}

// Auto, as a number of neighbours or of coordinates, means that it is found from the samples.
//
// A value to be found from the samples is "auto" in the command, JSON, C, Python and R. In Go it is
// represented as follows:
//
//   - Text: the word.
//   - A number whose default is auto: its zero value, which is 0 if 0 is not a valid value, and
//     otherwise a nil pointer. Pointers to numbers that cannot be 0 date from 0.9.0.
//   - A number with another default (neighbors and dim): this constant, because the zero value
//     means the default.
//
// Only [Field.Current] and [Set] depend on these rules.
const Auto = math.MinInt32

// The keys of the parameters that may be [Auto].
const (
	Neighbors = "neighbors"
	Dim       = "dim"
)

// MayBeAuto reports whether the field is a number that may be found from the data.
func (f Field) MayBeAuto() bool {
	return (f.Key == Neighbors || f.Key == Dim) && f.Value.Kind() == reflect.Int
}

// IsAuto reports whether the number under the key is to be found from the samples.
func IsAuto(m any, key string) bool {
	for _, f := range Fields(m) {
		if f.Key == key && f.MayBeAuto() {
			return f.Value.Int() == Auto
		}
	}
	return false
}

// WithCount returns a copy with a number under the key (0: its default); a plain copy if there is no such key.
func WithCount[M any](m M, key string, count int) M {
	own := Copy(m)
	for _, f := range Fields(own) {
		switch {
		case f.Key != key || f.Type != "integer":
		case f.Value.Kind() != reflect.Pointer:
			f.Value.SetInt(int64(count))
			return own
		case count == 0:
			f.Value.SetZero()
			return own
		default:
			f.Value.Set(reflect.ValueOf(&count))
			return own
		}
	}
	return m
}
