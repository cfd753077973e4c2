package engine

import (
	"fmt"
	"math"
	"reflect"
)

// Auto, as the number of neighbours of a method that embeds (its field Neighbors, or the text
// "auto" under the key neighbors), has it found from the samples: the method's default, or
// fewer where neighbourhoods would reach across to other sheets. Samples are moved off their
// noise first, unless Options.Denoise says otherwise: see docs/noise.md.
const Auto = math.MinInt32

// autoKey is the key of the parameter that may be [Auto].
const autoKey = "neighbors"

// neighborsField is the method's field of the number of neighbours, of a copy that may be
// changed; invalid: it has none.
func neighborsField(m Method) (Method, reflect.Value) {
	v := reflect.Indirect(reflect.ValueOf(m))
	if v.Kind() != reflect.Struct {
		return m, reflect.Value{}
	}
	copied := reflect.New(v.Type())
	copied.Elem().Set(v)
	for _, f := range fields(copied.Interface()) {
		if f.Key == autoKey && f.value.Kind() == reflect.Int {
			return copied.Interface().(Method), f.value
		}
	}
	return m, reflect.Value{}
}

// mayBeAuto tells whether the field is a number of neighbours that may be found from the data.
func (f field) mayBeAuto() bool { return f.Key == autoKey && f.value.Kind() == reflect.Int }

// isAuto tells whether the number of neighbours is to be found.
func isAuto(m Method) bool {
	_, k := neighborsField(m)
	return k.IsValid() && k.Int() == Auto
}

// withoutAuto is the method with its default in place of [Auto].
func withoutAuto(m Method) Method { return withCount(m, 0) }

// withCount is the method with so many neighbours; 0: its default.
func withCount(m Method, count int) Method {
	copied, k := neighborsField(m)
	if !k.IsValid() {
		return m
	}
	k.SetInt(int64(count))
	return copied
}

// settleAuto makes the options what neighbors=auto and radius imply, and refuses auto where
// there is nothing to choose.
func (b *begun) settleAuto(task string, m Method, denoised bool) (Method, error) {
	auto := isAuto(m)
	if auto && task != "embed" {
		return nil, fmt.Errorf("%s: neighbors=auto is for embeddings; give a number of neighbours to %s", b.Method(), task)
	}
	if len(b.options.structures()) > 0 {
		if auto || b.options.Radius != "none" {
			b.Warn("the neighbours are given: neighbors=auto and radius do nothing")
		}
		b.options.Radius = "none"
		if b.options.Denoise != "off" {
			b.Warn("the neighbours are given, which are those of the samples as they are: denoise does nothing")
		}
		b.options.Denoise = "off"
		if auto {
			m = withoutAuto(m)
		}
		return m, nil
	}
	if task == "embed" && (auto || b.options.Radius != "none") && !denoised {
		b.options.Denoise = "auto"
	}
	return m, nil
}
