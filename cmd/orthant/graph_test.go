package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/sparse"
)

// TestOneGraphServesMany embeds, clusters and factorises by the graph of one search, to the
// byte as they do by searches of their own.
func TestOneGraphServesMany(t *testing.T) {
	inFolder(t, "300")
	o := must(t, "neighbors", "--in", "x.npy", "--neighbors", "12", "--out", "g.npz", "--json")
	if v := o.object(t); v["out"] != "g.npz" || v["neighbors"] != 12.0 {
		t.Errorf("reported %v", v)
	}
	must(t, "neighbors", "--in", "x.npy", "--neighbors", "12", "--out", "g.mtx")
	for _, graph := range []string{"g.npz", "g.mtx"} {
		for _, c := range []string{
			"embed --method le", "embed --method isomap", "cluster --method spectral --clusters 3",
			"embed --method lle --in x.npy", "embed --method neml --in x.npy", "embed --method npp --in x.npy",
		} {
			args := strings.Fields(c)
			searched := args
			if !strings.Contains(c, "--in") {
				searched = append(append([]string{}, args...), "--in", "x.npy")
			}
			must(t, append(append([]string{}, searched...), "--out", "a.npy")...)
			must(t, append(append([]string{}, args...), "--graph", graph, "--out", "b.npy")...)
			a, err := os.ReadFile("a.npy")
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile("b.npy")
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a, b) {
				t.Errorf("%s by %s differs", c, graph)
			}
		}
	}
}

