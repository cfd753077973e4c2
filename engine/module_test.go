package engine_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
)

// Another module imports the engine, as users do. Its dependencies are some of
// this module's, so that nothing is fetched, and by the same flags nothing is built anew.
func TestExampleModule(t *testing.T) {
	program, err := exec.LookPath("go")
	if err != nil {
		t.Skip("the go command is not there to build another module with")
	}
	folder := filepath.Join("..", "examples", "go")
	for _, args := range [][]string{{"vet", "."}, {"run", "."}} {
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS="+os.Getenv("GOFLAGS")+" -mod=readonly", "GOPROXY=off")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", args[0], err, out)
		}
		if args[0] != "run" {
			continue
		}
		want, err := os.ReadFile(filepath.Join(folder, "output.txt"))
		if err != nil {
			t.Fatal(err)
		}
		if string(out) != string(want) {
			t.Errorf("it prints\n%swant\n%s", out, want)
		}
	}
}

// withoutExample are exported functions that no example calls, and why.
var withoutExample = map[string]string{
	"engine.ClusterParameters":     "a list for help texts, like Parameters",
	"engine.FactorizeParameters":   "a list for help texts, like Parameters",
	"engine.SelectParameters":      "a list for help texts, like Parameters",
	"engine.ClusteringOnly":        "a list of names for help texts",
	"engine.EmbedsClustersByGraph": "asked by front doors to word a warning",
	"engine.LabelledSamples":       "the thinning of labels in pictures",
	"engine.ForecastEmbed":         "seconds differ from run to run: there is no output to hold it to",
	"engine.IsMap":                 "asked by front doors to refuse a flag",
	"engine.NewClock":              "timing of the entries that other commands make",
	"engine.StabilityOfParts":      "restarts.StabilityOfParts has it",
	"engine.ComparedRuns":          "restarts.StabilityOfParts has it",
	"engine.StabilityOf":           "its figures are those of a random draw",
	"engine.Share":                 "one process of many: orthant-mpi is its example",

	"solvers.FixedUpperBytes": "memory of NewFixedUpper", "solvers.UpperBytes": "memory of NewUpper",
	"solvers.NewUpper": "storage of paths between all samples", "solvers.NewFixedUpper": "storage of paths between all samples",
	"solvers.JacobiSVD": "a kernel of local spectra", "solvers.Triangularize": "a kernel of block Lanczos",
	"solvers.LeaveOneOut": "the start of ElasticNet", "solvers.NewElasticNet": "a step of gs-gnmf", "solvers.NewDictionaryLasso": "a step of esc-ffs",
	"solvers.FitNMMS": "nmms of the engine is its entry", "solvers.BlocksOf": "a matrix in parts, of orthant-mpi",
	"solvers.PlainGram": "like SignedDense", "solvers.SignedGram": "like SignedDense", "solvers.SignedSparse": "like SignedDense",

	"engine.KeepsLengths": "the former name of PreservesDistances",

	"sparse.LaplacianBytes": "memory of Laplacian", "sparse.PatchesBytes": "memory of NewPatches", "sparse.OfBytes": "memory of Of", "sparse.AnalyzeWithin": "Analyze with a limit",
	"sparse.MarketArrayBytes": "a bound on a file's memory", "sparse.MarketEntryBytes": "a bound on a file's memory",
	"sparse.ReadMatrixMarketWithin": "ReadMatrixMarket with a limit", "sparse.NewAssembly": "Assemble in two steps", "sparse.NewPaths": "ShortestPaths in two steps", "sparse.NewPathsWithin": "NewPaths with a limit",
}

// Every exported function of the packages that programs call is called in an example, or says
// why it is not. An entry of the list that has one, or is not a function any more, is an error too.
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
			t.Errorf("%s is in the list, and is not an exported function", full)
		}
	}
}

// Every fuzz target of the module begins from inputs in testdata/fuzz, and every folder there
// is of a target.
func TestFuzzTargetsHaveInputs(t *testing.T) {
	target := regexp.MustCompile(`(?m)^func (Fuzz\w+)\(`)
	targets, folders := map[string]bool{}, map[string]int{}
	root := golden.Root(t)
	if err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if strings.HasPrefix(d.Name(), ".") || path == filepath.Join(root, "out") || path == filepath.Join(root, "bin") {
				return fs.SkipDir
			}
			if strings.HasSuffix(filepath.ToSlash(filepath.Dir(path)), "/testdata/fuzz") {
				list, err := os.ReadDir(path)
				if err != nil {
					return err
				}
				folders[path] = len(list)
			}
			return nil
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range target.FindAllSubmatch(text, -1) {
			targets[filepath.Join(filepath.Dir(path), "testdata", "fuzz", string(m[1]))] = true
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if len(targets) < 20 {
		t.Errorf("only %d targets are found", len(targets))
	}
	for folder := range targets {
		if folders[folder] == 0 {
			t.Errorf("%s has no inputs; copy some of those that \"make fuzz\" found (go env GOCACHE, fuzz/)", folder)
		}
	}
	for folder := range folders {
		if !targets[folder] {
			t.Errorf("%s is of no target", folder)
		}
	}
}
