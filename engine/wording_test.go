package engine

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/wording"
)

// The name of every parameter in a message is that of its field.
func TestFieldsAreNamed(t *testing.T) {
	var walk func(of reflect.Type, who string)
	walk = func(of reflect.Type, who string) {
		for i := range of.NumField() {
			f := of.Field(i)
			if key := f.Tag.Get("json"); f.Anonymous {
				walk(f.Type, who)
			} else if key != "" && wording.Field(key) != f.Name && !(who == "lp-rna" && key == "neighbors") && !(key == "labels" && f.Type.Kind() == reflect.String) {
				t.Errorf("%s: messages call the field %s of %q %s", who, f.Name, key, wording.Field(key))
			}
		}
	}
	for _, e := range Methods() {
		walk(reflect.Indirect(reflect.ValueOf(named(t, e.Name))).Type(), e.Name)
	}
	walk(reflect.TypeFor[Options](), "options")
}

// The errors and warnings of the engine speak Go whatever is wrong: no flag, no command, no mark
// is left in them. Every parameter gets values that no parameter takes.
func TestRefusalsSpeakGo(t *testing.T) {
	foreign := regexp.MustCompile(`--[a-z]|\borthant [a-z]|[‹›]|\b[a-z][a-z0-9_]*=[a-z0-9]`)
	heard := 0
	check := func(what string, err error) {
		t.Helper()
		if err == nil {
			return
		}
		heard++
		if found := foreign.FindString(err.Error()); found != "" {
			t.Errorf("%s: %q in %v", what, found, err)
		}
		if other := wording.Error(err, wording.Arguments); strings.ContainsAny(other, "‹›") || strings.Contains(other, "--") {
			t.Errorf("%s: as arguments %s", what, other)
		}
	}
	x := mat.NewDense(12, 3, nil)
	for i := range 12 {
		for j := range 3 {
			x.Set(i, j, float64((i*7+j*5)%11)-2)
		}
	}
	ctx := context.Background()
	run := func(what string, m Method, o Options) {
		t.Helper()
		r, err := Embed(ctx, x, m, o)
		check(what+": embed", err)
		if err == nil {
			check(what+": embed warns", errors.New(strings.Join(r.Warnings, "\n")))
		}
		_, err = Factorize(ctx, x, m, FactorizeOptions{Options: o, Rank: 2})
		check(what+": factorize", err)
		_, err = Cluster(ctx, x, m, ClusterOptions{Options: o, Clusters: 2})
		check(what+": cluster", err)
		_, err = Select(ctx, x, m, SelectOptions{Options: o, Count: 2})
		check(what+": select", err)
	}
	for _, e := range Methods() {
		for _, p := range append(Parameters(named(t, e.Name)), CommonOf(named(t, e.Name))...) {
			for _, value := range []string{"-7", "nonsense", "1e9", "auto"} {
				m, o := named(t, e.Name), Options{}
				what := fmt.Sprintf("%s, %s %s", e.Name, p.Key, value)
				if check(what, Set(m, p.Key, value)); value != "1e9" && value != "auto" {
					check(what, SetCommon(&o, p.Key, value))
				}
			}
		}
		for _, o := range []Options{{Components: "joint"}, {Components: "some"}, {Landmarks: 40}, {Memory: 1}, {Certified: true}, {Standardize: "log1p"}, {Radius: "auto"}, {Duplicates: "merge", Model: true}, {Labels: make([]int64, 3)}, {Neighbors: "some"}} {
			run(e.Name, named(t, e.Name), o)
		}
	}
	if heard < 1000 {
		t.Errorf("%d errors were heard; these provoke more", heard)
	}
}