// TestDistancesAndAffinities gives both in place of samples.
func TestDistancesAndAffinities(t *testing.T) {
	inFolder(t, "120")
	n := 120
	d, w := mat.NewDense(n, n, nil), &sparse.CSR{Rows: n, Cols: n, Ptr: []int{0}}
	for i := range n {
		for j := range n {
			d.Set(i, j, math.Abs(float64(i-j)))
			if i-j == 1 || j-i == 1 {
				w.Col, w.Val = append(w.Col, int32(j)), append(w.Val, 1)
			}
		}
		w.Ptr = append(w.Ptr, len(w.Col))
	}
	for path, m := range map[string]mat.Matrix{"d.npy": d, "w.mtx": w} {
		f, err := files.Create(path, nil)
		if err == nil {
			err = f.WriteMatrix(m, files.Options{})
		}
		if err == nil {
			err = f.Commit()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []string{"embed --method mds --distances d.npy", "embed --method nmms --distances d.npy", "embed --method isomap -k 4 --distances d.npy",
		"embed --method le --affinities w.mtx", "embed --method lle --in x.npy --distances d.npy -k 5", "cluster --method spectral --clusters 2 --affinities w.mtx",
		"cluster --method spectral --clusters 2 --distances d.npy", "factorize --method gnmf --set shift=columns --in x.npy --rank 2 --affinities w.mtx"} {
		out := "--out"
		if strings.HasPrefix(c, "factorize") {
			out = "--out-w"
		}
		if o := orthant(t, append(strings.Fields(c), out, "y.npy")...); o.status != exitDone && o.status != exitNotConverged {
			t.Errorf("%s: %d %s", c, o.status, o.err)
		}
	}
	o := must(t, "embed", "--method", "mds", "--distances", "d.npy", "--out", "y.npy")
	if !strings.Contains(o.err, "120 samples → 2 dimensions") {
		t.Errorf("reported %s", o.err)
	}
	for says, c := range map[string]string{
		"--graph and --distances are given together": "embed --method le --graph w.mtx --distances d.npy --out y.npy",
		"pca: it takes no distances":                 "embed --method pca --distances d.npy --out y.npy",
		"give them as a graph":                       "embed --method mds --distances w.mtx --out y.npy",
		"missing.npz":                                "embed --method le --graph missing.npz --out y.npy",
	} {
		if o := orthant(t, strings.Fields(c)...); o.status != exitUsage || !strings.Contains(o.err, says) {
			t.Errorf("%s: status %d, %s", c, o.status, o.err)
		}
	}
}

// TestBatchReadsAGraphOnce runs jobs that name one graph, and one that reads the graph that
// a job before it writes.
func TestBatchReadsAGraphOnce(t *testing.T) {
	inFolder(t, "200")
	must(t, "neighbors", "--in", "x.npy", "-k", "10", "--out", "g.npz")
	var lines []string
	for i, method := range []string{"le", "isomap", "diffusion-maps", "le"} {
		lines = append(lines, fmt.Sprintf(`{"command": "embed", "method": %q, "graph": "g.npz", "out": "y%d.npy"}`, method, i))
	}
	lines = append(lines, `{"command": "neighbors", "in": "x.npy", "neighbors": 9, "out": "h.npz"}`,
		`{"command": "embed", "method": "le", "graph": "{out}/h.npz", "out": "z.npy"}`)
	if err := os.WriteFile("jobs.jsonl", []byte(strings.Join(lines, "\n")), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, "batch", "jobs.jsonl", "--out", "done")
	must(t, "embed", "--method", "le", "--graph", "g.npz", "--out", "y.npy")
	must(t, "embed", "--method", "le", "--in", "x.npy", "-k", "9", "--out", "z.npy")
	for a, b := range map[string]string{"y.npy": "done/y0.npy", "done/y3.npy": "done/y0.npy", "z.npy": "done/z.npy"} {
		one, err := os.ReadFile(a)
		if err != nil {
			t.Fatal(err)
		}
		if two, err := os.ReadFile(b); err != nil || !bytes.Equal(one, two) {
			t.Errorf("%s and %s differ: %v", a, b, err)
		}
	}
}

func TestSharedFilesAreReadOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g")
	if err := os.WriteFile(path, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	s := &sharedFiles{kept: map[string]*sharedFile{}}
	a, b := &job{args: []string{"--graph=" + path}}, &job{args: []string{"--graph=" + path, "--out=y"}}
	s.expect(a)
	s.expect(b)
	reads := 0
	read := func() (int, error) { reads++; return reads, nil }
	if _, err := sharing(s, path, func() (int, error) { return 0, os.ErrClosed }); err == nil {
		t.Error("the error of a reader was lost")
	}
	for range 3 {
		if v, err := sharing(s, path, read); v != 1 || err != nil {
			t.Errorf("read %d, %v", v, err)
		}
	}
	if err := os.WriteFile(path, []byte("longer"), 0o644); err != nil {
		t.Fatal(err)
	}
	if v, _ := sharing(s, path, read); v != 2 {
		t.Errorf("a file that changed gave %d", v)
	}
	s.release(a)
	if s.kept[path] == nil {
		t.Error("dropped before its last user")
	}
	if s.release(b); s.kept[path] != nil {
		t.Error("kept after its last user")
	}
}

// TestAffinitiesGoOutAndIn clusters by a method's own affinities as the method itself did.
func TestAffinitiesGoOutAndIn(t *testing.T) {
	inFolder(t, "200")
	for _, c := range []string{"spectral", "spectral --set weights=heat", "smce", "esc-ffs"} {
		args := append(strings.Fields("cluster --clusters 3 --in x.npy --method "+c), "--out", "a.npy", "--out-affinities", "w.npz", "--json")
		o := must(t, args...)
		if v := o.object(t); v["out_affinities"] != "w.npz" || (len(v["exemplars"].([]any)) > 0) != (c == "esc-ffs") {
			t.Errorf("%s reported %v, %v", c, v["out_affinities"], v["exemplars"])
		}
		must(t, strings.Fields("cluster --clusters 3 --method spectral --affinities w.npz --out b.npy")...)
		must(t, strings.Fields("cluster --clusters 3 --method spectral --affinities w.npz --out-affinities v.npz")...)
		for one, other := range map[string]string{"a.npy": "b.npy", "w.npz": "v.npz"} {
			a, err := os.ReadFile(one)
			if err != nil {
				t.Fatal(err)
			}
			if b, err := os.ReadFile(other); err != nil || !bytes.Equal(a, b) {
				t.Errorf("%s: %s and %s differ: %v", c, one, other, err)
			}
		}
	}
	if o := orthant(t, strings.Fields("cluster --clusters 3 --method kmeans --in x.npy --out-affinities w.npz")...); o.status != exitUsage || !strings.Contains(o.err, "makes no similarity graph") {
		t.Errorf("status %d, %s", o.status, o.err)
	}
}

// TestNeighborsByMetricAndRadius writes graphs that other commands read, of dense and of
// sparse samples.
func TestNeighborsByMetricAndRadius(t *testing.T) {
	inFolder(t, "150")
	counts(t, 60, 30)
	must(t, strings.Fields("generate swiss-roll --samples 3000 --out many.npy -q")...)
	for _, c := range []struct {
		args   string
		metric string
		sparse bool
	}{
		{"neighbors --in x.npy -k 5 --metric manhattan", "manhattan", false}, {"neighbors --in x.npy -k 5 --metric cosine --method approximate", "cosine", false},
		{"neighbors --in c.mtx -k 5 --metric jaccard", "jaccard", true}, {"neighbors --in c.mtx --radius 0.5 --metric hamming", "hamming", true},
		{"neighbors --in c.mtx -k 5", "euclidean", true}, {"neighbors --in x.npy --radius 9", "euclidean", false},
		{"neighbors --in x.npy --radius 1e-9 --metric chebyshev", "chebyshev", false},
	} {
		v := must(t, append(strings.Fields(c.args), "--out", "g.npz", "--json")...).object(t)
		if v["metric"] != c.metric || v["sparse"] != c.sparse || v["edges"].(float64) != 0 && v["most_neighbors"].(float64) < 1 {
			t.Errorf("%s reported %v", c.args, v)
		}
		if within := strings.Contains(c.args, "radius"); (v["radius"] != nil) != within || (v["neighbors"] == 0.0) != within || v["isolated"].(float64) > 0 != strings.Contains(c.args, "1e-9") {
			t.Errorf("%s reported %v", c.args, v)
		}
		if v["isolated"] == 0.0 {
			must(t, strings.Fields("embed --method le --dim 1 --graph g.npz --set components=joint --out y.npy -q")...)
		}
	}
	if o := must(t, strings.Fields("neighbors --in x.npy --radius 1e-9 --out g.npz")...); !strings.Contains(o.err, "150 samples without neighbours") {
		t.Errorf("reported %s", o.err)
	}
	for says, c := range map[string]string{
		"--neighbors and --radius are given together": "--in x.npy -k 3 --radius 2 --out g.npz",
		"--radius is -1":                    "--in x.npy --radius -1 --out g.npz",
		"--radius is NaN":                   "--in x.npy --radius NaN --out g.npz",
		"different lengths":                 "--in x.npy --radius 2 --out-indices i.npy",
		"found exactly":                     "--in x.npy --radius 2 --method approximate --out g.npz",
		"the metrics are euclidean, cosine": "--in x.npy -k 3 --metric angle --out g.npz",
		"takes dense samples":               "--in c.mtx -k 3 --metric haversine --out g.npz",
		"c.mtx is sparse":                   "--in c.mtx -k 3 --method approximate --out g.npz",
		"about 8997000 pairs":               "--in many.npy --radius 1e6 --memory 128MiB --out g.npz",
	} {
		if o := orthant(t, append([]string{"neighbors"}, strings.Fields(c)...)...); o.status != exitUsage || !strings.Contains(o.err, says) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: status %d, %s", c, o.status, o.err)
		}
	}
}
