package release

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// All that carry the version carry the same.
func TestOneVersion(t *testing.T) {
	for path, pattern := range map[string]string{
		"python/orthant/_version.py": `(?m)^__version__ = "(.*)"$`,
		"r/orthant/DESCRIPTION":      `(?m)^Version: (.*)$`,
		"CITATION.cff":               `(?m)^version: (.*)$`,
		"CHANGELOG.md":               `(?m)^## (\d\S+)`, // the first heading of a release
	} {
		text := must.Get(os.ReadFile(filepath.Join("..", "..", path)))(t)
		found := regexp.MustCompile(pattern).FindSubmatch(text)
		if found == nil || string(found[1]) != Version {
			t.Errorf("%s has %q, internal/release has %q", path, found, Version)
		}
	}
}

func TestText(t *testing.T) {
	if got := Text("1.2.3+abc"); got != "1.2.3+abc" {
		t.Errorf("the linked program reports %q", got)
	}
	if got := Text(""); !strings.HasPrefix(got, Version+"+") {
		t.Errorf("a test binary is %q", got)
	}
}
