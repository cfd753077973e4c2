package neml

import (
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// The list of the paper's statements names every claim on the paper once, and no other.
func TestInventoryIsWhole(t *testing.T) {
	var listed []string
	for _, item := range inventory {
		listed = append(listed, item.claims...)
		if len(item.claims) == 0 && item.said == "" {
			t.Errorf("%q is neither judged nor explained", item.what)
		}
	}
	for _, c := range Suite.Claims {
		count := 0
		for _, name := range listed {
			if name == c.Name {
				count++
			}
		}
		if of := strings.HasPrefix(c.Source, papers.NEML); of && count != 1 || !of && count > 0 {
			t.Errorf("%s of %s is listed %d times", c.Name, c.Source, count)
		}
	}
	for _, name := range listed {
		if !slices.ContainsFunc(Suite.Claims, func(c bench.Claim) bool { return c.Name == name }) {
			t.Errorf("there is no claim %s", name)
		}
	}
}
