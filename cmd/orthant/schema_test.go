package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/internal/messages"
	"github.com/orthant-go/orthant/internal/release"
)

type printed struct {
	schema, command, title string
	of                     reflect.Type
}

// printedBy is what each command prints with --json; schema is the file of docs/schemas.
var printedBy = []printed{
	{"embed", "embed", "an embedding", reflect.TypeFor[embedReport]()},
	{"transform", "transform", "the mapping of new samples by a model", reflect.TypeFor[transformReport]()},
	{"factorize", "factorize", "a factorisation", reflect.TypeFor[factorReport]()},
	{"factorize-runs", "factorize", "factorisations by many ranks and starts (--runs)", reflect.TypeFor[runsReport]()},
	{"cluster", "cluster", "a clustering", reflect.TypeFor[clusterReport]()},
	{"select", "select", "a selection", reflect.TypeFor[selectReport]()},
	{"evaluate", "evaluate", "one measure (--metric NAME)", reflect.TypeFor[evaluationReport]()},
	{"evaluate-many", "evaluate", "several measures", reflect.TypeFor[evaluationsReport]()},
	{"verify", "verify", "the verification of an embedding", reflect.TypeFor[verificationReport]()},
	{"neighbors", "neighbors", "a search", reflect.TypeFor[searchReport]()},
	{"eigs", "eigs", "eigenpairs of a sparse matrix", reflect.TypeFor[eigsReport]()},
	{"svds", "svds", "singular triplets of a matrix", reflect.TypeFor[svdsReport]()},
	{"solve", "solve", "solutions of a sparse system of equations", reflect.TypeFor[solveReport]()},
	{"neighbors-plan", "neighbors", "what a search will take (--explain)", reflect.TypeFor[searchPlan]()},
	{"denoise", "denoise", "samples moved off their noise", reflect.TypeFor[denoiseReport]()},
	{"explore", "explore", "a table explored", reflect.TypeFor[exploreReport]()},
	{"generate", "generate", "samples of a generator", reflect.TypeFor[generationReport]()},
	{"compare", "compare", "several embeddings side by side", reflect.TypeFor[comparisonReport]()},
	{"compare-factors", "compare", "several factorisations side by side (--rank)", reflect.TypeFor[factorComparisonReport]()},
	{"batch", "batch", "a batch", reflect.TypeFor[batchReport]()},
	{"batch-plan", "batch", "what a batch will take (--plan)", reflect.TypeFor[batchPlan]()},
	{"batch-merge", "batch merge", "the journals of shards put together", reflect.TypeFor[mergeReport]()},
	{"methods", "methods", "all methods", reflect.TypeFor[methodsReport]()},
	{"method", "methods", "one method (methods NAME)", reflect.TypeFor[engine.Entry]()},
	{"error", "COMMAND", "an error, if no report has been printed", reflect.TypeFor[errorReport]()},
	{"explain", "explain", "an error or a warning explained", reflect.TypeFor[messages.Explanation]()},
	{"info", "info", "the machine and what is made of it", reflect.TypeFor[infoReport]()},
	{"selftest", "selftest", "the checks of this machine", reflect.TypeFor[selftestReport]()},
	{"version", "version", "the version", reflect.TypeFor[versionReport]()},
}

// schemaFolder has a folder for each release.
const schemaFolder = "../../docs/schemas"

