package blas

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// TestKernelsAreLookedUp sees that the choice of a machine is data: a level is named and compared
// where a set is chosen, a function in assembly where a set lists it, and nowhere else.
func TestKernelsAreLookedUp(t *testing.T) {
	entries := must.Get(os.ReadDir("."))(t)
	files := map[string]*ast.File{}
	places := token.NewFileSet()
	assembled := map[string]bool{}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		f := must.Get(parser.ParseFile(places, e.Name(), nil, parser.SkipObjectResolution))(t)
		files[e.Name()] = f
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Body == nil {
				assembled[f.Name.Name] = true
			}
		}
	}
	if len(assembled) < 100 {
		t.Errorf("%d functions in assembly found", len(assembled))
	}
	for name, f := range files {
		lists, chooses := strings.HasPrefix(name, "kernel_set"), name == "isa.go"
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				return n.Body != nil
			case *ast.Ident:
				if assembled[n.Name] && !lists {
					t.Errorf("%s: %s is called past the set of kernels", places.Position(n.Pos()), n.Name)
				}
				if strings.HasPrefix(n.Name, "isa") && !lists && !chooses {
					t.Errorf("%s: %s is named outside the choice of a set", places.Position(n.Pos()), n.Name)
				}
			case *ast.BinaryExpr:
				if !chooses && (isLevel(n.X) || isLevel(n.Y)) {
					t.Errorf("%s: a level is compared outside the choice of a set", places.Position(n.Pos()))
				}
			case *ast.SwitchStmt:
				if isLevel(n.Tag) {
					t.Errorf("%s: a switch over the level", places.Position(n.Pos()))
				}
			}
			return true
		})
	}
}

// isLevel reports whether an expression is the level of a set, or its name.
func isLevel(x ast.Expr) bool {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		return x.Sel.Name == "level" || isLevel(x.X)
	case *ast.CallExpr:
		return isLevel(x.Fun)
	}
	return false
}

// TestKernelSets sees that sets are in order and whole where kernels come in pairs.
func TestKernelSets(t *testing.T) {
	sets := usableSets()
	if sets[0] != &genericSet {
		t.Error("the set of Go is not the first")
	}
	for i, s := range sets {
		if i > 0 && s.level <= sets[i-1].level {
			t.Errorf("%s comes after %s", s.level, sets[i-1].level)
		}
		if s.family64 == nil || s.family32 == nil {
			t.Errorf("%s has no products", s.level)
		}
		for name, both := range map[string]bool{
			"grams2 and grams3":       (s.grams2 == nil) == (s.grams3 == nil),
			"ratio and ratioHalf":     (s.ratio == nil) == (s.ratioHalf == nil),
			"quartic and quarticHalf": (s.quartic == nil) == (s.quarticHalf == nil),
			"codes8":                  (s.codes8[0] == nil) == (s.codes8[1] == nil),
			"direct and axpy":         s.direct == (s.axpy != nil),
			"signedFour and signed":   s.signedFour == nil || s.signed != nil,
		} {
			if !both {
				t.Errorf("%s: one of %s is missing", s.level, name)
			}
		}
	}
}

// TestKernelsLeaveArraysOnTheStack sees that the look-up does not bring arrays of callers to the heap.
func TestKernelsLeaveArraysOnTheStack(t *testing.T) {
	everyLevel(t, func(t *testing.T) {
		allocations := testing.AllocsPerRun(10, func() {
			var x, y, z [64]float64
			var mask [1]uint64
			Axpy(2, x[:], y[:])
			Exp(z[:], y[:])
			Quotients(z[:], 1, x[:], y[:])
			Candidates(mask[:], x[:], y[:], z[:], 1, 2)
			MultiplyRatios(x[:], 1, 0, y[:], z[:])
			rankTwo(x[:], 1, y[:], 2, z[:])
			SubtractRows(8, 2, 2, x[:], 2, y[:], z[:], nil)
			MulCSRBlock(8, 0, 2, []int{0, 1, 2}, []int32{0, 1}, x[:2], y[:], z[:])
			sink = Dot(x[:], y[:]) + SquaredDistance(y[:], z[:])
		})
		if allocations != 0 {
			t.Errorf("%v allocations", allocations)
		}
	})
}
