package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/internal/param"
	"github.com/orthant-go/orthant/engine/method"
	"github.com/orthant-go/orthant/engine/wording"
	"github.com/orthant-go/orthant/internal/presets"
)

// Parameters of embedded groups count as the method's own.
func TestParametersOfGroups(t *testing.T) {
	for _, c := range []struct {
		m    Method
		want string
	}{
		{&NMF{}, "solver sweeps batch forget patience order extrapolate init iterations tolerance normalise shift stop alpha_w alpha_h l1_ratio missing unstored fixed sum_to_one smooth_h volume labels rows"},
		{&GSGNMF{}, "neighbors l1 l2 lambda solver sweeps init iterations tolerance normalise shift labels rows"},
		{&CIMNMF{}, "init iterations tolerance normalise shift residual_scale theta sigma2 labels rows"},
		{&LPRNA{}, "neighbors xi1 xi2 tau lambda init iterations tolerance normalise shift residual_scale theta sigma2 labels rows"},
		{&SPRNA{}, "k1 k2 combine allow_indefinite lambda init iterations tolerance normalise shift residual_scale theta sigma2"},
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
	// The same codes, by other products, with neighbours in order of distance.
	if !mat.EqualApprox(capped.W, whole.W, 1e-6) {
		t.Error("23 neighbours are not all 23 others")
	}
	if _, err := run(GSGNMF{Neighbors: &many}); err == nil || !strings.Contains(err.Error(), "24 neighbours requested of 24 samples") {
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
	if v := Values(m); v["gamma"] != 1e-4 || v["eta"] != 0.0 || v["mixing"] != "alpha" {
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

// By default the parameters have the general defaults, and with protocol=paper those of the
// paper; given values stay, in either order.
func TestProtocolOfThePaper(t *testing.T) {
	want := func(m *CIMGNMF, lambda any, labels string, iterations int) {
		t.Helper()
		filled := must(param.Resolve(m.Name(), m, 10, t.Errorf))(t)
		for _, v := range []map[string]any{Values(m), Values(filled)} {
			if v["lambda"] != lambda || v["labels"] != labels || v["iterations"] != iterations || v["neighbors"] != 5 {
				t.Errorf("%v; want lambda %v, labels %v, iterations %v", v, lambda, labels, iterations)
			}
		}
	}
	set := func(pairs ...string) *CIMGNMF {
		t.Helper()
		m := &CIMGNMF{}
		for i := 0; i < len(pairs); i += 2 {
			if err := Set(m, pairs[i], pairs[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		return m
	}
	want(set(), 0.3, "spectral", 500)
	want(set("protocol", "general"), 0.3, "spectral", 500)
	want(set("protocol", "paper"), 100.0, "kmeans", 200)
	want(set("protocol", "paper", "lambda", "0", "labels", "spectral", "iterations", "5"), 0.0, "spectral", 5)
	want(set("lambda", "0", "iterations", "5", "protocol", "paper"), 0.0, "kmeans", 5)
}

// A preset names existing methods and parameters, with allowed values.
func TestPresets(t *testing.T) {
	for name, preset := range presets.OfPaper {
		m := named(t, name)
		if _, has := Values(m)["protocol"]; !has {
			t.Errorf("%s takes no protocol", name)
		}
		for key, text := range preset {
			if before := fmt.Sprint(Values(m)[key]); before == text {
				t.Errorf("%s: %s=%s is the default", name, key, text)
			}
			if err := Set(m, key, text); err != nil {
				t.Error(err)
			}
		}
	}
}

// Messages name every parameter by its field.
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

// The errors and warnings of the engine use Go's terms: they contain no flag, command or
// mark. Every parameter gets values that no parameter accepts.
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
		_, err = Cluster(ctx, x, m, ClusterOptions{Options: o, Clusters: countOf(m, 2)})
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

// settable are the methods to fuzz, by number.
var settable = Methods()

// Any text for a parameter is accepted or refused in one line that names the parameter.
// An accepted value reads the same when it is given again, and the resulting method runs or is
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
			t.Fatalf("%s=%q is accepted and printed as %v, which is not accepted: %v", key, text, first[key], err)
		}
		if again := Values(m); fmt.Sprint(first) != fmt.Sprint(again) {
			t.Fatalf("%s=%q is %v, and printed again %v", key, text, first[key], again[key])
		}
		for _, n := range []int{2, 50, method.AnySize} {
			if _, err := param.Resolve(m.Name(), m, n, func(string, ...any) {}); err != nil && strings.Contains(err.Error(), "\n") {
				t.Fatalf("the refusal is %q", err)
			}
		}
	})
}

// The same for a JSON object.
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

// The same for common parameters.
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
		if _, err := withDefaults(o); err != nil && strings.Contains(err.Error(), "\n") {
			t.Fatalf("the refusal is %q", err)
		}
	})
}

