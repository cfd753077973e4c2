package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine"
)

type schema = map[string]any

// orNull is a type that may be null as well.
func orNull(kind string) schema { return schema{"type": []string{kind, "null"}} }

// judgement and unjudged are what a verdict says in a word (0.9.0 had the sentence there), and what it was not asked;
// trials are the remedies that were tried against its doubts, the outcome of those that were.
var (
	judgement = schema{"type": "string"}
	unjudged  = listOf(object(schema{"what": schema{"type": "string"}, "why": schema{"type": "string"}}))
	trials    = listOf(objectOf(schema{"setting": schema{"type": "string"}, "tried": schema{"type": "boolean"}, "offered": schema{"type": "boolean"},
		"sound": schema{"type": "boolean"}, "even": orNull("number"), "neighbors_kept": orNull("number")}, []string{"setting", "tried", "offered"}))
)

// ofMap is what is measured of a map.
var ofMap = object(schema{"neighbors": schema{"type": "integer"}, "torn": orNull("number"), "invented": orNull("number"), "noise": orNull("number"), "mixed": orNull("number"),
	"groups": schema{"type": "integer"}, "groups_shown": schema{"type": "integer"}, "severed": orNull("number"), "merged": orNull("number"), "tears": schema{"type": "integer"},
	"density_kept": orNull("number"), "distances_kept": orNull("number"), "unstable": orNull("number"), "falling": orNull("number")})

// marshaled are the types that write themselves as JSON, with what they write.
var marshaled = map[reflect.Type]schema{
	reflect.TypeFor[number]():      orNull("number"),
	reflect.TypeFor[json.Number](): {"type": "number"},
	reflect.TypeFor[engine.Verdict](): later(schema{"verdict": judgement, "sound": orNull("boolean"), "sentence": schema{"type": "string"}, "not_judged": unjudged,
		"improvement": orNull("number"), "graph_share": orNull("number")}),
	reflect.TypeFor[engine.Quality](): later(schema{"verdict": judgement, "sound": orNull("boolean"), "sentence": schema{"type": "string"}, "not_judged": unjudged, "remedies": trials, "gap": orNull("number"),
		"weights_bias": orNull("number"), "participation": listOf(orNull("number")), "charts": schema{"type": "integer"}, "sizes": listOf(schema{"type": "integer"}),
		"off_tangent": listOf(orNull("number")), "nonlinearity": listOf(orNull("number")), "unevenness": listOf(orNull("number")), "even": orNull("number"),
		"least_stretch": orNull("number"), "thin": orNull("number"), "instability": orNull("number"), "neighbors_kept": orNull("number"),
		"kept_by": listOf(orNull("number")), "torn": orNull("number"), "invented": orNull("number"), "dimension_shown": orNull("number"),
		"variance_kept": orNull("number"), "places": orNull("number"), "worst": listOf(schema{"type": "integer"}), "map": ofMap}),
}

func listOf(items schema) schema { return schema{"type": "array", "items": items} }

// object is an object of which every property is there.
func object(properties schema) schema {
	return objectOf(properties, slices.Collect(maps.Keys(properties)))
}

// later is an object of which every property is there that 0.9.0 had, so that its outputs are still valid.
func later(properties schema) schema {
	since := []string{"sentence", "not_judged", "remedies", "neighbors_kept", "kept_by", "torn", "invented", "dimension_shown", "variance_kept", "places", "map"}
	return objectOf(properties, slices.DeleteFunc(slices.Collect(maps.Keys(properties)), func(key string) bool { return slices.Contains(since, key) }))
}

func objectOf(properties schema, required []string) schema {
	return schema{"type": "object", "properties": properties, "required": slices.Sorted(slices.Values(required))}
}

// schemas makes schemas of types as encoding/json writes them. What a field means is read from
// the comment that ends its line.
type schemas struct {
	t      *testing.T
	parsed map[string]map[string]string // of a folder, the comments of "Type.Field"
}

func (s *schemas) of(t reflect.Type) schema {
	if known, ok := marshaled[t]; ok {
		return known
	}
	switch t.Kind() {
	case reflect.Bool:
		return schema{"type": "boolean"}
	case reflect.Int, reflect.Int64, reflect.Int32:
		return schema{"type": "integer"}
	case reflect.Uint, reflect.Uint64, reflect.Uint32:
		return schema{"type": "integer", "minimum": 0}
	case reflect.Float64:
		return schema{"type": "number"}
	case reflect.String:
		return schema{"type": "string"}
	case reflect.Slice:
		return listOf(s.of(t.Elem()))
	case reflect.Map:
		return schema{"type": "object", "additionalProperties": s.of(t.Elem())}
	case reflect.Pointer:
		return schema{"anyOf": []schema{s.of(t.Elem()), {"type": "null"}}}
	case reflect.Interface:
		return schema{}
	case reflect.Struct:
		properties, required := schema{}, []string{}
		s.fields(t, false, properties, &required)
		return objectOf(properties, required)
	}
	s.t.Fatalf("no schema of a %s", t)
	return nil
}

// fields adds the fields of a struct; what it embeds comes after, as its own names go first.
func (s *schemas) fields(t reflect.Type, optional bool, properties schema, required *[]string) {
	var embedded []reflect.StructField
	for f := range t.Fields() {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			embedded = append(embedded, f)
			continue
		}
		if !f.IsExported() || name == "-" || properties[name] != nil {
			continue
		}
		if name == "" {
			name = f.Name
		}
		omitted := strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero")
		kind := f.Type
		if omitted && kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		property := schema{}
		for key, value := range s.of(kind) {
			property[key] = value
		}
		if text := s.comment(t, f.Name); text != "" {
			property["description"] = text
		}
		properties[name] = property
		if !omitted && !optional {
			*required = append(*required, name)
		}
	}
	for _, f := range embedded {
		kind, perhaps := f.Type, optional
		if kind.Kind() == reflect.Pointer {
			kind, perhaps = kind.Elem(), true
		}
		s.fields(kind, perhaps, properties, required)
	}
}

// comment is what ends the line of a field of the module's own types.
func (s *schemas) comment(t reflect.Type, field string) string {
	const module = "github.com/orthant-go/orthant/"
	if t.Name() == "" {
		return ""
	}
	folder := "." // the package of the command is main
	if path, ours := strings.CutPrefix(t.PkgPath(), module); ours {
		folder = filepath.Join("..", "..", path)
	}
	if s.parsed[folder] == nil {
		s.parsed[folder] = s.comments(folder)
	}
	return s.parsed[folder][t.Name()+"."+field]
}

func (s *schemas) comments(folder string) map[string]string {
	found := map[string]string{}
	paths, _ := filepath.Glob(filepath.Join(folder, "*.go"))
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			s.t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, is := n.(*ast.TypeSpec)
			if !is {
				return true
			}
			of, is := spec.Type.(*ast.StructType)
			if !is {
				return true
			}
			for _, f := range of.Fields.List {
				for _, name := range f.Names {
					if f.Comment != nil {
						found[spec.Name.Name+"."+name.Name] = strings.TrimSpace(f.Comment.Text())
					}
				}
			}
			return true
		})
	}
	return found
}
