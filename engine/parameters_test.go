package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/internal/param"
)

// Groups of parameters count as the method's own, where they are embedded.
func TestParametersOfGroups(t *testing.T) {
	for _, c := range []struct {
		m    Method
		want string
	}{
		{&NMF{}, "protocol solver sweeps batch forget patience order extrapolate init iterations tolerance normalise shift stop alpha_w alpha_h l1_ratio missing unstored fixed labels rows"},
		{&GSGNMF{}, "protocol neighbors l1 l2 lambda term solver sweeps init iterations tolerance normalise shift labels rows"},
		{&CIMNMF{}, "protocol init iterations tolerance normalise shift residual_scale theta sigma2 schedule warm freeze_sigma_after labels rows"},
		{&LPRNA{}, "protocol p xi1 xi2 tau lambda term init iterations tolerance normalise shift residual_scale theta sigma2 schedule warm freeze_sigma_after kernel_constant labels rows"},
		{&SPRNA{}, "protocol k1 k2 combine allow_indefinite lambda term init iterations tolerance normalise shift residual_scale theta sigma2 schedule warm freeze_sigma_after kernel_constant"},
	} {
		var keys []string
		for _, p := range Parameters(c.m) {
			keys = append(keys, p.Key)
		}
		if got := strings.Join(keys, " "); got != c.want {
			t.Errorf("%s has %s, want %s", c.m.Name(), got, c.want)
		}
	}
	// Deep in a group, by text and by JSON; 500 in place of the group's 200.
	m := &LPRNA{}
	if err := Set(m, "schedule", "refresh"); err != nil || m.Schedule != "refresh" || m.Correntropy.Schedule != "refresh" {
		t.Errorf("Schedule is %q, %v", m.Schedule, err)
	}
	if err := SetJSON(m, []byte(`{"sigma2": 0.25, "iterations": 7}`)); err != nil || m.Sigma2 == nil {
		t.Fatalf("σ² is not set: %v", err)
	}
	if *m.Sigma2 != 0.25 || m.Iterations != 7 {
		t.Errorf("%+v", m)
	}
	if err := Set(m, "normalise", "never"); err == nil || !strings.Contains(err.Error(), "lp-rna: Normalize is never; give one of end, each, none") {
		t.Errorf("error %v", err)
	}
	if a, b := Values(&CIMNMF{})["iterations"], Values(&CIMGNMF{})["iterations"]; a != 500 || b != 500 {
		t.Errorf("cim-nmf takes %v iterations and cim-gnmf %v; want 500 of both", a, b)
	}
	filled := must(param.Resolve("cim-nmf", Method(&CIMNMF{}), 10, t.Errorf))(t)
	for key, want := range map[string]any{"iterations": 500, "residual_scale": "median", "theta": 4.5, "freeze_sigma_after": 50, "sigma2": "auto", "labels": "spectral"} {
		if got := Values(filled)[key]; got != want {
			t.Errorf("%s is filled in as %v, want %v", key, got, want)
		}
	}
	if _, err := param.Resolve("cim-nmf", Method(&CIMNMF{Updates: Updates{Iterations: -1}}), 10, t.Errorf); err == nil || !strings.Contains(err.Error(), "cim-nmf: Iterations is -1") {
		t.Errorf("error %v", err)
	}
}

