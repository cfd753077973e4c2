package main

import (
	"math"
	"os"
	"strings"
	"testing"
)

// badInputs are the files that the cases of TestBadInput speak of.
func badInputs(t *testing.T) {
	t.Helper()
	must(t, "generate", "swiss-roll", "--samples", "60", "--out", "x.npy", "--out-params", "t.npy")
	good := string(read(t, "x.npy"))
	write(t, "empty.npy", "")
	write(t, "empty.csv", "")
	write(t, "truncated.npy", good[:len(good)-9])
	write(t, "cut.npy", good[:20])
	write(t, "ragged.csv", "1,2\n3,4,5\n")
	write(t, "words.csv", "1,2\n3,four\n")
	write(t, "nan.npy", npy("(3, 2)", 1, 2, 3, math.NaN(), 5, 6))
	write(t, "inf.csv", "1,2\n3,inf\n5,6\n")
	write(t, "one.csv", "1,2,3\n")
	write(t, "cube.npy", npy("(2, 2, 2)", 1, 2, 3, 4, 5, 6, 7, 8))
	write(t, "huge.npy", npy("(1000000000000, 3)", 1))
	write(t, "labels59.csv", strings.Repeat("1\n", 59))
	write(t, "half.csv", strings.Repeat("0.5\n", 60))
	write(t, "three.csv", strings.Repeat("0\n1\n2\n", 20))
	write(t, "constant.csv", strings.Repeat("3\n", 60))
	write(t, "alone.csv", "7\n"+strings.Repeat("3\n4\n4\n", 20)[:118])
	write(t, "far.csv", "0,0\n0,1\n1,0\n1,1\n50,50\n50,51\n51,50\n51,51\n")
	write(t, "file", "")
	if err := os.Mkdir("folder.npy", 0o777); err != nil {
		t.Fatal(err)
	}
}