// The schemas of this version are those of the types that are printed. make api writes them anew.
func TestSchemasAreOfWhatIsPrinted(t *testing.T) {
	s := &schemas{t, map[string]map[string]string{}}
	folder := filepath.Join(schemaFolder, release.Version)
	write := os.Getenv("ORTHANT_WRITE_API") != ""
	if write {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range printedBy {
		made := s.of(p.of)
		made["$schema"] = "https://json-schema.org/draft/2020-12/schema"
		made["$id"] = "https://github.com/orthant-go/orthant/docs/schemas/" + release.Version + "/" + p.schema + ".json"
		made["title"] = strings.Replace("orthant "+p.command, "orthant bench ", "orthant-bench ", 1) + " --json: " + p.title
		var text bytes.Buffer
		encoder := json.NewEncoder(&text)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", " ")
		if err := encoder.Encode(made); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, p.schema+".json")
		if write {
			if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if kept, err := os.ReadFile(path); err != nil || !bytes.Equal(kept, text.Bytes()) {
			t.Errorf("%s is not that of what is printed (%v); where the change is meant: make api, and CHANGELOG.md", path, err)
		}
	}
}

// Every command that can be run has a schema.
func TestEveryCommandHasASchema(t *testing.T) {
	known := map[string]bool{"help": true, "bench": true, "serve": true} // which print one line, and messages of a protocol
	for _, p := range printedBy {
		known[p.command] = true
	}
	var look func(c *cobra.Command)
	look = func(c *cobra.Command) {
		name := strings.TrimPrefix(c.CommandPath(), "orthant ")
		if c.Runnable() && !c.HasSubCommands() && !c.Hidden && !known[name] && c.Name() != "help" {
			t.Errorf("orthant %s has no schema in printedBy", name)
		}
		for _, below := range c.Commands() {
			look(below)
		}
	}
	look(newRoot(newInvocation(streams{err: os.Stderr})))
}

// validator validates by the schema of a release. Those of this version know every key; later
// versions may have more keys than an earlier schema.
func validator(t *testing.T, path string, closed bool) *jsonschema.Resolved {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var s any
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if closed {
		closeObjects(s)
	}
	if text, err = json.Marshal(s); err != nil {
		t.Fatal(err)
	}
	var parsed jsonschema.Schema
	if err := json.Unmarshal(text, &parsed); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	resolved, err := parsed.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return resolved
}

// closeObjects allows no keys but those named.
func closeObjects(s any) {
	switch s := s.(type) {
	case map[string]any:
		if _, names := s["properties"].(map[string]any); names && s["type"] == "object" {
			s["additionalProperties"] = false
		}
		for _, inner := range s {
			closeObjects(inner)
		}
	case []any:
		for _, inner := range s {
			closeObjects(inner)
		}
	}
}

// What every command prints is valid by its schema, of this version and of every release before.
func TestOutputsAreValid(t *testing.T) {
	releases, err := filepath.Glob(filepath.Join(schemaFolder, "*"))
	if err != nil || !slices.Contains(releases, filepath.Join(schemaFolder, release.Version)) {
		t.Fatalf("no schemas of this version among %v (%v)", releases, err)
	}
	validators := map[string][]*jsonschema.Resolved{}
	for _, p := range printedBy {
		for _, folder := range releases {
			path := filepath.Join(folder, p.schema+".json")
			if _, err := os.Stat(path); err == nil || strings.HasSuffix(folder, release.Version) {
				validators[p.schema] = append(validators[p.schema], validator(t, path, strings.HasSuffix(folder, release.Version)))
			}
		}
	}
	withoutData(t)
	t.Setenv(runAsCommand, "1") // for the processes that some commands start
	prepared(t)
	valid := map[string]bool{}
	for _, line := range printing {
		name, command, _ := strings.Cut(line, ": ")
		o := orthant(t, append(strings.Fields(command), "--json", "--quiet")...)
		if o.status != exitDone && o.status != exitNotConverged && name != "error" { // a verdict against an embedding is a report as well
			t.Errorf("orthant %s: status %d, %s", command, o.status, o.err)
			continue
		}
		v := o.object(t)
		for _, schema := range validators[name] {
			if err := schema.Validate(v); err != nil {
				t.Errorf("orthant %s: %v", command, err)
			}
		}
		valid[name] = true
		if mutated := validators[name][0].Validate(without(v)); mutated == nil {
			t.Errorf("%s: an object without its first key is valid", name)
		}
	}
	for _, p := range printedBy {
		if !valid[p.schema] {
			t.Errorf("no output of %s was looked at", p.schema)
		}
	}
}

// without is an object that lacks the keys that all reports of its kind have.
func without(v map[string]any) any {
	some := map[string]any{}
	for key, value := range v {
		if slices.Contains([]string{"warnings", "method", "methods", "name", "jobs", "suites", "sets", "cases", "claims", "changes", "cpu", "tested", "version", "error", "about"}, key) {
			continue
		}
		some[key] = value
	}
	return some
}

// prepared draws what the lines below read.
func prepared(t *testing.T) {
	t.Helper()
	must(t, strings.Fields("generate swiss-roll --samples 300 --out x.npy --out-params t.npy -q")...)
	must(t, strings.Fields("generate two-moons --samples 120 --out m.npy --out-labels ml.npy -q")...)
	write(t, "counts.csv", strings.Repeat("1,2,3,0\n4,0,1,2\n0,3,2,5\n2,2,0,1\n3,1,4,0\n", 8))
	write(t, "jobs.jsonl", `{"command": "embed", "method": "pca", "in": "x.npy", "out": "b.npy"}`+"\n")
}

// printing are the schemas with command lines that print what they are of.
var printing = []string{
	"error: embed --method neml --in nothing.npy --out y.npy",
	"explain: explain W0001",
	"compare-factors: compare --rank 2:3 --methods nmf,nmf-kl --in counts.csv --out cf",
	"generate: generate s-curve --samples 50 --out g.npy",
	"embed: embed --method neml --in x.npy --neighbors 10 --out y-neml.npy --model neml.model",
	"embed: embed --method pca --in x.npy --out y-pca.npy --explain",
	"embed: embed --method nlle --in x.npy --iterations 20 --out y-nlle.npy",
	"embed: embed --method isomap --in x.npy --set landmarks=60 --out y-isomap.npy",
	"embed: embed --method lda --in m.npy --labels ml.npy --dim 1 --out y-lda.npy",
	"embed: embed --method le --in x.npy --certify --out y-le.npy",
	"embed: embed --method lle --in x.npy --neighbors auto --dim auto --out y-auto.npy",
	"embed: embed --method diffusion-maps --in x.npy --plot y.svg --out y-maps.npy",
	"transform: transform --model neml.model --in x.npy --out z.npy",
	"factorize: factorize --method nmf --rank 2 --in counts.csv --out-w w.npy --out-h h.npy",
	"factorize: factorize --method gnmf --rank 2 --in counts.csv --iterations 20 --out-w w.npy --out-h h.npy --explain",
	"factorize-runs: factorize --method nmf --rank 2,3 --runs 4 --iterations 20 --in counts.csv --out runs",
	"cluster: cluster --method lnp --clusters 2 --in m.npy --out c.npy --out-embeddings parts",
	"cluster: cluster --method kmeans --clusters 3 --in x.npy --out c.npy --model k.model --explain",
	"transform: transform --model k.model --in x.npy --out labels.npy",
	"select: select --method dpp --count 10 --in x.npy --out s.npy",
	"select: select --method ds3 --count 5 --in m.npy --out s.npy",
	"evaluate: evaluate --metric dev --truth t.npy --embedding y-neml.npy",
	"evaluate: evaluate --metric nn-error --embedding y-lda.npy --labels ml.npy",
	"evaluate-many: evaluate --in x.npy --embedding y-neml.npy --truth t.npy",
	"verify: verify --in x.npy --embedding y-neml.npy --method neml --neighbors 10",
	"neighbors: neighbors --in x.npy --neighbors 5 --out-indices i.npy --out-distances d.npy",
	"neighbors: neighbors --in x.npy --radius 3 --out n.npz",
	"neighbors-plan: neighbors --in x.npy --neighbors 5 --recall 0.99 --explain",
	"neighbors-plan: neighbors --in x.npy --radius 3 --explain",
	"eigs: eigs --in n.npz --largest --count 2 --out-values v.csv",
	"svds: svds --in x.npy --count 2 --out-values v.csv",
	"solve: solve --in n.npz --shift 60 --rhs x.npy --out u.npy",
	"explore: explore --in m.npy --out page.html",
	"cluster: cluster --method hdbscan --in m.npy --out c.npy --out-scores s.csv --out-layers layers.csv --out-memberships members.npy --out-tree tree.csv --out-profile p.csv",
	"cluster: cluster --method leiden --in m.npy --out c.npy",
	"denoise: denoise --in x.npy --dim 2 --out n.npy",
	"compare: compare --in x.npy --methods lle,pca --neighbors 8,12",
	"batch-plan: batch jobs.jsonl --out planned --plan",
	"batch: batch jobs.jsonl --out one",
	"batch: batch jobs.jsonl --out sharded --shard 1/1",
	"batch-merge: batch merge --out sharded",
	"methods: methods",
	"method: methods neml",
	"info: info",
	"selftest: selftest --here",
	"version: version",
}
