package engine

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/engine/wording"
)

// inRange refuses a value that is not allowed.
func (f field) inRange(value any) error {
	if f.mayBeAuto() && value == Auto {
		return nil
	}
	ok := true
	bound := func(x float64) {
		var least, most float64
		if n, _ := fmt.Sscanf(f.Allowed, "from %g to %g", &least, &most); n == 2 {
			ok = x >= least && x <= most
			return
		}
		sign, limit, found := strings.Cut(f.Allowed, " ")
		if !found {
			return
		}
		l, err := strconv.ParseFloat(limit, 64)
		ok = err == nil && (sign == "≥" && x >= l || sign == ">" && x > l)
	}
	switch x := value.(type) {
	case int:
		if x > math.MaxInt32 {
			return wording.Errorf("‹%s› is %d; give %s, below 2³¹", f.Key, x, f.expected())
		}
		bound(float64(x))
	case float64:
		bound(x)
	case string:
		if f.Allowed != "" {
			ok = false
			for _, choice := range strings.Split(f.Allowed, "|") {
				ok = ok || chosen(choice, x)
			}
		}
	}
	if !ok {
		if text, is := value.(string); is {
			value = visible(text)
		}
		return wording.Errorf("‹%s› is %v; give %s", f.Key, value, f.expected())
	}
	return nil
}

// visible is a text as messages show it: in quotes where it has characters that cannot be
// seen, or none.
func visible(text string) string {
	if quoted := strconv.Quote(text); text == "" || quoted != `"`+text+`"` {
		return quoted
	}
	return text
}

// chosen tells whether a text is one of the choices: the word, or a number where a letter
// stands for one, K for a whole one ≥ 1, R for one > 0.
func chosen(choice, text string) bool {
	switch choice {
	case "K":
		k, err := strconv.Atoi(text)
		return err == nil && k >= 1
	case "R":
		r, err := strconv.ParseFloat(text, 64)
		return err == nil && r > 0 && r <= math.MaxFloat64
	}
	return text == choice
}