// TestBadInput gives the command everything that can be wrong with a command
// line or an input. The answer is status 2, one line on standard error with the
// words that say what was wrong and what would mend it, nothing on standard
// output, and no file.
func TestBadInput(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	badInputs(t)
	before := strings.Join(names(t, dir), " ")
	const pca, neml = "embed --method pca --out y.npy ", "embed --method neml --in x.npy --out y.npy "
	cases := []struct{ line, words string }{
		// What is not there, or not what it says.
		{pca + "--in nowhere.npy", "orthant embed: reading nowhere.npy:|no such file"},
		{pca + "--in empty.npy", "empty.npy"},
		{pca + "--in empty.csv", "empty.csv"},
		{pca + "--in truncated.npy", "truncated.npy"},
		{pca + "--in cut.npy", "cut.npy"},
		{pca + "--in huge.npy", "huge.npy"},
		{pca + "--in ragged.csv", "ragged.csv|2"},
		{pca + "--in words.csv", "words.csv|four"},
		{pca + "--in nan.npy", "row 2, column 2|NaN"},
		{pca + "--in inf.csv", "row 2, column 2|infinity"},
		{pca + "--in cube.npy", "cube.npy"},
		{pca + "--in one.csv", "1 × 3 data cannot be embedded|at least 2 samples"},
		{pca + "--in folder.npy", "folder"},
		{pca + "--in x.xyz", `".xyz"|.npy`},
		{pca + "--in file", "extension"},
		// What does not fit the data.
		{neml + "--neighbors 60", "60 neighbours asked of 60 samples|1 to 59"},
		{neml + "--neighbors 0", "neighbors is 0|≥ 1"},
		{neml + "--neighbors -3", "neighbors is -3|≥ 1"},
		{neml + "--dim 60 --neighbors 59", "60"},
		{neml + "--dim 12", "neml|12|neighbo"},
		{pca + "--in x.npy --dim 4", "dim 4|at most 3"},
		{pca + "--in x.npy --neighbors 0", "neighbors|≥ 1"},
		{"embed --method le --in far.csv --neighbors 2 --out y.npy --set components=error", "2 components|sizes 4, 4|4 neighbours would join|components=bridge|largest"},
		{neml + "--labels labels59.csv --plot p.png", "59 labels for the 60 samples"},
		{neml + "--labels half.csv", "half.csv|whole numbers"},
		{neml + "--color labels59.csv --plot p.png", "59 rows for the 60 samples"},
		{neml + "--color t.npy --color-column 3 --plot p.png", "--color-column is 3|2 columns"},
		{neml + "--color-column 0", "count from 1"},
		{neml + "--memory 10KiB", "KiB|limit"},
		{"neighbors --in x.npy --out-indices y.npy --memory 2KiB", "KiB"},
		{"generate helix --samples 100000 --out y.npy --memory 1MB", "--memory"},
		// Names, with the nearest one that there is.
		{"embd --method neml", `unknown command "embd"|did you mean "embed"?`},
		{"--threads 2 embd", `did you mean "embed"?`},
		{"help embd", `did you mean "embed"?`},
		{"embed --in x.npy --out y.npy", "--method is missing|neml"},
		{neml + "--set componets=each", `did you mean "components"?`},
		{neml + "--set components=al", `components is al|largest`},
		{neml + "--set gamma=-1", "gamma is -1|> 0"},
		{neml + "--set gamma=small", `gamma is "small"|a number`},
		{neml + "--set gamma", `--set is "gamma"|key=value`},
		{"embed --method le --in x.npy --out y.npy --set graph=onion", "graph is onion|union"},
		{neml + "--neighbors 5 --set neighbors=6", "contradict"},
		{neml + "--nieghbors 5", `unknown flag --nieghbors|did you mean "--neighbors"?`},
		{neml + "--neighbors five", `--neighbors is "five"|whole number`},
		{neml + "--neighbors", "needs a value"},
		{neml + "x.npy", `unexpected argument "x.npy"`},
		{neml + "--neighbors-method aproximate", "exact or approximate"},
		{neml + "--neighbors-method approximate --set recall=2", "recall is 2|at most 1"},
		{neml + "--memory 10KiB", "the limit is 10.0 KiB"},
		{neml + "--set landmarks=1", "give at least 2"},
		{neml + "--neighbors-method fast", `"fast"`},
		{neml + "--backend mkl", `unknown backend "mkl"|gonum`},
		{neml + "--threads -1", "--threads is -1"},
		{neml + "--threads 9999", "--threads is 9999"},
		{neml + "--memory much", `--memory is "much"|4GiB`},
		{neml + "--progress often", `--progress is "often"|never`},
		{neml + "--seed -1", "--seed|whole number"},
		{"methods neml2 x", "one name"},
		{"methods nem", `did you mean "neml"?`},
		// Outputs.
		{"embed --method pca --out y.npy", "--in is missing"},
		{"embed --method pca --in x.npy", "--out is missing"},
		{"embed --method pca --in x.npy --out nowhere/y.npy", "creating nowhere/y.npy|no folder nowhere"},
		{"embed --method pca --in x.npy --out y.xyz", `".xyz"`},
		{"embed --method pca --in x.npy --out folder.npy", "folder"},
		{"embed --method pca --in x.npy --out y.npy --plot nowhere/p.png", "nowhere"},
		{"embed --method pca --in x.npy --out y.npy --plot p.gif", "--plot|.png, .svg, .pdf"},
		{"embed --method pca --in x.npy --out - --json", "standard output"},
		{"embed --method pca --in - --out y.npy", "no standard input"},
		{"embed --method pca --in - --labels - --out y.npy", "--in and --labels|standard input"},
		{"neighbors --in x.npy", "--out, --out-indices|--out-distances"},
		{"embed --method le --out y.npy", "--in is missing"},
		{"embed --method le --graph missing.npz --out y.npy", "missing.npz"},
		{"embed --method le --graph x.npy --out y.npy", "give a square one"},
		{"neighbors --in x.npy --out-indices - --out-distances -", "standard output"},
		{"neighbors --in x.npy --neighbors 0 --out-indices i.npy", "--neighbors is 0"},
		{"neighbors --in x.npy --method near --out-indices i.npy", "exact or approximate"},
		{"neighbors --in x.npy --set k=3 --out-indices i.npy", "it has recall"},
		{"neighbors --in x.npy --out-indices i.npy --out-distances i.npy", "same file"},
		{"neighbors --in one.csv --out-indices i.npy", "at least 2"},
		// Data sets.
		{"generate", "name of one data set|swiss-roll"},
		{"generate swiss-rol --samples 9 --out y.npy", `did you mean "swiss-roll"?`},
		{"generate swiss-roll --out y.npy", "how many samples"},
		{"generate two-moons --samples 0 --out y.npy", "--samples is 0"},
		{"generate swiss-roll --samples -2 --out y.npy", "-2 samples"},
		{"generate swiss-roll --samples 9 --set nois=1 --out y.npy", `did you mean "noise"?`},
		{"generate swiss-roll --samples 9", "--out is missing"},
		{"generate swiss-roll --samples 9 --out y.npy --out-labels l.npy", "swiss-roll has no classes"},
		{"generate gaussians --samples 9 --out y.npy --out-params l.npy", "gaussians has no coordinates"},
		{"generate swiss-roll --samples 9 --out - --out-params -", "standard output"},
		// Metrics.
		{"evaluate", "too little to measure|dev"},
		{"evaluate --metric trustworthyness", `did you mean "trustworthiness"?`},
		{"evaluate --metric dev --truth t.npy", "dev needs --embedding"},
		{"evaluate --metric dev --embedding x.npy --truth far.csv", "60|8|same samples"},
		{"evaluate --metric dev --embedding x.npy --truth constant.csv", "dev|nothing to recover"},
		{"evaluate --metric dev --embedding x.npy --truth t.npy --set centered=true", `did you mean "centred"?`},
		{"evaluate --metric dev --embedding x.npy --truth t.npy --set centred=perhaps", "centred|true"},
		{"evaluate --metric continuity --in x.npy --embedding t.npy --neighbors 30", "30"},
		{"evaluate --metric continuity --in x.npy --embedding t.npy --neighbors 0", "--neighbors is 0"},
		{"evaluate --metric mrre --in x.npy --embedding t.npy --neighbors 60", "mrre: 60 neighbours|from 1 to 59"},
		{"evaluate --metric mrre --in x.npy --embedding t.npy --set side=both", `side is "both"|embedding, data`},
		{"evaluate --metric mrre --in x.npy --embedding far.csv", "60|8|same samples"},
		{"evaluate --metric lcmc --in x.npy --embedding t.npy --neighbors 60", "lcmc: 60 neighbours|from 1 to 59"},
		{"evaluate --metric lcmc --in x.npy --embedding nan.npy", "row 2, column 2|NaN"},
		{"evaluate --metric lcmc --in x.npy", "lcmc needs --embedding"},
		{"evaluate --metric nalac --in x.npy --embedding t.npy --neighbors 60", "60 neighbours"},
		{"evaluate --metric roc-auc --embedding x.npy --labels three.csv", "3 columns|n × 1"},
		{"evaluate --metric roc-auc --embedding half.csv --labels three.csv", "0, 1 and 2|exactly two"},
		{"evaluate --metric roc-auc --embedding half.csv --labels constant.csv", "are all 3|exactly two"},
		{"evaluate --metric acc --labels three.csv --predicted labels59.csv", "59|60"},
		{"evaluate --metric acc --labels half.csv --predicted three.csv", "whole numbers"},
		{"evaluate --metric nn-error --embedding x.npy", "nn-error needs --labels"},
		{"evaluate --metric nn-error --embedding x.npy --labels constant.csv", "of 1 class"},
		{"evaluate --metric nfl-error --embedding x.npy --labels alone.csv", "class 7 has one sample"},
		{"evaluate --metric nfl-error --embedding nan.npy --labels three.csv", "row 2, column 2|NaN"},
		{"evaluate --metric nn-error --embedding x.npy --labels three.csv --set splits=0", `splits is "0"`},
		{"evaluate --metric nn-error --embedding x.npy --labels three.csv --set splits=2.5", `splits is "2.5"`},
		{"evaluate --metric nn-error --embedding x.npy --labels three.csv --set train=0", `train is "0"`},
		{"evaluate --metric nn-error --embedding x.npy --labels three.csv --set train=1", `train is "1"`},
		{"evaluate --metric nn-error --embedding x.npy --labels three.csv --set train=nan", `train is "nan"`},
		{"evaluate --metric nn-error --embedding x.npy --labels three.csv --set projection=both", "holistic"},
		{"evaluate --metric nn-error --embedding x.npy --labels three.csv --set method=neml", `no setting "method"`},
		{"evaluate --metric nn-error --in x.npy --labels three.csv --set projection=separate", "--set method is missing"},
		{"evaluate --metric nn-error --in x.npy --labels three.csv --set projection=separate --set method=nelm", `did you mean "neml"?`},
		{"evaluate --metric nn-error --in x.npy --labels three.csv --set projection=separate --set method=lle --set eta=1", `no parameter "eta"`},
		{"evaluate --metric nn-error --in x.npy --labels three.csv --set projection=separate --set method=lle --neighbors 40", "40 neighbours"},
		{"evaluate --metric reconstruction --in x.npy --w t.npy", "reconstruction needs --h"},
		{"evaluate --metric reconstruction --in x.npy --w t.npy --h t.npy", "W is 60 × 2 and H 60 × 2 for data of 60 × 3"},
	}
	for _, c := range cases {
		o := orthant(t, strings.Fields(c.line)...)
		if o.status != exitUsage || o.out != "" {
			t.Errorf("orthant %s: status %d, standard output %q", c.line, o.status, o.out)
		}
		lines := strings.Split(strings.TrimSuffix(o.err, "\n"), "\n")
		last := lines[len(lines)-1]
		if !strings.HasPrefix(last, "orthant") {
			t.Errorf("orthant %s: said %q", c.line, o.err)
		}
		for _, l := range lines[:len(lines)-1] {
			if !strings.HasPrefix(l, "warning: ") {
				t.Errorf("orthant %s: one line of error expected, got %q", c.line, o.err)
			}
		}
		for _, word := range strings.Split(c.words, "|") {
			if !strings.Contains(last, word) {
				t.Errorf("orthant %s: %q does not say %q", c.line, last, word)
			}
		}
		if after := strings.Join(names(t, dir), " "); after != before {
			t.Fatalf("orthant %s: left files: %s", c.line, after)
		}
	}
}

func TestStatusOfErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{&commandError{Command: "orthant", Err: os.ErrClosed}, 1},
		{&commandError{Command: "orthant", Err: wrong("no")}, 2},
		{&commandError{Command: "orthant", Err: &notConverged{Text: "almost"}}, 3},
		{fromWork(os.ErrInvalid), 2},
	} {
		if got := status(c.err); got != c.want {
			t.Errorf("%v has status %d, want %d", c.err, got, c.want)
		}
	}
}
