package datasets

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/internal/suggest"
)

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
	case p.whole && (err != nil || x != math.Trunc(x) || x < p.least || x > mostNumbers):
		return r.errorf("%s is %q, want a whole number from %v to %d", p.Key, text, p.least, int64(mostNumbers))
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
