package datasets

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/suggest"
)

// Set is a generated data set of n samples.
type Set struct {
	X      *mat.Dense // n × m, one sample a row
	Params *mat.Dense // n × p, the intrinsic coordinates; nil where the set has none
	Labels []int64    // n, the class of each sample from 0; nil where the set has none

	Height, Width int // of samples that are grey images, in pixels; 0: they are not images
}

// recipe is a generator: everything there is to know about one data set.
type recipe struct {
	name       string
	samples    int // default; 0: the caller has to say
	parameters []Parameter
	features   func(v values) int
	check      func(n int, v values) error // beyond the parameters' own bounds; may be nil
	draw       func(n int, v values, src *source) *Set
}

// recipes in the order of the definitions' page.
var recipes = []*recipe{
	swissRoll, swissRollHole, swissRoll3D, sCurve, helix, triplePeak, trefoil, twoTrefoils,
	twoMoons, waveform, gaussians, clusteredManifolds, programmes, faces,
}

// maxNumbers bounds a matrix that a generator holds (128 GiB): beyond it the
// request is a slip of the hand rather than a wish.
const maxNumbers = 1 << 34

// Names returns the names of all generators.
func Names() []string {
	names := make([]string, len(recipes))
	for i, r := range recipes {
		names[i] = r.name
	}
	return names
}

// Parameters returns the parameters of a generator. The error is about an
// unknown name.
func Parameters(name string) ([]Parameter, error) {
	r, err := find(name)
	if err != nil {
		return nil, err
	}
	return append([]Parameter(nil), r.parameters...), nil
}

// Size returns the number of samples and features that [Generate] would give
// for the same arguments, with the same errors, without drawing anything: what
// a caller needs to refuse a request that would not fit in memory.
func Size(name string, samples int, set map[string]string) (rows, cols int, err error) {
	r, err := find(name)
	if err != nil {
		return 0, 0, err
	}
	n, v, err := r.prepare(samples, set)
	if err != nil {
		return 0, 0, err
	}
	return n, r.features(v), nil
}

// Generate draws a data set. samples is its total number n of samples; 0 means
// the generator's own number where it has one (triple-peak 1225, two-moons
// 500). set gives parameters by key, the others keep their defaults (see
// [Parameters]).
//
// Errors are about an unknown name or key (the nearest known one is suggested),
// a number of samples or a value that the generator cannot use, or a size
// beyond 2³⁴ numbers. Time is linear in the size of the set; large sets are
// drawn on all cores, with the same bits for any number of them.
func Generate(name string, samples int, seed uint64, set map[string]string) (*Set, error) {
	r, err := find(name)
	if err != nil {
		return nil, err
	}
	n, v, err := r.prepare(samples, set)
	if err != nil {
		return nil, err
	}
	return r.draw(n, v, &source{seed: seed}), nil
}

func find(name string) (*recipe, error) {
	for _, r := range recipes {
		if r.name == name {
			return r, nil
		}
	}
	return nil, fmt.Errorf("datasets: unknown generator %q%s; there are %s",
		name, suggest.Hint(name, Names()), strings.Join(Names(), ", "))
}

// prepare checks everything that a caller can get wrong.
func (r *recipe) prepare(samples int, set map[string]string) (int, values, error) {
	v, err := r.parse(set)
	if err != nil {
		return 0, v, err
	}
	n := samples
	if n == 0 {
		n = r.samples
	}
	if n == 0 {
		return 0, v, r.errorf("say how many samples (it has no number of its own)")
	}
	if n < 1 {
		return 0, v, r.errorf("%d samples requested, want at least 1", samples)
	}
	if err := r.fits("samples × features", n, r.features(v)); err != nil {
		return 0, v, err
	}
	if r.check != nil {
		if err := r.check(n, v); err != nil {
			return 0, v, r.errorf("%w", err)
		}
	}
	return n, v, nil
}

func (r *recipe) errorf(format string, args ...any) error {
	return fmt.Errorf("datasets: "+r.name+": "+format, args...)
}

func (r *recipe) fits(what string, rows, cols int) error {
	if err := fits(what, rows, cols); err != nil {
		return r.errorf("%w", err)
	}
	return nil
}

