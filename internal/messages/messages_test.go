package messages

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

var update = flag.Bool("update", false, "write messages.txt")

// folders are those whose sources say something to users.
var folders = strings.Fields("blas bench cmd/internal cmd/orthant engine internal solvers sparse")

// speaking are the functions that take the text of an error, or of a warning, by the number of its argument.
var speaking = map[string]byte{
	"fmt.Errorf": 'E', "errors.New": 'E', "wording.Errorf": 'E', "wrong": 'E', "Wrong": 'E', "refuse": 'E', "Refuse": 'E', "Refusal": 'E', "RowError": 'E',
	"wrongf": 'E', "errorf": 'E', // of a line, of a generator
	"note": 'W', // of a file
	"Warn": 'W', "warn": 'W', "Say": 'W',
}

// source collects what the sources say: kind and text, and the folder of each.
func source(t *testing.T) map[[2]string]string {
	said := map[[2]string]string{}
	set := token.NewFileSet()
	for _, folder := range folders {
		root := filepath.Join("../..", folder)
		must.Do(t, filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			if slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"testing"` }) {
				return nil // only tests use it
			}
			taken := map[*ast.BasicLit]bool{} // by the text that they are part of
			from := filepath.ToSlash(must.Get(filepath.Rel("../..", filepath.Dir(path)))(t))
			constants := map[string]string{}
			for _, d := range file.Decls {
				if d, is := d.(*ast.GenDecl); is && d.Tok == token.CONST {
					for _, s := range d.Specs {
						for i, e := range s.(*ast.ValueSpec).Values {
							constants[s.(*ast.ValueSpec).Names[i].Name] = literal(e)
						}
					}
				}
			}
			constant := func(e ast.Expr) string {
				if of, is := e.(*ast.Ident); is {
					return constants[of.Name]
				}
				return literal(e)
			}
			doubt := func(e ast.Expr) {
				take(e, taken)
				if text := literal(e); len(strings.Join(fixed(text), "")) >= fewest {
					said[[2]string{"W", text}] = from
				}
			}
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.CallExpr:
					if kind := kindOf(n.Fun); kind != 0 {
						for _, e := range n.Args {
							if text := constant(e); len(strings.Join(fixed(text), "")) >= fewest {
								take(e, taken)
								said[[2]string{string(kind), text}] = from
								break // what follows are the values of this one
							}
						}
					}
					if f, is := n.Fun.(*ast.Ident); is && f.Name == "append" && warnings.MatchString(nameOf(n.Args[0])) {
						for _, e := range n.Args[1:] {
							doubt(e)
						}
					}
				case *ast.FuncDecl:
					if doubting.MatchString(n.Name.Name) {
						ast.Inspect(n, func(n ast.Node) bool {
							if r, is := n.(*ast.ReturnStmt); is && len(r.Results) > 0 {
								doubt(r.Results[0])
							}
							return true
						})
					}
				case *ast.KeyValueExpr:
					if nameOf(n.Key) == "Doubt" {
						doubt(n.Value)
					}
				case *ast.CompositeLit:
					if strings.HasSuffix(typeOf(n), "Error") || typeOf(n) == "notConverged" {
						for _, e := range n.Elts {
							if kv, is := e.(*ast.KeyValueExpr); is {
								e = kv.Value
							}
							take(e, taken)
							if text := literal(e); len(strings.Join(fixed(text), "")) >= fewest {
								said[[2]string{"E", text}] = from
							}
						}
					}
				case *ast.BasicLit:
					switch text := literal(n); {
					case taken[n] || len(strings.Join(fixed(text), "")) < fewest || !strings.Contains(text, " "):
					case strings.Contains(text, "%") && slices.Contains(judging, from):
						said[[2]string{"W", text}] = from
					case remedy.MatchString(text):
						said[[2]string{"E", text}] = from
					}
				}
				return true
			})
			return nil
		}))
	}
	return said
}

// remedy is what errors end with, wherever they are put together; judging are the folders whose texts are those of verdicts.
var (
	remedy  = regexp.MustCompile(`(; |, or )(give|take|raise|choose|leave|remove|fit|write|name|put) |: type |^give auto`)
	judging = strings.Fields("engine/internal/diagnosis engine/internal/quality engine/internal/trust")
)

// warnings are the names of lists of them, doubting those of functions that return one.
var (
	warnings = regexp.MustCompile(`^([wW]arnings|doubts)$`)
	doubting = regexp.MustCompile(`^(doubt|warning$)|Warning$`)
)

func typeOf(c *ast.CompositeLit) string { return nameOf(c.Type) }

// nameOf is the last name of an expression.
func nameOf(e ast.Expr) string {
	switch of := e.(type) {
	case *ast.Ident:
		return of.Name
	case *ast.SelectorExpr:
		return of.Sel.Name
	}
	return ""
}

func kindOf(f ast.Expr) byte {
	switch f := f.(type) {
	case *ast.Ident:
		return speaking[f.Name]
	case *ast.SelectorExpr:
		if of, is := f.X.(*ast.Ident); is && speaking[of.Name+"."+f.Sel.Name] != 0 {
			return speaking[of.Name+"."+f.Sel.Name]
		}
		if f.Sel.Name != "New" && f.Sel.Name != "Errorf" {
			return speaking[f.Sel.Name]
		}
	}
	return 0
}

// literal is the text of a string, with %s for what is added to it and not written there.
func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, _ := strconv.Unquote(e.Value)
			return text
		}
	case *ast.BinaryExpr:
		return literal(e.X) + literal(e.Y)
	case *ast.ParenExpr:
		return literal(e.X)
	case *ast.CallExpr:
		if of, is := e.Fun.(*ast.SelectorExpr); is && of.Sel.Name == "Sprintf" && len(e.Args) > 0 {
			return literal(e.Args[0])
		}
	}
	return "%s"
}

func take(e ast.Expr, taken map[*ast.BasicLit]bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		if text, is := n.(*ast.BasicLit); is {
			taken[text] = true
		}
		return true
	})
}

// inCommon is the share of words that two texts have in common.
func inCommon(a, b string) float64 {
	x, y := strings.Fields(a), strings.Fields(b)
	both := 0
	for _, word := range x {
		if i := slices.Index(y, word); i >= 0 {
			both, y[i] = both+1, ""
		}
	}
	return 2 * float64(both) / float64(len(x)+len(y))
}

// numbered is a list brought up to date: what is said as before keeps its identifier, and so does a text of the same
// folder at least half of whose words are the same; what is new has the next ones.
func numbered(list []Message, said map[[2]string]string) []Message {
	list = slices.Clone(list)
	left := map[[2]string]string{}
	for key, from := range said {
		left[key] = from
	}
	last := map[byte]int{}
	var lost []int
	for i := range list {
		m := &list[i]
		n, _ := strconv.Atoi(m.ID[1:])
		last[m.ID[0]] = max(last[m.ID[0]], n)
		key := [2]string{m.ID[:1], m.Format}
		if from, is := left[key]; is {
			m.From = from
			delete(left, key)
		} else if m.From != gone && m.From != byHand {
			lost = append(lost, i)
		}
	}
	keys := make([][2]string, 0, len(left))
	for key := range left {
		keys = append(keys, key)
	}
	slices.SortFunc(keys, func(a, b [2]string) int {
		return strings.Compare(left[a]+"\t"+a[0]+a[1], left[b]+"\t"+b[0]+b[1])
	})
	for _, i := range lost {
		m := &list[i]
		best, at := 0.5, -1
		for k, key := range keys {
			if share := inCommon(m.Format, key[1]); key[0] == m.ID[:1] && left[key] == m.From && share >= best {
				best, at = share, k
			}
		}
		if at < 0 {
			m.From = gone
			continue
		}
		m.Format = keys[at][1]
		keys = slices.Delete(keys, at, at+1)
	}
	for _, key := range keys {
		last[key[0][0]]++
		list = append(list, Message{fmt.Sprintf("%s%04d", key[0], last[key[0][0]]), left[key], key[1]})
	}
	slices.SortStableFunc(list, func(a, b Message) int { return strings.Compare(a.ID, b.ID) })
	return list
}

// What is no longer said keeps its line, so that its identifier is never given again; what other packages say is
// written by hand.
const gone, byHand = "gone", "elsewhere"

// Every text of the sources has an identifier.
func TestListIsCurrent(t *testing.T) {
	want := numbered(All(), source(t))
	if len(want) < 1000 {
		t.Fatalf("%d messages: these are not the sources", len(want))
	}
	if *update {
		var b strings.Builder
		for _, m := range want {
			fmt.Fprintf(&b, "%s\t%s\t%s\n", m.ID, m.From, strings.ReplaceAll(m.Format, "\n", `\n`))
		}
		must.Do(t, os.WriteFile("messages.txt", []byte(b.String()), 0o644))
		return
	}
	if !slices.Equal(want, All()) {
		for i, m := range want {
			if i >= len(All()) || m != All()[i] {
				t.Fatalf("%s %s %q is new or has changed; run make messages", m.ID, m.From, m.Format)
			}
		}
	}
}

// What the tests of the engine have seen refused has an identifier, but for what a test says itself.
func TestRefusalsHaveIdentifiers(t *testing.T) {
	seen, without := 0, []string{}
	for line := range strings.Lines(string(must.Get(os.ReadFile("../../engine/testdata/errors.txt"))(t))) {
		if _, text, is := strings.Cut(strings.TrimSpace(line), " → "); is {
			seen++
			_, ok := Find('E', text)
			_, bare := Find('E', strings.TrimPrefix(text, "METHOD: "))
			if !ok && !bare && text != "taken" {
				without = append(without, text)
			}
		}
	}
	if seen < 500 || len(without) > seen/100 {
		t.Errorf("%d of %d texts have none: %q", len(without), seen, without)
	}
}

// The message of which most is in a text is the one, whatever is around it.
func TestFind(t *testing.T) {
	m, ok := Find('E', "orthant embed: reading x.npy: no such file or directory")
	if !ok || m.From != byHand {
		t.Errorf("a missing file is taken for %v", m)
	}
	if m, ok := Find('E', "all is well"); ok {
		t.Errorf("nothing is taken for %v", m)
	}
	for _, m := range All() {
		text := strings.Join(fixed(m.Format), "7")
		if found, ok := Find(m.ID[0], text); !ok || len(strings.Join(fixed(found.Format), "")) < len(strings.Join(fixed(m.Format), "")) {
			t.Errorf("%s is taken for %s: %q", m.ID, found.ID, text)
		}
	}
}

// No identifier is given twice, and none is taken back.
func TestIdentifiersAreUnique(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range All() {
		if seen[m.ID] {
			t.Errorf("%s is there twice", m.ID)
		}
		seen[m.ID] = true
		if found, ok := ByID(strings.ToLower(m.ID)); !ok || found != m {
			t.Errorf("%s is not found", m.ID)
		}
	}
}

// A changed text keeps its identifier, an added one gets the next, and one that is gone keeps its line.
func TestNumbersStay(t *testing.T) {
	list := []Message{{"E0001", "a", "the rank is %d; give a smaller one"}, {"E0002", "a", "no data given at all"}, {"W0001", "a", "a warning of something"}}
	got := numbered(list, map[[2]string]string{
		{"E", "the rank is %d, too large; give a smaller one"}: "a", {"E", "another matter"}: "b", {"W", "a warning of something"}: "a"})
	want := []Message{{"E0001", "a", "the rank is %d, too large; give a smaller one"}, {"E0002", gone, "no data given at all"}, {"E0003", "b", "another matter"},
		{"W0001", "a", "a warning of something"}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
