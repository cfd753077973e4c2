package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// programmes writes counts of this many programmes to counts.npz.
func programmes(t *testing.T, samples, count int) {
	t.Helper()
	must(t, "generate", "programmes", "--samples", fmt.Sprint(samples), "--set", fmt.Sprintf("programmes=%d", count),
		"--set", "dims=40", "--set", "depth=120", "--out", "counts.npz", "-q")
}

var fourRanks = []string{"factorize", "--method", "nmf", "--set", "solver=hals", "--iterations", "30", "--in", "counts.npz", "--rank", "2:5", "--runs", "6"}

func with(line []string, more ...string) []string {
	return append(append([]string{}, line...), more...)
}

// Runs have the components that they have alone, and the report lists them by rank and run.
func TestManyRuns(t *testing.T) {
	inFolder(t, "")
	programmes(t, 150, 3)
	v := must(t, with(fourRanks, "--seed", "4", "--out", "many", "--json", "-q")...).object(t)
	results := v["results"].([]any)
	if len(results) != 24 || v["made"] != 24.0 || v["resumed"] != 0.0 {
		t.Fatalf("%d results, %v made, %v resumed", len(results), v["made"], v["resumed"])
	}
	r := results[7].(map[string]any)
	if r["rank"] != 3.0 || r["run"] != 1.0 || r["seed"] != 5.0 || r["iterations"] != 30.0 {
		t.Errorf("the eighth run is %v", r)
	}
	alone := must(t, "factorize", "--method", "nmf", "--set", "solver=hals", "--iterations", "30", "--in", "counts.npz", "--rank", "3", "--seed", "5", "--out-h", "h.npy", "--json", "-q").object(t)
	if alone["relative_error"] != r["relative_error"] || !mat.Equal(matrix(t, "h.npy"), matrix(t, "many/runs/spectra.k_3.iter_1.npy")) {
		t.Errorf("a run of many has the error %v, alone %v, or other components", r["relative_error"], alone["relative_error"])
	}
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

func TestManyRunsRefuse(t *testing.T) {
	inFolder(t, "")
	programmes(t, 60, 3)
	write(t, "negative.csv", "1,2,3\n4,-5,6\n7,8,9\n1,1,2\n")
	write(t, "short.txt", "a\nb\n")
	must(t, with(fourRanks, "--out", "made", "-q")...)
	if err := os.Mkdir("other", 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, "other/journal.jsonl", "{\"index\":0,\"line\":1,\"job\":{},\"status\":\"ok\"}\n")
	short := []string{"factorize", "--method", "nmf", "--in", "counts.npz"}
	for _, c := range []struct {
		line []string
		says string
	}{
		{with(short, "--rank", "15:5", "--out", "o"), "give 5:15"},
		{with(short, "--rank", "5:x", "--out", "o"), "such as 5:15"},
		{with(short, "--rank", "1:2000000000", "--out", "o"), "more than 10000 ranks"},
		{with(short, "--rank", "2,,3", "--out", "o"), "such as 5:15"},
		{with(short, "--rank", "0:2", "--out", "o"), "--rank is 0:2; give a whole number ≥ 1"},
		{with(short, "--rank", "3", "--runs", "0", "--out", "o"), "--runs is 0"},
		{with(short, "--rank", "3", "--runs", "-4", "--out", "o"), "--runs is -4"},
		{with(short, "--rank", "3:5"), "--out is missing"},
		{with(short, "--rank", "3", "--runs", "2", "--out", "o", "--out-w", "w.npy"), "--out-w is for one run"},
		{with(short, "--rank", "39:41", "--runs", "2", "--out", "o"), "rank 41 for 60 × 40 data; give ranks from 1 to 40"},
		{with(short, "--rank", "3", "--runs", "3", "--consensus", "--out", "o"), "make at least 4 runs"},
		{with(short, "--rank", "3", "--runs", "4", "--plot", "p.png", "--out", "o"), "give --consensus"},
		{with(short, "--rank", "3", "--runs", "4", "--consensus", "--plot", "p.gif", "--out", "o"), ".png, .svg, .pdf"},
		{with(short, "--rank", "3", "--runs", "4", "--consensus", "--local-density-threshold", "0", "--out", "o"), "--local-density-threshold is 0"},
		{with(short, "--rank", "3", "--runs", "4", "--consensus", "--feature-names", "short.txt", "--out", "o"), "2 names for 40 features"},
		{[]string{"factorize", "--method", "nmf", "--in", "negative.csv", "--rank", "2", "--runs", "2", "--out", "o"}, "row 2, column 2"},
		{[]string{"factorize", "--method", "gnmf", "--in", "counts.npz", "--rank", "2", "--runs", "2", "--out", "o"}, "many runs are made by nmf, nmf-kl"},
		{with(fourRanks, "--out", "made"), "give --resume"},
		{with(fourRanks, "--out", "other", "--resume"), "not the journal of many runs"},
		{with(fourRanks, "--seed", "9", "--out", "made", "--resume"), "another seed (1, here 9)"},
		{with(fourRanks, "--set", "sweeps=1", "--out", "made", "--resume"), "sweeps=0, here it is 1"},
		{with(fourRanks, "--method", "nmf-kl", "--out", "made", "--resume"), ""},
		{with(fourRanks, "--in", "negative.csv", "--out", "made", "--resume"), "another data set"},
	} {
		if o := orthant(t, c.line...); o.status != 2 || !strings.Contains(o.err, c.says) || strings.Count(strings.TrimSpace(o.err), "\n") > 0 {
			t.Errorf("%v: status %d: %s", c.line, o.status, o.err)
		}
	}
	if _, err := os.Stat("o/journal.jsonl"); err == nil && len(read(t, "o/journal.jsonl")) > 0 {
		t.Error("a command that was refused has left a journal")
	}
	if v := must(t, with(fourRanks, "--out", "made", "--resume", "--json", "-q")...).object(t); v["resumed"] != 24.0 {
		t.Errorf("after all refusals %v runs are there, want 24", v["resumed"])
	}
}

// Runs that are gone, or were changed, are made again, and nothing else.
func TestManyRunsAreResumed(t *testing.T) {
	inFolder(t, "")
	programmes(t, 100, 3)
	must(t, with(fourRanks, "--out", "made", "-q")...)
	first := read(t, "made/runs/spectra.k_4.iter_2.npy")
	if err := os.Remove("made/runs/spectra.k_4.iter_2.npy"); err != nil {
		t.Fatal(err)
	}
	write(t, "made/runs/labels.k_2.iter_0.npy", "changed")
	line := string(read(t, "made/journal.jsonl"))
	write(t, "made/journal.jsonl", line[:len(line)-9]) // the last line is torn
	v := must(t, with(fourRanks, "--rank", "2:6", "--out", "made", "--resume", "--json", "-q")...).object(t)
	if v["made"] != 9.0 || v["resumed"] != 21.0 {
		t.Errorf("%v runs are made, %v were there; want 9 and 21", v["made"], v["resumed"])
	}
	if !bytes.Equal(first, read(t, "made/runs/spectra.k_4.iter_2.npy")) {
		t.Error("a run that was made again differs")
	}
	if left, _ := filepath.Glob("made/runs/.*"); len(left) > 0 {
		t.Errorf("left over: %v", left)
	}
}
