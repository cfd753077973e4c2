package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// Without a metric, and with several, each has a line, and JSON has them by name, with the value
// that one alone gives.
func TestEvaluateMany(t *testing.T) {
	inFolder(t, "200")
	must(t, "embed", "--method", "ltsa", "--in", "x.npy", "--out", "y.npy", "-q")
	given := []string{"evaluate", "--in", "x.npy", "--embedding", "y.npy", "--neighbors", "6"}
	out := must(t, given...).out
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[0], "trustworthiness ") || !strings.HasPrefix(lines[3], "residual-variance ") {
		t.Fatalf("%q", out)
	}
	for _, line := range lines {
		name, value, _ := strings.Cut(line, " ")
		if alone := must(t, append(given, "--metric", name)...).out; strings.TrimSpace(alone) != strings.TrimSpace(value) {
			t.Errorf("%s: %q among others, %q alone", name, value, alone)
		}
	}
	var report struct {
		Values  map[string]float64
		Metrics []struct {
			Metric   string
			Value    float64
			Samples  int
			Settings map[string]any
		}
	}
	text := must(t, append(given, "--metric", "mrre,lcmc", "--truth", "t.npy", "--set", "side=data", "--json", "-q")...).out
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	if m := report.Metrics; len(m) != 2 || m[0].Metric != "mrre" || m[0].Settings["side"] != "data" || m[1].Samples != 200 || report.Values["lcmc"] != m[1].Value || m[1].Value == 0 {
		t.Errorf("%+v", report)
	}
}

func TestEvaluateManyRefuses(t *testing.T) {
	inFolder(t, "60")
	for arguments, phrase := range map[string]string{
		"--in x.npy --embedding x.npy --metric lcmc,lcmc":             "names lcmc twice",
		"--in x.npy --metric lcmc,mrre":                               "lcmc needs --embedding",
		"--in x.npy --embedding x.npy --metric lcmc,mrr":              `did you mean "mrre"?`,
		"--in x.npy --embedding x.npy --metric lcmc,mrre --set foo=1": `none of these metrics has a setting "foo"`,
		"--truth t.npy": "too little to measure",
	} {
		if got := orthant(t, append([]string{"evaluate"}, strings.Fields(arguments)...)...); got.status != exitUsage || !strings.Contains(got.err, phrase) {
			t.Errorf("%s: %d, %q", arguments, got.status, got.err)
		}
	}
}
