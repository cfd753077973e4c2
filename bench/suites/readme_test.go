package suites

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/internal/must"
)

var (
	// speeds are how the README words one.
	speeds = regexp.MustCompile(`\d s\b|\d ms\b|CPU s\b| a second\b|of the time\b|times faster|scikit-learn's time`)
	// errors are how it words what was computed in that time.
	errors = regexp.MustCompile(`\b(dev|angle|recall|trustworthiness|residual|error)\b`)
)

// readme is the README with the page that continues it.
func readme(t *testing.T) string {
	t.Helper()
	var all []string
	for _, name := range []string{"README.md", "docs/figures.md"} {
		text := must.Get(os.ReadFile(filepath.Join(golden.Root(t), filepath.FromSlash(name))))(t)
		all = append(all, string(text))
	}
	return strings.Join(all, "\n\n")
}

// TestReadmeHasAnErrorForEverySpeed reads it block by block: a table that has seconds has
// a column of errors, and a paragraph that has any names one.
func TestReadmeHasAnErrorForEverySpeed(t *testing.T) {
	found := 0
	for _, block := range strings.Split(readme(t), "\n\n") {
		if strings.HasPrefix(block, "    ") || !speeds.MatchString(block) {
			continue
		}
		found++
		lines := strings.Split(strings.TrimSpace(block), "\n")
		if !strings.HasPrefix(lines[0], "|") {
			if !errors.MatchString(block) {
				t.Errorf("a speed without its error: %s", block)
			}
			continue
		}
		if !errors.MatchString(lines[0]) {
			t.Errorf("a table of speeds without a column of errors: %s", lines[0])
		}
		for _, row := range lines[2:] {
			if !errors.MatchString(row) {
				t.Errorf("a row of speeds without its error: %s", row)
			}
		}
	}
	if found < 5 {
		t.Errorf("%d blocks with speeds: the test does not see them", found)
	}
}
