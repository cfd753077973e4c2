package main

import (
	"strings"
	"testing"
)

// What embed wrote passes by its report alone, and what was changed behind it is status 3 with
// one line that says what is wrong.
func TestVerify(t *testing.T) {
	inFolder(t, "2000")
	for _, method := range []string{"neml", "ltsa", "le", "isomap", "pca"} {
		write(t, "r.json", must(t, "embed", "--method", method, "--in", "x.npy", "--neighbors", "11", "--out", "y.npy", "--json").out)
		v := must(t, strings.Fields("verify --in x.npy --embedding y.npy --report r.json --json")...).object(t)
		params := v["params"].(map[string]any)
		if v["passed"] != true || v["verdict"] != "" || v["method"] != method || method != "pca" && params["neighbors"] != 11.0 {
			t.Errorf("%s: %v", method, v)
		}
		if has := method != "pca"; has != (len(v["residuals"].([]any)) == 2) {
			t.Errorf("%s: residuals %v", method, v["residuals"])
		}
	}
	write(t, "r.json", must(t, strings.Fields("embed --method ltsa --in x.npy --out y.npy --json")...).out)
	must(t, strings.Fields("embed --method ltsa --neighbors 14 --in x.npy --out other.npy -q")...)
	must(t, strings.Fields("embed --method ltsa --in x.npy --out float.npy --float32 -q")...)
	must(t, strings.Fields("verify --in x.npy --embedding float.npy --report r.json")...)
	must(t, strings.Fields("verify --in x.npy --embedding y.npy --method ltsa")...)
	for line, want := range map[string]string{
		"--embedding other.npy --report r.json":             "no eigenvector",
		"--embedding y.npy --report r.json --neighbors 13":  "no eigenvector",
		"--embedding y.npy --method hlle":                   "no eigenvector",
		"--embedding y.npy --method isomap":                 "no eigenvector of the lengths",
		"--embedding x.npy --method ltsa --dim 3 --json":    "not orthonormal",
		"--embedding y.npy --method lle --set gamma=0.5 -q": "no eigenvector",
	} {
		o := orthant(t, append(strings.Fields("verify --in x.npy"), strings.Fields(line)...)...)
		if o.status != exitNotConverged || !strings.Contains(o.err, want) {
			t.Errorf("%s: status %d: %s", line, o.status, o.err)
		}
	}
}

// The count of the run and that of the verification are the same; methods without eigenpairs of a sparse matrix refuse.
func TestCertify(t *testing.T) {
	inFolder(t, "2000")
	r := must(t, strings.Fields("embed --method ltsa --in x.npy --out y.npy --certify --json")...)
	write(t, "r.json", r.out)
	c := r.object(t)["details"].(map[string]any)["certificate"].(map[string]any)
	v := must(t, strings.Fields("verify --in x.npy --embedding y.npy --report r.json --certify --json")...).object(t)["certificate"].(map[string]any)
	for _, key := range []string{"below", "known", "pairs"} {
		want := 3.0
		if key == "pairs" {
			want = 2
		}
		if c[key] != want || v[key] != want {
			t.Errorf("%s: %v of the run, %v of the verification, want %g", key, c[key], v[key], want)
		}
	}
	if o := orthant(t, strings.Fields("embed --method ltsa --in x.npy --out y.npy --certify")...); o.status != 0 || !strings.Contains(o.err, "3 eigenvalues lie below") {
		t.Errorf("%+v", o)
	}
	if v := must(t, strings.Fields("verify --in x.npy --embedding y.npy --report r.json --json")...).object(t); v["certificate"] != nil {
		t.Error("a plain verification counts")
	}
	for line, want := range map[string]string{
		"embed --method pca --in x.npy --out y.npy --certify":           "this method solves for none",
		"verify --method isomap --in x.npy --embedding y.npy --certify": "this method solves for none",
	} {
		if o := orthant(t, strings.Fields(line)...); o.status != exitUsage || !strings.Contains(o.err, want) {
			t.Errorf("%s: status %d: %s", line, o.status, o.err)
		}
	}
}

func TestVerifyRefusesLines(t *testing.T) {
	inFolder(t, "300")
	must(t, strings.Fields("embed --method ltsa --in x.npy --out y.npy -q")...)
	write(t, "broken.json", "{")
	write(t, "empty.json", "{}")
	for line, want := range map[string]string{
		"--embedding y.npy --method ltsa":                                  "--in is missing",
		"--in x.npy --method ltsa":                                         "--embedding is missing",
		"--in x.npy --embedding y.npy":                                     "--method is missing, and so is --report",
		"--in x.npy --embedding y.npy --report broken.json":                "is no report",
		"--in x.npy --embedding y.npy --report empty.json":                 "names no method",
		"--in x.npy --embedding y.npy --report none.json":                  "none.json",
		"--in x.npy --embedding y.npy --method kmeans":                     "kmeans",
		"--in x.npy --embedding y.npy --method ltsa --set landmarks=50":    "landmarks=50",
		"--in x.npy --embedding y.npy --method ltsa --dim 3":               "has 2 columns and --dim is 3",
		"--in y.npy --embedding x.npy --method ltsa --set components=each": "components=each",
	} {
		if o := orthant(t, append([]string{"verify"}, strings.Fields(line)...)...); o.status != exitUsage || !strings.Contains(o.err, want) {
			t.Errorf("%s: status %d: %s", line, o.status, o.err)
		}
	}
}
