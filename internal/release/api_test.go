package release

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// public are the packages whose exported names are kept from release to release, as
// docs/releasing.md lists them.
func public(t *testing.T) (packages []string) {
	t.Helper()
	text := must.Get(os.ReadFile(filepath.Join("..", "..", "docs", "releasing.md")))(t)
	_, list, begins := strings.Cut(string(text), "<!-- public -->")
	list, _, ends := strings.Cut(list, "<!-- /public -->")
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z/]+)` \\|").FindAllStringSubmatch(list, -1) {
		packages = append(packages, row[1])
	}
	if !begins || !ends || len(packages) == 0 {
		t.Fatal("docs/releasing.md lists no public packages between <!-- public --> and <!-- /public -->")
	}
	return packages
}

// What is exported is what testdata/api has for this version, so that no commit changes it
// unseen; and all that an earlier release exported is still there, but for what
// testdata/api/removed.txt names with its reason. make api writes this version's listing.
func TestPublicAPI(t *testing.T) {
	now := listing(t, public(t))
	folder := filepath.Join("..", "..", "testdata", "api")
	current := filepath.Join(folder, Version+".txt")
	if os.Getenv("ORTHANT_WRITE_API") != "" {
		must.Do(t, os.WriteFile(current, []byte(strings.Join(now, "\n")+"\n"), 0o644))
	}
	releases, err := filepath.Glob(filepath.Join(folder, "[0-9]*.txt"))
	if err != nil || !slices.Contains(releases, current) {
		t.Fatalf("%s is not there (%v); make api writes it", current, err)
	}
	removed := removals(t, filepath.Join(folder, "removed.txt"))
	for _, path := range releases {
		gone, added := differences(read(t, path), now)
		gone = slices.DeleteFunc(gone, func(line string) bool { return path != current && removed[line] })
		for _, line := range gone {
			t.Errorf("no longer exported, and in %s: %s", filepath.Base(path), line)
		}
		if path == current {
			for _, line := range added {
				t.Errorf("exported, and not in %s: %s", filepath.Base(path), line)
			}
		}
	}
	if t.Failed() {
		t.Log("if this is intended: make api; describe it in CHANGELOG.md; and what a release had goes to testdata/api/removed.txt, with the reason before it")
	}
}

// The listing says what would break a program that uses it.
func TestListing(t *testing.T) {
	lines := listing(t, []string{"engine"})
	for _, line := range []string{
		"pkg engine, type NEML struct", "pkg engine, type NEML struct, Neighbors int", "pkg engine, method (NEML) Name() string",
		"pkg engine, method (*Model) Save(w io.Writer) error",
	} {
		if !slices.Contains(lines, line) {
			t.Errorf("not listed: %s", line)
		}
	}
	gone, added := differences([]string{"a", "b", "d"}, []string{"a", "c", "d"})
	if !slices.Equal(gone, []string{"b"}) || !slices.Equal(added, []string{"c"}) {
		t.Errorf("gone %v, added %v", gone, added)
	}
}

func differences(before, after []string) (gone, added []string) {
	less := func(list, than []string) (rest []string) {
		known := map[string]bool{}
		for _, line := range than {
			known[line] = true
		}
		for _, line := range list {
			if !known[line] {
				rest = append(rest, line)
			}
		}
		return rest
	}
	return less(before, after), less(after, before)
}

func read(t *testing.T, path string) []string {
	t.Helper()
	text := must.Get(os.ReadFile(path))(t)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// removals are the lines that went; the reason for them is a comment (#) above.
func removals(t *testing.T, path string) map[string]bool {
	t.Helper()
	found, said := map[string]bool{}, false
	for _, line := range read(t, path) {
		switch {
		case strings.HasPrefix(line, "#"):
			said = true
		case line == "":
			said = false
		case !said:
			t.Errorf("%s gives no reason for: %s", path, line)
		default:
			found[line] = true
		}
	}
	return found
}
