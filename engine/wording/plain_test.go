package wording_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/must"
)

// What speaks of the command line: a flag, or the command with one of its words.
var (
	flagWords    = regexp.MustCompile(`(^|[\s("'=])--[a-z]`)
	commandWords = regexp.MustCompile(`\borthant (embed|transform|factorize|cluster|select|neighbors|evaluate|generate|batch|bench|methods|info|compare|verify|selftest|denoise)\b`)
	settings     = regexp.MustCompile(`(^|[\s("])([a-z][a-z0-9_]*)=(%|[a-z0-9])`)
)

// literals visits the text of every string in the Go sources below a folder, tests left out,
// with the call that it is an argument of (empty: of none).
func literals(t *testing.T, folder string, visit func(at token.Position, call, text string)) {
	t.Helper()
	seen := 0
	files := token.NewFileSet()
	must.Do(t, filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			return err
		}
		calls := map[*ast.BasicLit]string{}
		ast.Inspect(file, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is {
				return true
			}
			if of, is := call.Fun.(*ast.SelectorExpr); is {
				for _, argument := range call.Args {
					if text, is := argument.(*ast.BasicLit); is {
						calls[text] = fmt.Sprintf("%s.%s", of.X, of.Sel)
					}
				}
			}
			return true
		})
		ast.Inspect(file, func(n ast.Node) bool {
			if text, is := n.(*ast.BasicLit); is && text.Kind == token.STRING {
				seen++
				value := must.Get(strconv.Unquote(text.Value))(t)
				visit(files.Position(text.Pos()), calls[text], value)
			}
			return true
		})
		return nil
	}))
	if seen < 100 {
		t.Fatalf("%d texts below %s: these are not the sources", seen, folder)
	}
}

// No text of a package speaks of the command line: a caller of the library has none.
func TestLibrariesNameNoFlags(t *testing.T) {
	for _, folder := range []string{"../../engine", "../../solvers", "../../sparse"} {
		literals(t, folder, func(at token.Position, _, text string) {
			if flagWords.MatchString(text) || commandWords.MatchString(text) {
				t.Errorf("%s: %q speaks of the command line; mark what it names (package wording)", at, text)
			}
		})
	}
}

// Marks stand in texts that words are put to: never in a plain error, whose reader would see
// them. And what is named with its value is marked, so that each reader gets it in his language.
func TestSettingsAreMarked(t *testing.T) {
	keys := keysOf(t)
	literals(t, "../../engine", func(at token.Position, call, text string) {
		if strings.Contains(text, "‹") && (call == "&{fmt Errorf}" || call == "&{errors New}" || call == "fmt.Errorf" || call == "errors.New") {
			t.Errorf("%s: the marks of %q would be seen; make the error by wording.Errorf", at, text)
		}
		for _, found := range settings.FindAllStringSubmatch(text, -1) {
			if slices.Contains(keys, found[2]) && !strings.Contains(text, `json:"`) && !slices.Contains(untold, filepath.Base(filepath.Dir(at.Filename))) {
				t.Errorf("%s: %q names %s without marks", at, text, found[2])
			}
		}
	})
}

// untold are the packages whose texts name no parameters of methods: what they describe has
// keys of its own, or the keys are what the text is about.
var untold = []string{"metrics", "selftest", "wording"}

// keysOf lists the keys of all parameters of the methods.
func keysOf(t *testing.T) []string {
	t.Helper()
	var keys []string
	for _, e := range engine.Methods() {
		m := must.Get(engine.New(e.Name))(t)
		for _, p := range append(engine.Parameters(m), engine.CommonParameters()...) {
			if !slices.Contains(keys, p.Key) {
				keys = append(keys, p.Key)
			}
		}
	}
	if text, _ := json.Marshal(keys); len(keys) < 50 {
		t.Fatalf("the methods have the keys %s", text)
	}
	return keys
}
