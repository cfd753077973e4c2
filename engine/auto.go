package engine

import (
	"math"
	"reflect"

	"github.com/orthant-go/orthant/engine/wording"
)

// Auto, as the number of neighbours of an embedding method (its field Neighbors, or the text "auto"
// under the key neighbors), means that the number is found from the samples: the default of the
// method, or fewer if neighbourhoods would reach other sheets. Noise is first removed from the
// samples, unless Options.Denoise says otherwise: see docs/noise.md.
//
// As the number of coordinates (Dim, dim) it means the intrinsic dimension of the samples: see
// docs/choosing.md. Result.Details gives the number and the reason under dim_found, dim_estimate,
// dim_gaps and dim_reason.
const Auto = math.MinInt32

// The keys of the parameters that may be [Auto].
const (
	neighborsKey = "neighbors"
	dimKey       = "dim"
)

// countField is the method's field of a number that may be [Auto], of a copy that may be
// changed; invalid: it has none.
func countField(m Method, key string) (Method, reflect.Value) {
	own := copied(m)
	if own == nil {
		return m, reflect.Value{}
	}
	for _, f := range fields(own) {
		if f.Key == key && f.mayBeAuto() {
			return own, f.value
		}
	}
	return m, reflect.Value{}
}

// copied is a copy of a method, whose parameters can be set; nil: it has none.
func copied(m Method) Method {
	v := reflect.Indirect(reflect.ValueOf(m))
	if v.Kind() != reflect.Struct {
		return nil
	}
	own := reflect.New(v.Type())
	own.Elem().Set(v)
	return own.Interface().(Method)
}

// mayBeAuto tells whether the field is a number that may be found from the data.
func (f field) mayBeAuto() bool {
	return (f.Key == neighborsKey || f.Key == dimKey) && f.value.Kind() == reflect.Int
}

// isAuto tells whether the number under the key is to be found.
func isAuto(m Method, key string) bool {
	_, k := countField(m, key)
	return k.IsValid() && k.Int() == Auto
}

// withoutAuto is the method with its default number of neighbours in place of [Auto].
func withoutAuto(m Method) Method { return withCount(m, neighborsKey, 0) }

// withCount is the method with such a number under the key; 0: its default.
func withCount(m Method, key string, count int) Method {
	copied, k := countField(m, key)
	if !k.IsValid() {
		return m
	}
	k.SetInt(int64(count))
	return copied
}

// settleAuto makes the options what neighbors=auto and radius imply, and refuses auto where
// there is nothing to choose. denoised says that the options had a word about noise.
func (s state) settleAuto(task string, o Options, denoised bool) (state, Options, error) {
	auto := isAuto(s.method, neighborsKey)
	if isAuto(s.method, dimKey) && task != "embed" {
		return s, o, wording.Errorf("%s: ‹dim=auto› is for embeddings; give a number of coordinates to %s", s.Method(), task)
	}
	if auto && task != "embed" {
		return s, o, wording.Errorf("%s: ‹neighbors=auto› is for embeddings; give a number of neighbours to %s", s.Method(), task)
	}
	if len(o.structures()) == 0 {
		if task == "embed" && (auto || o.Radius != "none") && !denoised {
			o.Denoise = "auto"
		}
		return s, o, nil
	}
	if auto || o.Radius != "none" {
		s.Warn("the neighbours are given: ‹neighbors=auto› and ‹radius› do nothing")
	}
	if o.Denoise != "off" {
		s.Warn("the neighbours are given, which are those of the samples as they are: denoise does nothing")
	}
	if o.Radius, o.Denoise = "none", "off"; auto {
		s.method = withoutAuto(s.method)
	}
	return s, o, nil
}