// endsOf returns numbers at the ends of the allowed range of a parameter.
func endsOf(p Parameter) []float64 {
	small, large := []float64{math.SmallestNonzeroFloat64, 1e-300, 1e-150}, []float64{1e150, 1e300, math.MaxFloat64}
	switch {
	case p.Type != "number":
		return nil
	case p.Allowed == "≥ 0":
		return append(append(small, large...), 0)
	case p.Allowed == "> 0":
		return append(small, large...)
	case p.Allowed == "> 1":
		return append(large, math.Nextafter(1, 2))
	case p.Allowed == "≥ 1":
		return append(large, 1)
	case p.Allowed == "from 0 to 1":
		return append(small, 0, 1)
	}
	return append(append(append(small, large...), 0), -1e-150, -1e150, -math.MaxFloat64)
}

// positiveTable has 60 samples of 12 columns in three classes.
func positiveTable() (*mat.Dense, []int64) {
	s, x, labels := blas.NewStream(9), mat.NewDense(60, 12, nil), make([]int64, 60)
	for i := range labels {
		labels[i] = int64(i % 3)
		for j := range 12 {
			x.Set(i, j, 0.05+s.Uniform()+float64(labels[i])*float64(j%2))
		}
	}
	return x, labels
}

// Every factorisation with a number at an end of its range ends within its iterations, with
// finite factors or an error that names the method.
func TestEndsOfParameters(t *testing.T) {
	x, labels := positiveTable()
	for _, entry := range Methods() {
		if method.RowOf(named(t, entry.Name)).Factorize == nil {
			continue
		}
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			for _, p := range entry.Parameters {
				for _, v := range endsOf(p) {
					for _, protocol := range []string{"general", "paper"} {
						atEnd(t, named(t, entry.Name), protocol, p.Key, v, x, labels)
					}
				}
			}
		})
	}
}

// atEnd factorises with one parameter at an end of its range.
func atEnd(t *testing.T, m Method, protocol, key string, v float64, x *mat.Dense, labels []int64) {
	t.Helper()
	if err := Set(m, "protocol", protocol); err != nil && protocol == "paper" {
		return // the method has no protocols
	}
	const iterations = 40
	counted := Set(m, "iterations", strconv.Itoa(iterations)) == nil
	what := fmt.Sprintf("%s, protocol=%s %s=%g", m.Name(), protocol, key, v)
	if err := Set(m, key, strconv.FormatFloat(v, 'g', -1, 64)); err != nil {
		if !strings.Contains(err.Error(), key) {
			t.Errorf("%s: the refusal is %q", what, err)
		}
		return
	}
	o := FactorizeOptions{Options: Options{Threads: 1}, Rank: 3}
	if method.RowOf(m).Labels {
		o.Labels = labels
	}
	f, err := Factorize(context.Background(), x, m, o)
	if err != nil && !strings.HasPrefix(err.Error(), m.Name()+": ") {
		t.Errorf("%s: %v", what, err)
	}
	expectSoundFactors(t, what, f, err)
	if f != nil && counted && f.Iterations > iterations {
		t.Errorf("%s: %d iterations", what, f.Iterations)
	}
}

