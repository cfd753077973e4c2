package library

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/assign"
	"github.com/orthant-go/orthant/internal/jsonkeys"
	"github.com/orthant-go/orthant/internal/suggest"
)

// parameters are the pairs of a JSON object, numbers and words as text. A key that is read is
// deleted; keys that are left at the end are unknown.
type parameters struct {
	owner     string // the task or the method, for errors
	values    map[string]string
	words     map[string]bool // keys whose value is a JSON string, which is never read as a number
	known     []string        // every key that was looked up
	arguments []string        // values that are given as arguments, not as parameters
}

// readParameters reads a JSON object; an empty text counts as an empty object. A null value omits
// the key.
func readParameters(owner string, object []byte) (*parameters, error) {
	p := &parameters{owner: owner, values: map[string]string{}, words: map[string]bool{}}
	if len(bytes.TrimSpace(object)) == 0 {
		return p, nil
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(object, &raw); err != nil {
		return nil, fmt.Errorf("%s: the parameters are no JSON object: %w", owner, err)
	}
	if raw == nil {
		return p, nil // null
	}
	if key, found := jsonkeys.Repeated(object); found {
		return nil, fmt.Errorf("%s: parameter %q is given twice; keep one of them", owner, key)
	}
	for key, value := range raw {
		switch value[0] {
		case 'n':
		case '"':
			var text string
			if err := json.Unmarshal(value, &text); err != nil {
				return nil, fmt.Errorf("%s: parameter %q: %w", owner, key, err)
			}
			p.values[key], p.words[key] = text, true
		case '[', '{':
			return nil, fmt.Errorf("%s: parameter %q is a list or an object; give a number, a word, true or false", owner, key)
		default:
			p.values[key] = string(value)
		}
	}
	return p, nil
}

// take returns the text of a key, once.
func (p *parameters) take(key string) (text string, given bool) {
	p.known = append(p.known, key)
	text, given = p.values[key]
	delete(p.values, key)
	return text, given
}

// word reads one of several words; the first is the default.
func (p *parameters) word(key string, words ...string) (string, error) {
	text, given := p.take(key)
	if !given {
		return words[0], nil
	}
	if !slices.Contains(words, text) {
		return "", fmt.Errorf("%s: %s is %q; give %s", p.owner, key, text, strings.Join(words, " or "))
	}
	return text, nil
}

// unquoted refuses a number written as a JSON string.
func (p *parameters) unquoted(key string) error {
	if !p.words[key] {
		return nil
	}
	text := p.values[key]
	if v, err := strconv.ParseFloat(text, 64); err != nil || v-v != 0 {
		return nil // a word such as auto, or inf, which is refused later because it is not finite
	}
	return fmt.Errorf("%s: %s is the text %q; give it as a number", p.owner, key, text)
}

// number returns the text of a numeric key.
func (p *parameters) number(key string) (text string, given bool, err error) {
	err = p.unquoted(key)
	text, given = p.take(key)
	return text, given, err
}

// whole reads an integer from 0 to most.
func (p *parameters) whole(key string, most uint64) (uint64, error) {
	text, given, err := p.number(key)
	if !given || err != nil {
		return 0, err
	}
	v, err := strconv.ParseUint(text, 10, 64)
	if err != nil || v > most {
		return 0, fmt.Errorf("%s: %s is %q; give a whole number from 0 to %d", p.owner, key, text, most)
	}
	return v, nil
}

// atLeastZero reads a finite number ≥ 0, if the key is present.
func (p *parameters) atLeastZero(key string) (v float64, given bool, err error) {
	text, given, err := p.number(key)
	if !given || err != nil {
		return 0, given, err
	}
	v, err = strconv.ParseFloat(text, 64)
	if err != nil || !(v >= 0 && v <= math.MaxFloat64) {
		return 0, true, fmt.Errorf("%s: %s is %s; give a finite number ≥ 0", p.owner, key, text)
	}
	return v, true, nil
}

// maxThreads bounds "threads", since every worker has its own scratch memory.
const maxThreads = 1024

// threads reads the number of threads, bounded by the number that this process may use.
func (p *parameters) threads() (int, error) {
	n, err := p.whole("threads", maxThreads)
	return limits.ForProcess(int(n)), err
}

// running reads the parameters that say how to run.
func (p *parameters) running(o *engine.Options) error {
	o.Backend, _ = p.take("backend")
	threads, err := p.threads()
	seed, err2 := p.whole("seed", 1<<64-1)
	memory, err3 := p.whole("memory", 1<<62)
	if err = cmp.Or(err, err2, err3); err != nil {
		return err
	}
	o.Threads, o.Seed, o.Memory = threads, seed, int64(memory)
	o.Neighbors, err = p.word("neighbors_method", "auto", "exact", "approximate")
	return err
}

// method reads the method's own parameters and the shared ones. A key without effect is a warning,
// as in the command.
func (p *parameters) method(task string, m engine.Method, o *engine.Options, shared []engine.Parameter) (warnings []string, err error) {
	to := assign.Target{Task: task, Method: m, Options: o, Shared: shared, Owner: p.owner + ": "}
	numeric := map[string]bool{}
	for _, of := range slices.Concat(engine.Parameters(m), shared) {
		if of.Type == "integer" || of.Type == "number" {
			numeric[of.Key] = true
			if err := p.unquoted(of.Key); err != nil {
				return nil, err
			}
		}
	}
	for former, now := range assign.DeprecatedKeys(m) {
		if numeric[now] {
			if err := p.unquoted(former); err != nil {
				return nil, err
			}
		}
	}
	if err := p.unquoted("neighbors"); err != nil {
		return nil, err
	}
	left := map[string]string{}
	err = to.Assign(p.values, func(text string) { warnings = append(warnings, text) }, func(key string) error {
		left[key] = p.values[key]
		return nil
	})
	if err != nil {
		return nil, err
	}
	p.values, p.known = left, append(p.known, to.Keys()...)
	if argument := argumentOf[task]; argument != "" {
		p.arguments = append(p.arguments, argument)
	}
	return warnings, p.rest()
}

// argumentOf is the parameter that a task takes as an argument.
var argumentOf = map[string]string{"factorize": "rank", "cluster": "clusters", "select": "count"}

// rest refuses keys that nothing has read.
func (p *parameters) rest() error {
	for _, key := range slices.Sorted(maps.Keys(p.values)) {
		known := slices.Compact(slices.Sorted(slices.Values(p.known)))
		return fmt.Errorf("%s has no parameter %q%s; it has %s", p.owner, key, suggest.Hint(key, slices.Concat(known, p.arguments)), strings.Join(known, ", "))
	}
	return nil
}
