package lnp

import (
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/bench"
	"github.com/orthant-go/orthant/bench/suites/papers"
)

// Every statement names claims that exist or a reason, and every claim about the paper
// judges one of them.
func TestEveryStatementIsJudgedOrNamed(t *testing.T) {
	named := map[string]bool{}
	for _, one := range statements {
		if len(one.judged) == 0 && one.note == "" {
			t.Errorf("%s is neither judged nor explained", one.place)
		}
		for _, name := range one.judged {
			named[name] = true
			if !slices.ContainsFunc(Suite.Claims, func(c bench.Claim) bool { return c.Name == name }) {
				t.Errorf("%s: no claim %s", one.place, name)
			}
		}
	}
	for _, c := range Suite.Claims {
		if strings.HasPrefix(c.Source, papers.LNP) && !named[c.Name] {
			t.Errorf("the claim %s judges no statement that is listed", c.Name)
		}
	}
}
