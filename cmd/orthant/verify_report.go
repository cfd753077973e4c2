package main

import (
	"encoding/json"
	"maps"
	"math"
	"strconv"

	"github.com/spf13/pflag"
	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/assign"
	"github.com/orthant-go/orthant/engine/files"
)

// told is what verify takes from the report of an embedding.
type told struct {
	Method      string         `json:"method"`
	Params      map[string]any `json:"params"`
	Eigenvalues []*float64     `json:"eigenvalues"`
	Next        *float64       `json:"next_eigenvalue"`
	Seed        uint64         `json:"seed"`
}

// chooseMethod makes the method from the report, with what the flags say in its place.
func (v *verification) chooseMethod(flags *pflag.FlagSet, y *mat.Dense) (engine.Method, error) {
	var of told
	if v.report != "" {
		var err error
		if of, err = v.readReport(); err != nil {
			return nil, err
		}
	}
	if v.method == "" {
		v.method = of.Method
	}
	method, given, err := v.make("embed", flags)
	if err != nil {
		return nil, err
	}
	if of.Method == v.method {
		known := append(assign.Keys(engine.Parameters(method)), assign.Keys(engine.CommonParameters())...)
		from := settings{}
		for _, key := range known {
			if text, plain := asText(of.Params[key]); plain {
				from[key] = text
			}
		}
		maps.Copy(from, given)
		given = from
		for _, value := range of.Eigenvalues {
			if value == nil {
				break
			}
			v.options.Eigenvalues = append(v.options.Eigenvalues, *value)
		}
		if v.options.Next = math.NaN(); of.Next != nil {
			v.options.Next = *of.Next
		}
		if !flags.Changed("seed") && of.Seed > 0 {
			v.seed = of.Seed
		}
	}
	if _, set := given["dim"]; !set {
		_, dim := y.Dims()
		given["dim"] = strconv.Itoa(dim)
	}
	return method, setParameters(v.invocation, "embed", method, given, &v.options.Options, engine.CommonParameters())
}

// readReport reads the report.
func (v *verification) readReport() (told, error) {
	var of told
	text, err := files.ReadJSON(v.report, v.reading())
	if err != nil {
		return of, err
	}
	if err := json.Unmarshal(text, &of); err != nil {
		return of, wrong("%s is no report: %w; give what \"orthant embed --json\" printed", v.report, err)
	}
	if of.Method == "" || of.Params == nil {
		return of, wrong("%s names no method with its parameters; give what \"orthant embed --json\" printed", v.report)
	}
	return of, nil
}

// asText is a value of the report as --set takes it; plain: it is one that can be set.
func asText(value any) (text string, plain bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	}
	return "", false
}
