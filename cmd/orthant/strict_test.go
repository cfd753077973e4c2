package main

import (
	"strings"
	"testing"
)

// --strict makes a verdict against a result status 3, with the result written, and one sentence
// that names the cause.
func TestStrict(t *testing.T) {
	inFolder(t, "")
	must(t, strings.Fields("generate swiss-roll --samples 2000 --out clean.npy -q")...)
	must(t, strings.Fields("generate swiss-roll --samples 4000 --set noise=0.3 --out noisy.npy -q")...)
	must(t, strings.Fields("generate gaussians --samples 120 --out g.npy --out-labels l.npy -q")...)
	for _, c := range []struct {
		line   string
		status int
		says   string
	}{
		{"embed --method ltsa --in clean.npy --out y.npy --strict", exitDone, "verdict    sound"},
		{"embed --method ltsa --in noisy.npy --out y.npy --strict", exitNotConverged, "--neighbors 12 is too few for the noise"},
		{"embed --method ltsa --in noisy.npy --out y.npy", exitDone, "--neighbors 12 is too few for the noise"},
		{"factorize --method ndla --in g.npy --labels l.npy --rank 2 --set shift=columns --set lambda=1e-9 --out-w y.npy --strict", exitNotConverged, "has no effect"},
		{"factorize --method nmf --in g.npy --rank 2 --set shift=columns --out-w y.npy --strict", exitDone, ""},
		{"cluster --method kmeans --in g.npy --clusters 2 --out y.npy --strict", exitDone, ""},
	} {
		o := orthant(t, strings.Fields(c.line)...)
		if o.status != c.status || !strings.Contains(o.err, c.says) || c.says != "" && strings.Count(o.err, c.says) != 1 {
			t.Errorf("%s: status %d, want %d: %s", c.line, o.status, c.status, o.err)
		}
		if o.status == exitNotConverged && len(read(t, "y.npy")) == 0 {
			t.Errorf("%s: nothing was written", c.line)
		}
	}
}

func TestQualityInJSON(t *testing.T) {
	inFolder(t, "2000")
	q := must(t, strings.Fields("embed --method neml --in x.npy --out y.npy --json")...).object(t)["quality"].(map[string]any)
	if q["sound"] != true || q["verdict"] != "sound" || q["sentence"] != "" || len(q["not_judged"].([]any)) > 0 || !(q["even"].(float64) < 0.26) || len(q["participation"].([]any)) != 2 || !(q["weights_bias"].(float64) > 0) {
		t.Errorf("%v", q)
	}
	q = must(t, strings.Fields("embed --method pca --in x.npy --out y.npy --json")...).object(t)["quality"].(map[string]any)
	if q["verdict"] != "sound" || !(q["variance_kept"].(float64) > 0.5) || !(q["neighbors_kept"].(float64) > 0.3) || q["even"] != nil || q["charts"] != 0.0 {
		t.Errorf("pca: %v", q)
	}
	q = must(t, strings.Fields("cluster --method kmeans --in x.npy --clusters 3 --out l.npy --json")...).object(t)["quality"].(map[string]any)
	if q["sound"] != true || !(q["improvement"].(float64) > 0) || q["graph_share"] != nil {
		t.Errorf("kmeans: %v", q)
	}
}
