package main

import (
	"os"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/engine/files"
)

// TestDenoise moves noisy samples, embeds them with the scale found, and maps them again by
// the model.
func TestDenoise(t *testing.T) {
	inFolder(t, "50")
	must(t, "generate", "swiss-roll", "--samples", "3000", "--set", "noise=0.3", "--set", "params=isometric", "--out", "r.npy", "--out-params", "t.npy")
	v := must(t, "denoise", "--in", "r.npy", "--out", "z.npy", "--json").object(t)
	if v["denoised"] != true || v["noise"].(float64) < 0.14 || v["noise"].(float64) > 0.2 || v["reason"] != "" || len(v["levels"].([]any)) < 8 {
		t.Errorf("reported %v", v)
	}
	if z, err := files.ReadMatrix("z.npy", files.Options{}); err != nil || z.RawMatrix().Rows != 3000 {
		t.Fatal(err)
	}
	if v := must(t, "denoise", "--in", "r.npy", "--out", "k.npy", "--neighbors", "40", "--json").object(t); v["denoised"] != true || v["neighbors"] != 40.0 {
		t.Errorf("reported %v", v)
	}
	if o := must(t, "denoise", "--in", "x.npy", "--out", "same.npy", "--dim", "1"); !strings.Contains(o.err, "no, they are written as they are") {
		t.Errorf("said %q", o.err)
	}
	e := must(t, "embed", "--method", "ltsa", "--in", "r.npy", "--neighbors", "auto", "--out", "y.npy", "--model", "m.model", "--json").object(t)
	if d := e["details"].(map[string]any); d["denoised"] != true || d["neighbors_found"] != 12.0 || e["params"].(map[string]any)["denoise"] != "auto" {
		t.Errorf("reported %v", e)
	}
	must(t, "embed", "--method", "ltsa", "--in", "r.npy", "--set", "neighbors=auto", "--out", "set.npy")
	a, _ := os.ReadFile("y.npy")
	b, _ := os.ReadFile("set.npy")
	if string(a) != string(b) || len(a) == 0 {
		t.Error("--neighbors auto and --set neighbors=auto differ")
	}
	must(t, "transform", "--model", "m.model", "--in", "r.npy", "--out", "again.npy")
	for _, y := range []string{"y.npy", "again.npy"} {
		if dev := must(t, "evaluate", "--metric", "dev", "--truth", "t.npy", "--embedding", y, "--set", "centred=true", "--json").object(t)["value"].(float64); dev > 0.05 {
			t.Errorf("%s has dev %g", y, dev)
		}
	}
}

func TestDenoiseRefuses(t *testing.T) {
	inFolder(t, "50")
	for args, want := range map[string]string{
		"denoise --out z.npy":                                                                "--in is missing",
		"denoise --in x.npy":                                                                 "--out is missing",
		"denoise --in x.npy --out - --json":                                                  "--out - and --json",
		"denoise --in x.npy --out z.npy --neighbors few":                                     "give a whole number, or auto",
		"denoise --in x.npy --out z.npy --neighbors 3":                                       "give auto, or a number from 4 to 49",
		"denoise --in x.npy --out z.npy --dim 0":                                             "dim is 0",
		"embed --method lle --in x.npy --out y.npy --radius far":                             "radius is far",
		"embed --method lle --in x.npy --out y.npy --denoise some":                           "denoise is some",
		"embed --method lle --in x.npy --out y.npy --radius 1 --set radius=2":                "contradict each other",
		"factorize --method gnmf --in x.npy --rank 2 --out-w w.npy --set neighbors=auto":     "--neighbors auto is for embeddings",
		"embed --method lnp --in x.npy --out y.npy --radius 1":                               "radius does not apply",
		"cluster --method spectral --in x.npy --out c.npy --clusters 2 --set neighbors=auto": "--neighbors auto is for embeddings",
	} {
		if o := orthant(t, strings.Fields(args)...); o.status != 2 || !strings.Contains(o.err, want) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("orthant %s: status %d, %q, want %q", args, o.status, o.err, want)
		}
	}
}
