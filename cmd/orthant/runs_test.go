package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"
)

var fourRanks = []string{"factorize", "--method", "nmf", "--set", "solver=hals", "--iterations", "30", "--in", "counts.npz", "--rank", "2:5", "--runs", "6"}

func with(line []string, more ...string) []string {
	return append(append([]string{}, line...), more...)
}

// table reads a table of consensus NMF: its header, index and numbers.
func table(t *testing.T, path string) (header, index []string, values [][]float64) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(string(read(t, path)), "\n"), "\n")
	header = strings.Split(lines[0], "\t")
	if header[0] != "" {
		t.Errorf("%s: the header begins with %q", path, header[0])
	}
	for _, line := range lines[1:] {
		fields := strings.Split(line, "\t")
		if len(fields) != len(header) {
			t.Fatalf("%s: %d fields under a header of %d", path, len(fields), len(header))
		}
		index = append(index, fields[0])
		var row []float64
		for _, text := range fields[1:] {
			v, err := strconv.ParseFloat(text, 64)
			if text == "" {
				v, err = math.NaN(), nil
			}
			if err != nil {
				t.Fatal(err)
			}
			row = append(row, v)
		}
		values = append(values, row)
	}
	return header[1:], index, values
}

func TestConsensusTables(t *testing.T) {
	inFolder(t, "")
	programmes(t, 150, 3)
	var samples, features strings.Builder
	for i := range 150 {
		fmt.Fprintf(&samples, "cell %d\n", i)
	}
	for j := range 40 {
		fmt.Fprintf(&features, "gene%d\n", j)
	}
	write(t, "cells.txt", samples.String())
	write(t, "genes.txt", features.String())
	v := must(t, with(fourRanks, "--consensus", "--sample-names", "cells.txt", "--feature-names", "genes.txt", "--plot", "ranks.svg", "--out", "out/many", "--json", "-q")...).object(t)
	list := v["consensus"].([]any)
	if len(list) != 4 {
		t.Fatalf("%d ranks have a consensus", len(list))
	}
	three := list[1].(map[string]any)
	if three["rank"] != 3.0 || three["stability"].(float64) < 0.99 || three["cophenetic_correlation"].(float64) < 0.99 {
		t.Errorf("of three programmes, rank 3 is %v", three)
	}
	header, index, spectra := table(t, "out/many/many.spectra.k_3.dt_0_5.consensus.txt")
	if strings.Join(index, " ") != "1 2 3" || len(header) != 40 || header[7] != "gene7" {
		t.Errorf("the spectra have the index %v and %d columns", index, len(header))
	}
	header, index, usages := table(t, "out/many/many.usages.k_3.dt_0_5.consensus.txt")
	if strings.Join(header, " ") != "1 2 3" || len(index) != 150 || index[9] != "cell 9" {
		t.Errorf("the usages have the header %v and %d rows", header, len(index))
	}
	x := matrix(t, "counts.npz")
	var squares float64
	for i, u := range usages {
		for j := range 40 {
			e := x.At(i, j)
			for k, w := range u {
				e -= w * spectra[k][j]
			}
			squares += e * e
		}
	}
	if got := three["prediction_error"].(float64); math.Abs(got-squares) > 1e-6*squares {
		t.Errorf("the error is said to be %v, and is %v by the tables", got, squares)
	}
	for _, name := range []string{"gene_spectra_score", "gene_spectra_tpm"} {
		if header, index, _ := table(t, "out/many/many."+name+".k_3.dt_0_5.txt"); len(header) != 40 || len(index) != 3 {
			t.Errorf("%s is %d × %d", name, len(index), len(header))
		}
	}
	var kept []map[string]any
	if err := json.Unmarshal(read(t, "out/many/consensus.json"), &kept); err != nil || len(kept) != 4 || kept[1]["stability"] != three["stability"] {
		t.Errorf("consensus.json: %v, %v", err, kept)
	}
	if picture := read(t, "ranks.svg"); !bytes.Contains(picture, []byte("stability")) {
		t.Error("the picture does not name what it shows")
	}
	// Levels of other features have their columns.
	write(t, "tpm.csv", strings.Repeat("1,2,4\n", 75)+strings.Repeat("3,1,4\n", 75))
	must(t, with(fourRanks, "--resume", "--consensus", "--local-density-threshold", "2", "--tpm", "tpm.csv", "--out", "out/many", "-q")...)
	if _, _, scores := table(t, "out/many/many.gene_spectra_score.k_3.dt_2_0.txt"); len(scores[0]) != 3 || !math.IsNaN(scores[0][2]) {
		t.Errorf("scores of three columns, one of them constant: %v", scores)
	}
}

func TestRanks(t *testing.T) {
	for text, want := range map[string]string{"7": "7", "5:8": "5:8", "15,5,10": "5,10,15", "3:5,4:6,9": "3:6,9"} {
		var r rankRange
		if err := r.Set(text); err != nil || r.String() != want {
			t.Errorf("%s is read as %s (%v), want %s", text, r.String(), err, want)
		}
	}
}

// The rank of generated counts is found by held-out entries, in a table, as JSON, in a file and
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
		t.Errorf("rank 3 is reported as %v, its runs have the mean %v", third, mean)
	}
	if !strings.Contains(string(read(t, "wold/held_out.json")), `"sparing_rank":3`) || !strings.Contains(string(read(t, "ranks.svg")), "rank (") {
		t.Error("held_out.json or the picture does not show the choice")
	}
	// All at once, it is the same.
	whole := must(t, with(line, "--rank", "1:5", "--runs", "3", "--json", "-q", "--out", "other")...).object(t)
	if a, b := whole["held_out"].(map[string]any)["ranks"], chosen["ranks"]; !sameJSON(a, b) {
		t.Errorf("resumed runs report %v, all at once %v", b, a)
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
