package main

import (
	"math"
	"strings"
	"testing"
)

// The rank of generated counts is told by held-out entries, in a table, as JSON, in a file and
// as a picture; a second command goes on where the first one stopped.
func TestHeldOut(t *testing.T) {
	inFolder(t, "")
	holed(t, 120, 80, 0.3) // rank 3
	line := []string{"factorize", "--method", "nmf", "--in", "holes.csv", "--missing", "weight", "--iterations", "60", "--held-out", "0.1", "--out", "wold"}
	first := must(t, with(line, "--rank", "1:3", "--runs", "2", "--json", "-q")...).object(t)
	if first["made"] != 6.0 {
		t.Errorf("%v runs are made, want 6", first["made"])
	}
	v := must(t, with(line, "--rank", "1:5", "--runs", "3", "--json", "-q", "--resume", "--plot", "ranks.svg")...).object(t)
	if v["made"] != 9.0 || v["resumed"] != 6.0 {
		t.Errorf("%v runs are made, %v were there; want 9 and 6", v["made"], v["resumed"])
	}
	chosen := v["held_out"].(map[string]any)
	if chosen["best_rank"].(float64) < 3 || chosen["sparing_rank"] != 3.0 || chosen["share"] != 0.1 {
		t.Errorf("the choice is %v", chosen)
	}
	ranks := chosen["ranks"].([]any)
	third := ranks[2].(map[string]any)
	var mean, relative float64
	for _, one := range v["results"].([]any) {
		if r := one.(map[string]any); r["rank"] == 3.0 {
			mean += r["held_out_loss"].(float64) / 3
			relative += r["held_out_error"].(float64) / 3
		}
	}
	if len(ranks) != 5 || third["runs"] != 3.0 || math.Abs(third["loss"].(float64)-mean) > 1e-12*mean || math.Abs(third["relative_error"].(float64)-relative) > 1e-12 {
		t.Errorf("rank 3 is told as %v, its runs have the mean %v", third, mean)
	}
	if !strings.Contains(string(read(t, "wold/held_out.json")), `"sparing_rank":3`) || !strings.Contains(string(read(t, "ranks.svg")), "rank (") {
		t.Error("held_out.json or the picture does not tell the choice")
	}
	// All at once, it is the same.
	whole := must(t, with(line, "--rank", "1:5", "--runs", "3", "--json", "-q", "--out", "other")...).object(t)
	if a, b := whole["held_out"].(map[string]any)["ranks"], chosen["ranks"]; !sameJSON(a, b) {
		t.Errorf("resumed runs tell %v, all at once %v", b, a)
	}
	if o := must(t, with(line, "--rank", "1:5", "--runs", "3", "--resume")...); !strings.Contains(o.err, "held out 3") || !strings.Contains(o.err, "3 is the smallest within a standard error") {
		t.Errorf("the table is:\n%s", o.err)
	}
	if o := must(t, with(line, "--rank", "2,3", "--runs", "1", "--out", "single")...); !strings.Contains(o.err, "single runs have no standard error") {
		t.Errorf("the table is:\n%s", o.err)
	}
}

// sameJSON compares what JSON has been read into.
func sameJSON(a, b any) bool { return jsonText(a) == jsonText(b) }