// Every other method with a number at an end of its range ends with finite numbers, or with an
// error that names the method.
func TestEndsOfOtherParameters(t *testing.T) {
	x, labels := positiveTable()
	for _, entry := range Methods() {
		if method.RowOf(named(t, entry.Name)).Factorize != nil {
			continue
		}
		t.Run(entry.Name, func(t *testing.T) {
			t.Parallel()
			for _, p := range entry.Parameters {
				for _, v := range endsOf(p) {
					m := named(t, entry.Name)
					for _, steps := range []string{"iterations", "epochs"} {
						_ = Set(m, steps, "60") // some methods have no such parameter
					}
					if Set(m, p.Key, strconv.FormatFloat(v, 'g', -1, 64)) != nil {
						continue
					}
					o := Options{Components: "each", Threads: 1}
					if method.RowOf(m).Labels {
						o.Labels = labels
					}
					found, err := solvedBy(t.Context(), entry.Tasks[0], m, problem{x: x, Options: o})
					if err != nil && !strings.HasPrefix(err.Error(), entry.Name+": ") {
						t.Errorf("%s=%g: %v", p.Key, v, err)
					}
					if err != nil {
						continue
					}
					if bad := found.infinite(); bad != "" {
						t.Errorf("%s=%g: %s", p.Key, v, bad)
					}
				}
			}
		})
	}
}

// expectSoundFactors fails for factors that are not finite, and for an error or warning
// that mentions such numbers.
func expectSoundFactors(t *testing.T, what string, f *Factorization, err error) {
	t.Helper()
	if err != nil {
		soundText(t, what, err.Error())
		return
	}
	for _, w := range f.Warnings {
		soundText(t, what, w)
	}
	for name, a := range map[string]*mat.Dense{"W": f.W, "H": f.H} {
		for _, v := range mat.DenseCopyOf(a).RawMatrix().Data {
			if v-v != 0 {
				t.Errorf("%s: an entry of %s is %v", what, name, v)
				break
			}
		}
	}
	for _, p := range f.Trace {
		if p.Objective-p.Objective != 0 || p.Residual-p.Residual != 0 {
			t.Errorf("%s: objective %v, residual %v after %d iterations", what, p.Objective, p.Residual, p.Iteration)
			break
		}
	}
}

// Former names, and parameters only for comparison with a paper, are accepted but not offered.
func TestParametersUntilOne(t *testing.T) {
	m := &DS3{}
	if err := SetJSON(m, []byte(`{"alpha": 0.25}`)); err != nil || m.Alpha != 0.25 || Values(m)["norm_weight"] != 0.25 {
		t.Errorf("%v, %v", Values(m), err)
	}
	if err := SetJSON(m, []byte(`{"alpha": 0.25, "norm_weight": 0.5}`)); err == nil || !strings.Contains(err.Error(), "given twice") {
		t.Error(err)
	}
	n := &NPCA{}
	if err := Set(n, "update", "printed"); err != nil || n.Update != "printed" {
		t.Errorf("%q, %v", n.Update, err)
	}
	for _, p := range Parameters(n) {
		if p.Key == "normalise" || strings.Contains(p.Allowed, "printed") {
			t.Errorf("%+v is offered", p)
		}
	}
	f := &NMF{}
	if err := Set(f, "protocol", "paper"); err != nil || Values(f)["solver"] != "mu" {
		t.Errorf("%v, %v", Values(f), err)
	}
	for _, p := range Parameters(f) {
		if p.Key == "protocol" {
			t.Errorf("%+v is offered", p)
		}
	}
	if err := Set(n, "alfa", "1"); err == nil || strings.Contains(err.Error(), "normalise") {
		t.Error(err)
	}
}

// A value to be found from the samples is "auto" everywhere, by the rule of param.Auto.
func TestAutoHasOneMeaning(t *testing.T) {
	for _, e := range Methods() {
		for _, f := range param.Fields(named(t, e.Name)) {
			if f.Default != any("auto") {
				continue
			}
			if f.Value.Kind() == reflect.Int || f.Value.Kind() == reflect.Float64 {
				if f.InRange(reflect.Zero(f.Value.Type()).Interface()) == nil {
					t.Errorf("%s: 0 is a value of %s, and auto; make it a pointer", e.Name, f.Key)
				}
			}
			if values := Values(named(t, e.Name)); values[f.Key] != any("auto") {
				t.Errorf("%s: the default of %s is shown as %v", e.Name, f.Key, values[f.Key])
			}
		}
	}
}