// fits reports a matrix that is too large to hold.
func fits(what string, rows, cols int) error {
	if rows > 0 && cols > min(maxNumbers, math.MaxInt)/rows {
		return fmt.Errorf("%s = %d × %d is more than 2³⁴ numbers; ask for fewer", what, rows, cols)
	}
	return nil
}

// fixed is the number of features of a set that has no choice in it.
func fixed(m int) func(values) int { return func(values) int { return m } }

// Parameter describes one parameter of a generator.
type Parameter struct {
	Key     string
	Default string   // as it would be written by a caller
	Meaning string   // one line, for help
	Choices []string // the words it can be; nil for a number

	whole bool
	least float64 // smallest number it can be
	most  float64 // largest; 0: greatest
}

// greatest bounds real parameters in magnitude, so that no sum or square made
// of them overflows.
const greatest = 1e150

func anyNumber(key, def, meaning string) Parameter {
	return Parameter{Key: key, Default: def, Meaning: meaning, least: -greatest}
}

func nonNegative(key, def, meaning string) Parameter {
	return Parameter{Key: key, Default: def, Meaning: meaning}
}

// upTo bounds a parameter from above.
func (p Parameter) upTo(most float64) Parameter {
	p.most = most
	return p
}

// bound is the largest magnitude of a number.
func (p Parameter) bound() float64 {
	if p.most > 0 {
		return p.most
	}
	return greatest
}

func count(key, def string, least int, meaning string) Parameter {
	return Parameter{Key: key, Default: def, Meaning: meaning, whole: true, least: float64(least)}
}

func choice(key, meaning string, words ...string) Parameter {
	return Parameter{Key: key, Default: words[0], Meaning: meaning, Choices: words}
}

// values are the parameters of one call, parsed.
type values struct {
	numbers map[string]float64
	words   map[string]string
}

func (v values) number(key string) float64 { return v.numbers[key] }
func (v values) count(key string) int      { return int(v.numbers[key]) }
func (v values) word(key string) string    { return v.words[key] }

// parse reads the given values over the defaults.
func (r *recipe) parse(set map[string]string) (values, error) {
	v := values{numbers: map[string]float64{}, words: map[string]string{}}
	known := make([]string, len(r.parameters))
	for i, p := range r.parameters {
		known[i] = p.Key
		text, given := set[p.Key]
		if !given {
			text = p.Default
		}
		if err := r.read(p, strings.TrimSpace(text), v); err != nil {
			return v, err
		}
	}
	unknown := ""
	for key := range set { // the first in order, that the message be the same each time
		if !slices.Contains(known, key) && (unknown == "" || key < unknown) {
			unknown = key
		}
	}
	if _, given := set[unknown]; !given || slices.Contains(known, unknown) {
		return v, nil
	}
	if len(known) == 0 {
		return v, r.errorf("unknown parameter %q; it has none", unknown)
	}
	return v, r.errorf("unknown parameter %q%s; it has %s", unknown, suggest.Hint(unknown, known), strings.Join(known, ", "))
}

// read reads the value of one parameter into v.
func (r *recipe) read(p Parameter, text string, v values) error {
	if p.Choices != nil {
		if !slices.Contains(p.Choices, text) {
			return r.errorf("%s is %q%s, want %s", p.Key, text, suggest.Hint(text, p.Choices), strings.Join(p.Choices, " or "))
		}
		v.words[p.Key] = text
		return nil
	}
	x, err := strconv.ParseFloat(text, 64)
	switch {
	case p.whole && (err != nil || x != math.Trunc(x) || x < p.least || x > maxNumbers):
		return r.errorf("%s is %q, want a whole number from %v to %d", p.Key, text, p.least, int64(maxNumbers))
	case err != nil || math.IsNaN(x):
		return r.errorf("%s is %q, want a number", p.Key, text)
	case x < p.least && p.least == 0:
		return r.errorf("%s is %s, want 0 or more", p.Key, text)
	case math.Abs(x) > p.bound():
		return r.errorf("%s is %s, want a magnitude of at most %g", p.Key, text, p.bound())
	}
	v.numbers[p.Key] = x
	return nil
}
