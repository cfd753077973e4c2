package engine

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// withoutExample are exported functions that no example calls, and why.
var withoutExample = map[string]string{
	"engine.ClusterParameters":     "a list for help texts, like Parameters",
	"engine.FactorizeParameters":   "a list for help texts, like Parameters",
	"engine.SelectParameters":      "a list for help texts, like Parameters",
	"engine.ClusteringOnly":        "a list of names for help texts",
	"engine.EmbedsClustersByGraph": "asked by front doors to word a warning",
	"engine.LabelledSamples":       "the thinning of labels in pictures",
	"engine.ForecastEmbed":         "seconds differ from run to run: there is no output to hold it to",
	"engine.NewClock":              "timing of the entries that other commands make",
	"engine.Share":                 "one process of many: orthant-mpi is its example",

	"solvers.FixedUpperBytes": "memory of NewFixedUpper", "solvers.UpperBytes": "memory of NewUpper",
	"solvers.NewUpper": "storage of paths between all samples", "solvers.NewFixedUpper": "storage of paths between all samples",
	"solvers.JacobiSVD": "a kernel of local spectra", "solvers.Triangularize": "a kernel of block Lanczos",
	"solvers.LeaveOneOut": "the start of ElasticNet", "solvers.NewElasticNet": "a step of gs-gnmf", "solvers.NewDictionaryLasso": "a step of esc-ffs",
	"solvers.FitNMMS": "nmms of the engine is its entry", "solvers.BlocksOf": "a matrix in parts, of orthant-mpi",
	"solvers.PlainGram": "like SignedDense", "solvers.SignedGram": "like SignedDense", "solvers.SignedSparse": "like SignedDense",

	"sparse.LaplacianBytes": "memory of Laplacian", "sparse.PatchesBytes": "memory of NewPatches", "sparse.OfBytes": "memory of Of",
	"sparse.MarketArrayBytes": "a bound on a file's memory", "sparse.MarketEntryBytes": "a bound on a file's memory",
	"sparse.ReadMatrixMarketWithin": "ReadMatrixMarket with a limit", "sparse.NewAssembly": "Assemble in two steps", "sparse.NewPaths": "ShortestPaths in two steps", "sparse.NewPathsWithin": "NewPaths with a limit",
}

// Every exported function of the packages that programs call is called in an example, or says
// why it is not. An entry of the list that has one, or is no function any more, is an error too.
func TestExportedFunctionsHaveExamples(t *testing.T) {
	known := map[string]bool{}
	for name, folder := range map[string]string{"engine": ".", "solvers": "../solvers", "sparse": "../sparse"} {
		paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		called, exported := map[string]bool{}, []string{}
		for _, file := range paths {
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range f.Decls {
				function, is := d.(*ast.FuncDecl)
				switch test := strings.HasSuffix(file, "_test.go"); {
				case !is || function.Recv != nil:
				case test && strings.HasPrefix(function.Name.Name, "Example"):
					ast.Inspect(function, func(n ast.Node) bool {
						if call, is := n.(*ast.CallExpr); is {
							switch of := call.Fun.(type) {
							case *ast.SelectorExpr:
								if from, is := of.X.(*ast.Ident); is && from.Name == name {
									called[of.Sel.Name] = true
								}
							case *ast.Ident:
								called[of.Name] = true
							}
						}
						return true
					})
				case !test && function.Name.IsExported():
					exported = append(exported, function.Name.Name)
				}
			}
		}
		if len(exported) < 10 {
			t.Fatalf("%s exports %q alone: these are not its sources", name, exported)
		}
		for _, function := range exported {
			full := name + "." + function
			known[full] = true
			if why := withoutExample[full]; called[function] == (why != "") {
				t.Errorf("%s: called in an example: %t; in the list of those without: %q", full, called[function], why)
			}
		}
	}
	for full := range withoutExample {
		if !known[full] {
			t.Errorf("%s is in the list, and is no exported function", full)
		}
	}
}
