package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/release"
)

// releases holds what each release wrote: models, journals, JSON and pickles.
const releases = "../../testdata/releases"

// fits make a model of every kind and every version of its format, with the samples that are
// mapped by it afterwards.
var fits = []struct{ name, kind, fit, more string }{
	{"barycentric", "barycentric", "embed --method lle --in x.csv --neighbors 8", "more.csv"},
	{"nystrom", "nystrom", "embed --method le --in x.csv --neighbors 8", "more.csv"},
	{"diffusion", "diffusion", "embed --method diffusion-maps --in x.csv --neighbors 8", "more.csv"},
	{"pursuit", "pursuit", "embed --method lnp --in x.csv --neighbors 8", "more.csv"},
	{"sparse-affine", "sparse-affine", "embed --method smce --in x.csv --neighbors 8", "more.csv"},
	{"geodesic", "geodesic", "embed --method isomap --in x.csv --neighbors 8 --set landmarks=12", "more.csv"},
	{"linear", "linear", "embed --method pca --in x.csv", "more.csv"},
	{"squares", "factors", "factorize --method nmf --rank 2 --in counts.csv --out-h h.npy", "counts-more.csv"},
	{"divergence", "factors", "factorize --method nmf-kl --rank 2 --in counts.csv --out-h h.npy", "counts-more.csv"},
	{"beta", "factors", "factorize --method nmf-beta --rank 2 --in counts.csv --out-h h.npy", "counts-more.csv"},
	{"correntropy", "factors", "factorize --method cim-nmf --rank 2 --in counts.csv --out-h h.npy", "counts-more.csv"},
	{"centers", "centers", "cluster --method kmeans --clusters 3 --in x.csv", "more.csv"},
	{"exemplars", "exemplars", "cluster --method ds3 --clusters 3 --in x.csv", "more.csv"},
	{"nystrom-centers", "nystrom-centers", "cluster --method spectral --clusters 3 --in x.csv --neighbors 8", "more.csv"},
	{"pursuit-labels", "pursuit-labels", "cluster --method lnp --clusters 2 --in x.csv --neighbors 8", "more.csv"},
	{"same-codes", "same-codes", "cluster --method esc-ffs --clusters 2 --in counts.csv", "counts-more.csv"},
	{"sparse-affine-labels", "sparse-affine-labels", "cluster --method smce --clusters 2 --in x.csv --neighbors 8", "more.csv"},
	{"divided", "linear", "embed --method pca --in large.csv", "large.csv"},                                                       // version 2
	{"compressed", "nystrom", "embed --method le --in sparse.mtx --neighbors 8", "sparse.mtx"},                                    // 3
	{"moved", "barycentric", "embed --method lle --in x.csv --neighbors 8 --denoise 8", "more.csv"},                               // 4
	{"penalty", "factors", "factorize --method nmf --rank 2 --set alpha_w=0.05 --in counts.csv --out-h h.npy", "counts-more.csv"}, // 5
	{"standardised", "linear", "embed --method pca --scale standard --in x.csv", "more.csv"},                                      // 6
}

type journal struct{ folder, command, resumed string }

// journaled are commands that keep a journal, in a folder of their own, and what they print when
// all is done already.
var journaled = []journal{
	{"batch", "batch jobs.jsonl --out batch", `"skipped":3`},
	{"shards", "batch jobs.jsonl --out shards --shard 1/2", ""},
	{"shards", "batch jobs.jsonl --out shards --shard 2/2", ""},
	{"runs", "factorize --method nmf --rank 2,3 --runs 3 --iterations 20 --in counts.csv --out runs", `"made":0,"resumed":6`},
	{"compared", "compare --in x.csv --methods lle,pca --neighbors 8 --out compared", `"skipped":`},
}

// releaseTime is the time of all files of a release, by which journals know their inputs.
var releaseTime = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// What every release wrote is read for ever: its models map new samples to the coordinates that
// they gave then, to 1e-8 of the largest (another processor rounds otherwise), its journals are gone
// on with, and its JSON is valid by the schemas of the same release. ORTHANT_WRITE_RELEASE=1 writes
// this version's, where there is none yet.
func TestReleasesAreRead(t *testing.T) {
	withoutProcess(t)
	all, schemas := absolute(t, releases), absolute(t, schemaFolder)
	if os.Getenv("ORTHANT_WRITE_RELEASE") != "" {
		writeRelease(t, filepath.Join(all, release.Version))
	}
	found, err := filepath.Glob(filepath.Join(all, "*"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no releases in %s (%v)", all, err)
	}
	for _, folder := range found {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			t.Run("models", func(t *testing.T) { modelsOfRelease(t, folder) })
			t.Run("journals", func(t *testing.T) { journalsOfRelease(t, folder) })
			t.Run("json", func(t *testing.T) { jsonOfRelease(t, folder, filepath.Join(schemas, filepath.Base(folder))) })
		})
	}
}

