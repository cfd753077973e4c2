package suites

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/bench"
)

// measured is how the README words what was measured: seconds, sizes, ratios, errors, and
// rows of figures.
var measured = regexp.MustCompile(`\d (s|ms|times|KiB|MiB|GiB)\b|\b(dev|angle|recall|error) \(?\d|\d a second|\d to \d[\d.]* of |\| [\d.]+ \|`)

// rules are not measured: what a comparison is held to.
var rules = []string{fmt.Sprintf("a speed whose error is more than %g times the other's does not count", bench.MaxErrorRatio)}

// TestReadmeFiguresAreClaims holds that each figure of the README, and of docs/figures.md which
// continues it, stands in the words of a claim of some suite, that these are still the pages'
// words, and that they name the command which judges them.
func TestReadmeFiguresAreClaims(t *testing.T) {
	page := plainWords(readme(t))
	rest := page
	claims := 0
	for _, s := range All() {
		for _, c := range s.Claims {
			if !strings.HasPrefix(c.Name, "readme/") {
				continue
			}
			claims++
			if !strings.Contains(page, c.Paper) {
				t.Errorf("%s: %s judges words that the README does not have: %s", s.Name, c.Name, c.Paper)
			}
			if !strings.Contains(page, "`orthant-bench run "+s.Name+"`") {
				t.Errorf("the README does not name the command of %s", s.Name)
			}
			rest = strings.ReplaceAll(rest, c.Paper, "")
		}
	}
	for _, rule := range rules {
		if !strings.Contains(page, rule) {
			t.Errorf("the README does not say that %s", rule)
		}
		rest = strings.ReplaceAll(rest, rule, "")
	}
	rest = regexp.MustCompile("`[^`]*`").ReplaceAllString(rest, "")
	for _, at := range measured.FindAllStringIndex(rest, -1) {
		t.Errorf("no claim judges %q", rest[max(0, at[0]-60):min(len(rest), at[1]+30)])
	}
	if claims < 15 {
		t.Errorf("%d claims: the test does not see them", claims)
	}
}

// plainWords drops what is indented as code, and puts the words apart by single spaces.
func plainWords(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "    ") {
			kept = append(kept, strings.Fields(line)...)
		}
	}
	return strings.Join(kept, " ")
}
