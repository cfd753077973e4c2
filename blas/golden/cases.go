package golden

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// fields are the fields of a JSON object.
type fields map[string]json.RawMessage

// text is the field of that name where it is a string, else "".
func (f fields) text(name string) string {
	var s string
	if json.Unmarshal(f[name], &s) != nil {
		return ""
	}
	return s
}

// Cases runs one subtest for every case that the calling test runs, in every file
// of the schema: the table of schemas names the tests of each kind of case. A case
// of a kind that the table does not know fails, and so does one that has nothing to
// test. In the folder that $ORTHANT_GOLDEN names there may be no file of the
// schema, and then nothing is run; in the project's own there must be.
//
// A file is one case, or has several under "cases": each of those gets the
// file's tolerance where it has none, and what else the file holds is a case too.
func Cases(t *testing.T, name string, run func(t *testing.T, one json.RawMessage)) {
	t.Helper()
	CasesWithAll(t, name, func(t *testing.T, one json.RawMessage, _ []json.RawMessage) { run(t, one) })
}

// CasesWithAll is [Cases] for a test whose cases refer to others of their file: it
// gets all of these too.
func CasesWithAll(t *testing.T, name string, run func(t *testing.T, one json.RawMessage, all []json.RawMessage)) {
	t.Helper()
	s, test := schemas[name], t.Name()
	mine := func(kind string) bool { return slices.Contains(s.kinds[kind], test) }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(s.kinds)), mine) {
		t.Fatalf("the table of schemas names no cases of %q that %s runs", name, test)
	}
	for _, file := range filesOf(t, name) {
		t.Run(filepath.Base(file), func(t *testing.T) {
			cases := casesIn(t, file, s)
			for _, one := range cases {
				kinds, unknown := s.kindsOf(decoded(t, one))
				if len(unknown) > 0 || len(kinds) == 0 {
					t.Errorf("the case %.80s has parts of no known kind, %q: nothing tests them", one, unknown)
				}
				if slices.ContainsFunc(kinds, mine) {
					f := decoded(t, one)
					t.Run(strings.TrimSpace(f.text("kind")+" "+f.text("name")), func(t *testing.T) { run(t, one, cases) })
				}
			}
		})
	}
}

// filesOf returns the files of a schema. That there are none is said, and is a
// fault in the project's own folder.
func filesOf(t *testing.T, name string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(Folder(t), "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	files := slices.DeleteFunc(all, func(file string) bool { return schemaOf(file) != name })
	switch {
	case len(files) > 0:
	case os.Getenv(Variable) != "":
		t.Logf("%s has no %s file: nothing is run", Variable, name)
	default:
		t.Errorf("no %s file in %s", name, Folder(t))
	}
	return files
}

// casesIn returns the cases of a file.
func casesIn(t *testing.T, file string, s schema) []json.RawMessage {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	top := decoded(t, data)
	list, several := top["cases"]
	if !several {
		return []json.RawMessage{data}
	}
	var cases []json.RawMessage
	if err := json.Unmarshal(list, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) == 0 {
		t.Fatalf("%s has no cases", file)
	}
	for i, one := range cases {
		f := decoded(t, one)
		if _, has := f["tol"]; !has && top["tol"] != nil {
			f["tol"] = top["tol"]
			cases[i] = encoded(t, f)
		}
	}
	if s.field == "" && s.kinds[""] == nil {
		delete(top, "cases")
		if kinds, unknown := s.kindsOf(top); len(kinds)+len(unknown) > 0 {
			cases = append(cases, encoded(t, top))
		}
	}
	return cases
}

func decoded(t testing.TB, raw json.RawMessage) fields {
	t.Helper()
	var f fields
	if err := json.Unmarshal(raw, &f); err != nil {
		t.Fatal(err)
	}
	return f
}

func encoded(t *testing.T, f fields) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