// withoutProcess has the processes that bench starts behave as the command, away from real data.
func withoutProcess(t *testing.T) {
	t.Setenv(runAsCommand, "1")
	t.Setenv("ORTHANT_DATA", "")
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	full, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return full
}

// copied is a copy of a release's files that a test may change, as the current folder.
func copied(t *testing.T, folder string, parts ...string) {
	t.Helper()
	to := t.TempDir()
	for _, part := range parts {
		if err := os.CopyFS(to, os.DirFS(filepath.Join(folder, part))); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(to)
	inJournals(t, func(text string) string { return strings.ReplaceAll(text, anyFolder, jsonOf(t, to)) })
	sameTime(t, ".")
}

// anyFolder stands in kept journals for the folder in which their commands ran.
const anyFolder = "@FOLDER@"

// inJournals rewrites the journals below the current folder.
func inJournals(t *testing.T, by func(string) string) {
	t.Helper()
	paths, err := filepath.Glob("*/*.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		write(t, path, by(string(read(t, path))))
	}
}

// jsonOf is a path as it stands within a text of JSON.
func jsonOf(t *testing.T, path string) string { return strings.Trim(plainly(t, path), `"`) }

// sameTime gives all files of a folder the time of a release.
func sameTime(t *testing.T, folder string) {
	t.Helper()
	err := filepath.Walk(folder, func(path string, info os.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		return os.Chtimes(path, releaseTime, releaseTime)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func modelsOfRelease(t *testing.T, folder string) {
	copied(t, folder, "data", "models")
	paths, err := filepath.Glob("*.model")
	if err != nil || len(paths) < len(fits) {
		t.Fatalf("%d models (%v)", len(paths), err)
	}
	for _, f := range fits {
		o := must(t, "transform", "--model", f.name+".model", "--in", f.more, "--out", "z.csv", "--json", "--quiet")
		if rule := o.object(t)["rule"]; rule != f.kind {
			t.Errorf("%s: rule %v", f.name, rule)
		}
		got, want := matrix(t, "z.csv"), matrix(t, f.name+".csv")
		if n, d := want.Dims(); n < 2 || d < 1 {
			t.Errorf("%s: %d × %d coordinates are kept", f.name, n, d)
		}
		var off mat.Dense
		off.Sub(got, want)
		if far, size := mat.Norm(&off, math.Inf(1)), mat.Norm(want, math.Inf(1)); !(far <= 1e-8*size) {
			t.Errorf("%s: coordinates are off by %g of %g", f.name, far, size)
		}
	}
}

func journalsOfRelease(t *testing.T, folder string) {
	for _, j := range journaled {
		t.Run(j.folder, func(t *testing.T) {
			copied(t, folder, "data", "journals")
			if j.folder == "bench" { // its records are of the program that measured: they are read, not gone on with
				if v := must(t, "bench", "report", "bench", "--json", "--quiet").object(t); len(v["claims"].([]any)) == 0 {
					t.Errorf("reported %v", v)
				}
				if v := must(t, "bench", "compare", "bench", "bench", "--json", "--quiet").object(t); len(v["changes"].([]any)) != 1 {
					t.Errorf("compared %v", v)
				}
				return
			}
			if j.resumed == "" {
				if v := must(t, "batch", "merge", "--out", j.folder, "--json", "--quiet").object(t); v["jobs"] != 3.0 || v["ok"] != 3.0 || v["not_done"] != 0.0 {
					t.Errorf("merged %v", v)
				}
				must(t, append(strings.Fields(j.command), "--resume", "--quiet")...)
				return
			}
			if runtime.GOOS == "windows" {
				t.Skip("the jobs of a journal are known by their paths, which Windows writes in another way")
			}
			if o := must(t, append(strings.Fields(j.command), "--resume", "--json", "--quiet")...); !strings.Contains(o.out, j.resumed) || strings.Contains(o.out, `"skipped":0`) {
				t.Errorf("not all was done before: %s", o.out)
			}
		})
	}
}

func jsonOfRelease(t *testing.T, folder, schemas string) {
	kept, err := filepath.Glob(filepath.Join(folder, "json", "*.json.gz"))
	if err != nil || len(kept) == 0 {
		t.Fatalf("no JSON is kept (%v)", err)
	}
	for _, path := range kept {
		name := strings.TrimSuffix(filepath.Base(path), ".json.gz")
		var v any
		if err := json.Unmarshal(unpacked(t, path), &v); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if err := validator(t, filepath.Join(schemas, name+".json"), true).Validate(v); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// The one JSON that a command reads.
	copied(t, folder, "data", "json")
	write(t, "report.json", string(unpacked(t, "embed.json.gz")))
	if v := must(t, "verify", "--in", "x.csv", "--embedding", "y.csv", "--report", "report.json", "--json", "--quiet").object(t); v["passed"] != true || v["method"] != "pca" {
		t.Errorf("verified %v", v)
	}
}

func unpacked(t *testing.T, path string) []byte {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(read(t, path)))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