// The neighbours of gs-gnmf: 100 or as many as there are, all others for 0 and "all".
func TestElasticNeighbors(t *testing.T) {
	x, _ := shapes(24, 10)
	few, all, many := 5, 0, 24
	run := func(m GSGNMF) (*Factorization, error) {
		m.Iterations = 20
		return Factorize(context.Background(), x, m, FactorizeOptions{Rank: 3})
	}
	near, err := run(GSGNMF{Neighbors: &few})
	if err != nil || near.Params["neighbors"] != 5 {
		t.Fatalf("%v, parameters %v", err, near.Params)
	}
	whole, err := run(GSGNMF{Neighbors: &all})
	if err != nil || whole.Params["neighbors"] != "all" || len(whole.Warnings) > 0 {
		t.Fatalf("%v, parameters %v, warnings %q", err, whole.Params, whole.Warnings)
	}
	if mat.Equal(near.W, whole.W) {
		t.Error("5 neighbours make no difference")
	}
	capped, err := run(GSGNMF{})
	if err != nil || capped.Params["neighbors"] != 23 || !slices.ContainsFunc(capped.Warnings, func(w string) bool { return strings.Contains(w, "100 neighbours, the default") }) {
		t.Fatalf("%v, parameters %v, warnings %q", err, capped.Params, capped.Warnings)
	}
	// The same codes, by other products: those of a neighbourhood in order of distance.
	if !mat.EqualApprox(capped.W, whole.W, 1e-6) {
		t.Error("23 neighbours are not all 23 others")
	}
	if _, err := run(GSGNMF{Neighbors: &many}); err == nil || !strings.Contains(err.Error(), "24 neighbours asked of 24 samples") {
		t.Errorf("error %v", err)
	}
	m := &GSGNMF{}
	if err := Set(m, "neighbors", "all"); err != nil || m.Neighbors == nil || *m.Neighbors != 0 {
		t.Errorf("all: %v, %v", m.Neighbors, err)
	}
	if err := Set(m, "neighbors", "-1"); err == nil || !strings.Contains(err.Error(), "or all") {
		t.Errorf("error %v", err)
	}
}

func TestSetSuggestsAndRefuses(t *testing.T) {
	if _, err := New("nmel"); err == nil || !strings.Contains(err.Error(), `"neml"`) {
		t.Errorf("got %v", err)
	}
	m := named(t, "neml")
	for _, c := range []struct{ key, value, want string }{
		{"gama", "1", `did you mean "gamma"`}, {"gamma", "0", "Gamma is 0; give a number > 0"}, {"gamma", "NaN", "Gamma is \"NaN\""},
		{"neighbors", "2.5", "give a whole number ≥ 1"}, {"neighbors", "0", "Neighbors is 0"}, {"eta", "x", "or auto"}, {"zzzz", "1", "there are neighbors, dim"},
	} {
		t.Run(c.key+"="+c.value, func(t *testing.T) {
			if err := Set(m, c.key, c.value); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s=%s: got %v, want %q", c.key, c.value, err, c.want)
			}
		})
	}
	if err := SetJSON(m, []byte(`{"gamma": 1e-4, "eta": 0, "lambda": "alpha"}`)); err != nil {
		t.Fatal(err)
	}
	if v := Values(m); v["gamma"] != 1e-4 || v["eta"] != 0.0 || v["lambda"] != "alpha" {
		t.Errorf("values %v", v)
	}
}

// Every method has an entry without gaps.
func TestEntries(t *testing.T) {
	for _, e := range Methods() {
		t.Run(e.Name, func(t *testing.T) {
			m := named(t, e.Name)
			if m.Name() != e.Name {
				t.Errorf("it is called %s", m.Name())
			}
			for what, text := range map[string]string{"title": e.Title, "summary": e.Summary, "source": e.Source} {
				if text == "" {
					t.Errorf("no %s", what)
				}
			}
		})
	}
}

// Every parameter of every method is documented and has a default that it
// accepts.
func TestParameterTables(t *testing.T) {
	for _, e := range Methods() {
		t.Run(e.Name, func(t *testing.T) {
			m := named(t, e.Name)
			for _, p := range e.Parameters {
				for what, text := range map[string]string{"key": p.Key, "meaning": p.Meaning, "type": p.Type} {
					if text == "" {
						t.Errorf("a parameter without %s: %+v", what, p)
					}
				}
				if p.Default == nil {
					t.Errorf("%s has no default", p.Key)
				}
				if err := Set(m, p.Key, fmt.Sprint(p.Default)); err != nil {
					t.Errorf("it refuses its own default: %v", err)
				}
			}
		})
	}
}
