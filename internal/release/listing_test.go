package release

import (
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

const module = "github.com/orthant-go/orthant/"

// listing is what the packages export, one thing a line, sorted: a field and a method of a type
// are lines of their own, so that one that goes is one line that goes. Types are read from what
// the compiler exports. All systems give the same listing, that of one of them.
func listing(t *testing.T, packages []string) []string {
	t.Helper()
	args := []string{"list", "-export", "-deps", "-f", "{{if .Export}}{{.ImportPath}}={{.Export}}{{end}}"}
	for _, p := range packages {
		args = append(args, "./"+p)
	}
	list := exec.Command("go", args...)
	list.Dir = filepath.Join("..", "..")
	list.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64", "GOFLAGS=")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), "=")
		exports[path] = file
	}
	from := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("%s is not among the packages of go list", path)
		}
		return os.Open(exports[path])
	})
	found := map[string]*types.Package{}
	for _, p := range packages {
		found[p] = must.Get(from.Import(module + p))(t)
	}
	names := publicNames(found)
	var lines []string
	for _, p := range packages {
		lines = append(lines, exported(p, found[p], names)...)
	}
	slices.Sort(lines)
	return lines
}

// publicNames are the names, each with its package, that public packages give to types of
// packages of the module that are not public. A program uses such a type by that name, and it
// is listed by that name, so that it may move between packages.
func publicNames(public map[string]*types.Package) map[string]string {
	names := map[string]string{}
	for path, p := range public {
		for _, symbol := range p.Scope().Names() {
			alias, is := p.Scope().Lookup(symbol).(*types.TypeName)
			if !is || !alias.IsAlias() || !alias.Exported() {
				continue
			}
			of := alias.Type()
			for step, is := of.(*types.Alias); is; step, is = of.(*types.Alias) { // an alias may be one of an alias
				of = step.Rhs()
				var own *types.TypeName
				switch named := of.(type) {
				case *types.Named:
					own = named.Obj()
				case *types.Alias:
					own = named.Obj()
				}
				if own == nil || own.Pkg() == nil {
					break
				}
				if from, within := strings.CutPrefix(own.Pkg().Path(), module); within && public[from] == nil {
					names[from+"."+own.Name()] = path + "." + symbol
				}
			}
		}
	}
	return names
}

// qualified is a type's name with the path of its package.
var qualified = regexp.MustCompile(`[a-z0-9_/]+\.[A-Z]\w*`)

// exported lists one package.
func exported(name string, p *types.Package, names map[string]string) (lines []string) {
	within := func(other *types.Package) string {
		if other == p {
			return ""
		}
		return strings.TrimPrefix(other.Path(), module)
	}
	add := func(format string, args ...any) {
		text := qualified.ReplaceAllStringFunc(fmt.Sprintf(format, args...), func(of string) string {
			if known := names[of]; known != "" {
				return strings.TrimPrefix(known, name+".")
			}
			return of
		})
		lines = append(lines, "pkg "+name+", "+text)
	}
	for _, symbol := range p.Scope().Names() {
		object := p.Scope().Lookup(symbol)
		if !object.Exported() {
			continue
		}
		kind, of := object.(*types.TypeName)
		switch {
		case !of:
			text := types.ObjectString(object, within)
			if c, is := object.(*types.Const); is {
				text += " = " + c.Val().ExactString()
			}
			add("%s", text)
		case kind.IsAlias():
			if of := types.TypeString(types.Unalias(kind.Type()), within); names[of] != name+"."+symbol {
				add("type %s = %s", symbol, of)
			}
			members(add, symbol, types.Unalias(kind.Type()), within)
		default:
			members(add, symbol, kind.Type(), within)
		}
	}
	return lines
}

// members lists a type with its exported fields and methods. What an alias leads to inside the
// module is as public as the alias.
func members(add func(string, ...any), name string, of types.Type, within types.Qualifier) {
	switch under := of.Underlying().(type) {
	case *types.Struct:
		add("type %s struct", name)
		for f := range under.Fields() {
			if f.Exported() {
				add("type %s struct, %s %s", name, f.Name(), types.TypeString(f.Type(), within))
			}
		}
	case *types.Interface:
		add("type %s interface", name)
		for m := range under.Methods() {
			if m.Exported() {
				add("type %s interface, %s%s", name, m.Name(), strings.TrimPrefix(types.TypeString(m.Type(), within), "func"))
			} else {
				add("type %s interface, unexported methods", name)
			}
		}
	default:
		add("type %s %s", name, types.TypeString(under, within))
	}
	if _, is := of.Underlying().(*types.Interface); is {
		return
	}
	for m := range types.NewMethodSet(types.NewPointer(of)).Methods() {
		if !m.Obj().Exported() {
			continue
		}
		receiver := "*" + name
		if types.NewMethodSet(of).Lookup(m.Obj().Pkg(), m.Obj().Name()) != nil {
			receiver = name
		}
		add("method (%s) %s%s", receiver, m.Obj().Name(), strings.TrimPrefix(types.TypeString(m.Type(), within), "func"))
	}
}
