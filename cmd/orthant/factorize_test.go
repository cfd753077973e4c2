package main

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/engine"
)

// positive is a table of nonnegative numbers in two groups of rows.
func positive(rows, cols int) string {
	var b strings.Builder
	for i := range rows {
		for j := range cols {
			v := math.Abs(math.Sin(float64(7*i + 3*j*j)))
			if i%2 == j%2 {
				v += 3
			}
			fmt.Fprintf(&b, "%.6f", v)
			if j < cols-1 {
				b.WriteByte(',')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// counts is a sparse table as MatrixMarket, and the same as CSV.
func counts(t *testing.T, rows, cols int) {
	t.Helper()
	var market, table strings.Builder
	entries := 0
	for i := range rows {
		var row []string
		for j := range cols {
			v := max(0, (7*i+5*j*j+i*j)%11-7)
			row = append(row, fmt.Sprint(v))
			if v > 0 {
				fmt.Fprintf(&market, "%d %d %d\n", i+1, j+1, v)
				entries++
			}
		}
		table.WriteString(strings.Join(row, ",") + "\n")
	}
	write(t, "c.mtx", fmt.Sprintf("%%%%MatrixMarket matrix coordinate integer general\n%d %d %d\n%s", rows, cols, entries, market.String()))
	write(t, "c.csv", table.String())
}

// ofIndicators are the methods that find orthonormal indicators: their penalty grows.
func ofIndicators(t *testing.T, method string) bool {
	t.Helper()
	m, err := engine.New(method)
	if err != nil {
		t.Fatal(err)
	}
	_, grows := engine.Values(m)["rho"]
	return grows
}

// A factorisation into indicators has no model, may end at its default limit with
// status 0, and with a tolerance that was asked for and missed has status 3.
func TestFactorizeIndicators(t *testing.T) {
	inFolder(t, "")
	write(t, "x.csv", positive(60, 9))
	for _, method := range []string{"rmnmf", "amrmf", "apmf"} {
		v := must(t, "factorize", "--method", method, "--in", "x.csv", "--rank", "3", "--out-w", "w.npy", "--out-h", "h.npy", "--json", "-q").object(t)
		details := v["details"].(map[string]any)
		for _, key := range []string{"residual_data", "residual_indicators", "residual_graph", "penalty", "spectral_norm"} {
			if _, ok := details[key].(float64); !ok {
				t.Errorf("%s: no details.%s", method, key)
			}
		}
		w, h := matrix(t, "w.npy"), matrix(t, "h.npy")
		var gram mat.Dense
		gram.Mul(w.T(), w)
		if r, m := h.Dims(); r != 3 || m != 9 || math.Abs(mat.Trace(&gram)-3) > 1e-10 || math.Abs(gram.At(0, 1)) > 1e-10 {
			t.Errorf("%s: H is %d × %d, WᵀW %v", method, r, m, gram.RawMatrix().Data)
		}
		line := []string{"factorize", "--method", method, "--in", "x.csv", "--rank", "3", "--out-w", "w.npy"}
		if o := orthant(t, append(line, "--tolerance", "1e-300")...); o.status != 3 || !strings.Contains(o.err, "did not reach the tolerance") {
			t.Errorf("%s: a tolerance out of reach has status %d", method, o.status)
		}
		if o := orthant(t, append(line, "--model", "m.model")...); o.status != 2 || !strings.Contains(o.err, "no rule for new samples") {
			t.Errorf("%s: a model has status %d: %s", method, o.status, o.err)
		}
	}
}

// A tolerance of the method's own that is missed is told, with status 0; one that was
// asked for has status 3. By their general defaults rmnmf and its kin end with a partition, which
// needs no splitting to be closed.
func TestFactorizeMissesItsOwnTolerance(t *testing.T) {
	inFolder(t, "")
	write(t, "x.csv", positive(60, 9))
	for _, method := range []string{"rmnmf", "amrmf", "apmf", "dsmf", "smrmf", "f-smrmf"} {
		line := []string{"factorize", "--method", method, "--in", "x.csv", "--rank", "3", "--out-w", "w.npy", "--json", "-q"}
		if method != "dsmf" {
			line = append(line, "--set", "protocol=paper")
		}
		v := must(t, append(line, "--iterations", "2")...).object(t)
		if text := fmt.Sprint(v["warnings"]); v["converged"] != false || !strings.Contains(text, "more iterations") {
			t.Errorf("%s: converged %v, warnings %v", method, v["converged"], text)
		}
		v = must(t, line...).object(t)
		if told := strings.Contains(fmt.Sprint(v["warnings"]), "more iterations"); told == v["converged"].(bool) {
			t.Errorf("%s, at its defaults: converged %v, warnings %v", method, v["converged"], v["warnings"])
		}
		if o := orthant(t, append(line, "--tolerance", "1e-300")...); o.status != 3 {
			t.Errorf("%s: a tolerance out of reach has status %d", method, o.status)
		}
	}
}

func TestFactorizeReports(t *testing.T) {
	inFolder(t, "")
	write(t, "x.csv", positive(60, 9))
	writeLabels(t, 60)
	for _, method := range methodNames("factorize") {
		if ofIndicators(t, method) {
			continue // another test's
		}
		line := []string{"factorize", "--method", method, "--in", "x.csv", "--rank", "3", "--labels", "classes.csv", "--out-w", "w.npy", "--out-h", "h.npy",
			"--iterations", "25", "--json", "-q"}
		anySign := method == "dsmf" // whose components are so, and give no rule for new samples
		if !anySign {
			line = append(line, "--model", "m.model")
		}
		v := must(t, line...).object(t)
		for _, key := range strings.Fields("method params samples features rank objective trace iterations converged relative_error backend threads seconds " +
			"cpu_seconds peak_rss_bytes components component_sizes warnings duplicates details out_w out_h model seed plan sparse cpu isa") {
			if _, ok := v[key]; !ok {
				t.Errorf("%s: no key %q", method, key)
			}
		}
		if v["rank"] != 3.0 || v["iterations"] != 25.0 || v["converged"] != false || v["sparse"] != false || v["params"].(map[string]any)["iterations"] != 25.0 {
			t.Errorf("%s: %v", method, v)
		}
		trace, span := v["trace"].(map[string]any), v["objective"].(map[string]any)
		objective := trace["objective"].([]any)
		iterations := "[0 10 20 25]"
		if method == "l21-nmf" { // those of nmf, with which it begins, count as one
			iterations = "[0 12 20 25]"
		}
		if fmt.Sprint(trace["iteration"]) != iterations || len(objective) != 4 || objective[0] != span["first"] || objective[3] != span["last"] {
			t.Errorf("%s: trace %v", method, trace)
		}
		w, h := matrix(t, "w.npy"), matrix(t, "h.npy")
		if n, r := w.Dims(); n != 60 || r != 3 {
			t.Errorf("%s: W is %d × %d", method, n, r)
		}
		if r, m := h.Dims(); r != 3 || m != 9 || mat.Min(w) < 0 || mat.Min(h) < 0 && !anySign {
			t.Errorf("%s: H is %d × %d, the least entries are %g and %g", method, r, m, mat.Min(w), mat.Min(h))
		}
		// What is written is what is reported.
		left := value(t, "reconstruction", "--in", "x.csv", "--w", "w.npy", "--h", "h.npy")
		if said := v["relative_error"].(float64); math.Abs(left-said) > 1e-6 || !(left < 1) {
			t.Errorf("%s: the error is %g, and said to be %g", method, left, said)
		}
		seconds := v["seconds"].(map[string]any)
		for _, phase := range []string{"read", "solve", "write", "total"} {
			if _, ok := seconds[phase].(float64); !ok {
				t.Errorf("%s: no seconds.%s", method, phase)
			}
		}
	}
	human := must(t, "factorize", "--method", "gnmf", "--in", "x.csv", "--rank", "3", "--out-w", "w.npy")
	for _, word := range []string{"60 samples × 9 features → 3 components", "graph ", "iterations 200", "objective ", "error ", "written    w.npy"} {
		if !strings.Contains(human.err, word) {
			t.Errorf("the report lacks %q:\n%s", word, human.err)
		}
	}
	must(t, strings.Fields("factorize --method nmf --in x.csv --rank 2 --json")...) // just for the numbers
}

func TestFactorizeIsTheEnginesFactorization(t *testing.T) {
	inFolder(t, "")
	write(t, "x.csv", positive(60, 9))
	must(t, strings.Fields("factorize --method gnmf --in x.csv --rank 3 --seed 5 --set lambda=2 --neighbors 4 --iterations 30 --out-w w.npy --out-h h.npy --threads 1 -q")...)
	lambda := 2.0
	r, err := engine.Factorize(t.Context(), matrix(t, "x.csv"), engine.GNMF{Neighbors: 4, Lambda: &lambda, Updates: engine.Updates{Iterations: 30}}, engine.FactorizeOptions{Rank: 3, Options: engine.Options{Seed: 5}})
	if err != nil {
		t.Fatal(err)
	}
	if !mat.Equal(r.W, matrix(t, "w.npy")) || !mat.Equal(r.H, matrix(t, "h.npy")) {
		t.Error("the files differ from what engine.Factorize returns")
	}
	// W through a pipe.
	if o := must(t, strings.Fields("factorize --method gnmf --in x.csv --rank 3 --seed 5 --set lambda=2 --neighbors 4 --iterations 30 --out-w - -q")...); o.out != string(read(t, "w.npy")) {
		t.Error("standard output has other bytes than the file")
	}
	// A start that is given leaves nothing to the seed.
	for _, seed := range []string{"1", "2"} {
		must(t, append(strings.Fields("factorize --method nmf --in x.csv --rank 3 --init-w w.npy --init-h h.npy -q --out-w"), "w"+seed+".npy", "--seed", seed)...)
	}
	if !bytes.Equal(read(t, "w1.npy"), read(t, "w2.npy")) {
		t.Error("the seed matters although the start is given")
	}
}

// By multiplicative updates: how many sweeps of coordinate descent pay depends on what a
// product with the data costs, and so on how they are stored.
func TestFactorizeKeepsSparseDataSparse(t *testing.T) {
	inFolder(t, "")
	counts(t, 80, 30)
	for _, method := range []string{"nmf", "nmf-kl", "nmf-beta", "gnmf", "npaf", "l21-nmf", "gs-gnmf", "cim-nmf", "cim-gnmf", "lp-rna"} {
		for _, in := range []string{"c.mtx", "c.csv"} {
			v := must(t, "factorize", "--method", method, "--in", in, "--rank", "4", "--iterations", "20", "--set", "normalise=none", "--set", "protocol=paper", "--out-w", in+".npy", "--json").object(t)
			if want := in == "c.mtx"; v["sparse"] != want {
				t.Errorf("%s of %s: sparse %v", method, in, v["sparse"])
			}
		}
		a, b := matrix(t, "c.mtx.npy"), matrix(t, "c.csv.npy")
		if !mat.EqualApprox(a, b, 1e-8) {
			t.Errorf("%s: sparse and dense data give other factors", method)
		}
	}
}

// Clusterings and new samples, too.
func TestSparseClustersAndNewSamples(t *testing.T) {
	inFolder(t, "")
	counts(t, 80, 30)
	for _, method := range []string{"nmf", "nmf-kl", "nmf-beta", "gnmf", "npaf", "l21-nmf", "gs-gnmf", "cim-nmf", "cim-gnmf", "lp-rna"} {
		must(t, "factorize", "--method", method, "--in", "c.mtx", "--rank", "3", "--iterations", "20", "--model", "m.model", "-q")
		for _, in := range []string{"c.mtx", "c.csv"} {
			v := must(t, "cluster", "--method", method, "--in", in, "--clusters", "3", "--iterations", "20", "--set", "protocol=paper", "--out", in+".labels.npy", "--json").object(t)
			if want := in == "c.mtx"; v["sparse"] != want {
				t.Errorf("%s of %s: sparse %v", method, in, v["sparse"])
			}
			must(t, "transform", "--model", "m.model", "--in", in, "--out", in+".npy", "-q")
		}
		if !bytes.Equal(read(t, "c.mtx.labels.npy"), read(t, "c.csv.labels.npy")) {
			t.Errorf("%s: sparse and dense data give other clusters", method)
		}
		if !mat.EqualApprox(matrix(t, "c.mtx.npy"), matrix(t, "c.csv.npy"), 1e-8) {
			t.Errorf("%s: sparse and dense new samples get other coordinates", method)
		}
	}
}

func TestFactorsTransform(t *testing.T) {
	inFolder(t, "200")
	write(t, "p.csv", positive(60, 3))
	for _, method := range []string{"nmf", "nmf-kl", "nmf-beta", "l21-nmf", "gnmf", "cim-nmf"} {
		must(t, "factorize", "--method", method, "--in", "x.npy", "--rank", "2", "--set", "shift=columns", "--iterations", "60", "--model", "m.model", "-q")
		v := must(t, "transform", "--model", "m.model", "--in", "x.npy", "--out", "y.npy", "--json").object(t)
		if v["rule"] != "factors" || v["dim"] != 2.0 || v["samples"] != 200.0 || v["fitted_samples"] != 200.0 {
			t.Errorf("%s: %v", method, v)
		}
		first := read(t, "y.npy")
		must(t, "transform", "--model", "m.model", "--in", "x.npy", "--out", "y.npy", "--threads", "1", "-q")
		if !bytes.Equal(first, read(t, "y.npy")) {
			t.Errorf("%s: threads change bits", method)
		}
		// Fitted to nonnegative data, negative entries are refused by their place.
		must(t, "factorize", "--method", method, "--in", "p.csv", "--rank", "2", "--iterations", "60", "--model", "p.model", "-q")
		write(t, "n.csv", "1,2,3\n4,5,6\n7,-8,9\n")
		o := orthant(t, "transform", "--model", "p.model", "--in", "n.csv", "--out", "y.npy")
		if o.status != exitUsage || !strings.Contains(o.err, "row 3 (counting from 1) has -8 in column 2") || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: status %d, %q", method, o.status, o.err)
		}
	}
}

func TestFactorizeRefuses(t *testing.T) {
	inFolder(t, "60")
	write(t, "p.csv", positive(60, 5))
	write(t, "nan.csv", "1,2\n3,NaN\n")
	write(t, "minus.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 1 -3\n")
	write(t, "w.csv", strings.Repeat("1,1\n", 59))
	write(t, "v.csv", strings.Repeat("1,1\n", 60))
	write(t, "h.csv", strings.Repeat("1,1,1,1,1\n", 2))
	writeLabels(t, 60)
	write(t, "one.csv", strings.Repeat("1\n", 60))
	write(t, "short.csv", strings.Repeat("1\n", 59))
	for line, want := range map[string]string{
		"--in p.csv --rank 2 --out-w w.npy":                                                      "--method is missing; the methods are nmf, nmf-kl, nmf-beta",
		"--method nmf --in p.csv --out-w w.npy":                                                  "--rank is missing",
		"--method nmf --rank 2 --out-w w.npy":                                                    "--in is missing",
		"--method nmf --in p.csv --rank 2":                                                       "--out-w and --out-h are missing",
		"--method nmf --in p.csv --rank 2 --out-w - --out-h -":                                   "both go to standard output",
		"--method nmf --in x.npy --rank 2 --out-w w.npy":                                         "shift=columns",
		"--method nmf --in minus.mtx --rank 1 --out-w w.npy":                                     "row 2, column 1 (counting from 1) is -3",
		"--method nmf --in minus.mtx --rank 1 --out-w w.npy --set shift=columns":                 "sparse data cannot be shifted",
		"--method nmf --in nan.csv --rank 1 --out-w w.npy":                                       "row 2, column 2",
		"--method nmf --in p.csv --rank 6 --out-w w.npy --set init=nndsvda":                      "rank 6 with --set init=nndsvda for 60 × 5 data",
		"--method nmf --in p.csv --rank 2 --out-w w.npy --set init=nndsvd --set solver=mu":       "choose --set init=nndsvda or nndsvdar, or --set solver=hals",
		"--method nmf --in p.csv --rank 2 --out-w w.npy --set extrapolate=true --set solver=mu":  "extrapolate is for --set solver=hals",
		"--method nmf --in p.csv --rank 2 --out-w w.npy --set alpha_w=-1":                        "alpha_w is -1; give a number ≥ 0",
		"--method nmf --in p.csv --rank 2 --out-w w.npy --set alpha_h=some":                      `alpha_h is "some"; give a number ≥ 0, or same`,
		"--method nmf-kl --in p.csv --rank 2 --out-w w.npy --set l1_ratio=1.5":                   "l1_ratio is 1.5; give a number from 0 to 1",
		"--method nmf --in p.csv --rank 2 --out-w w.npy --set alpha_w=1 --set normalise=each":    "--set normalise=each leaves a penalty no length to choose",
		"--method nmf --in p.csv --rank 2 --out-w w.npy --set alpha_w=1 --set extrapolate=true":  "extrapolate goes with no penalty",
		"--method nmf --in p.csv --rank 2 --out-w w.npy --set alpha_w=1 --set order=codes-first": "choose --set order=basis-first with alpha_w",
		"--method nmf --in p.csv --rank 2 --out-w w.npy --set stop=violation --set solver=mu":    "--set stop=violation is for --set solver=hals",
		"--method nmf --in p.csv --rank 2 --out-w w.npy --set stop=soon":                         `stop is soon; give one of change, relative-decrease, violation`,
		"--method nmf-kl --in p.csv --rank 2 --out-w w.npy --set stop=violation":                 `stop is violation; give one of change, relative-decrease`,
		"--method npaf --in p.csv --rank 2 --out-w w.npy --set loss=kl --set solver=hals":        "--set solver=hals is for --set loss=frobenius",
		"--method gnmf --in p.csv --rank 2 --out-w w.npy --iterations 0":                         "--iterations is 0",
		"--method gnmf --in p.csv --rank 2 --out-w w.npy --trace-every 0":                        "--trace-every is 0",
		"--method gnmf --in p.csv --rank 2 --out-w w.npy --memory 4k":                            "the program alone takes",
		"--method cim-nmf --in p.csv --rank 2 --out-w w.npy --set solver=hals":                   `no parameter "solver"`,
		"--method ndla --in p.csv --rank 2 --out-w w.npy":                                        "--labels is missing: ndla learns",
		"--method sp-rna --in p.csv --rank 2 --out-w w.npy --labels one.csv":                     "all samples are of one class",
		"--method sp-rna --in p.csv --rank 2 --out-w w.npy --labels short.csv":                   "59 labels for the 60 samples",
		"--method rmnmf --in p.csv --rank 2 --out-w w.npy --init-w v.csv":                        "a start needs both W and H; H is missing",
		"--method nmf --in p.csv --rank 2 --out-w w.npy --init-w w.csv --init-h h.csv":           "the start W is 59 × 2; give 60 × 2",
		"--method nmf --in p.csv --rank 2 --set rank=3 --out-w w.npy":                            "contradict each other",
		"--method lp-rna --in p.csv --rank 2 --neighbors 3 --set p=4 --out-w w.npy":              "contradict each other",
	} {
		o := orthant(t, append([]string{"factorize"}, strings.Fields(line)...)...)
		if o.status != exitUsage || !strings.Contains(o.err, want) || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: status %d, %q; want %q", line, o.status, o.err, want)
		}
		if _, err := os.Stat("w.npy"); err == nil {
			t.Fatalf("%s: a file is left", line)
		}
	}
	for line, want := range map[string]string{
		"--method nmf --in p.csv --rank 6":                                 "rank 6 exceeds the smaller side of the 60 × 5 data",
		"--method nmf --in p.csv --rank 2 --set labels=argmax":             `labels is for "orthant cluster"`,
		"--method nmf --in p.csv --rank 2 --set rows=unit":                 `rows is for "orthant cluster"`,
		"--method nmf --in p.csv --rank 2 --set components=each":           "components does nothing to a factorisation",
		"--method nmf --in p.csv --rank 2 --labels classes.csv":            "--labels does nothing",
		"--method lp-rna --in p.csv --rank 2 --neighbors 100":              "100 neighbours are too many for 60 samples: took 59",
		"--method nmf --in p.csv --rank 2 --set stop=violation":            "--set stop=violation does nothing without a tolerance",
		"--method nmf --in p.csv --rank 2 --set alpha_w=1 --set alpha_h=0": "a penalty on W alone has no minimum",
		"--method cim-nmf --in p.csv --rank 2 --set warm=5 --iterations 5": "all 5 iterations are warm ones",
	} {
		o := must(t, append([]string{"factorize", "--out-w", "w.npy"}, strings.Fields(line)...)...)
		if !strings.Contains(o.err, want) {
			t.Errorf("%s: %q lacks %q", line, o.err, want)
		}
	}
	o := must(t, strings.Fields("factorize --out-w w.npy --method lp-rna --in p.csv --rank 2 --neighbors 9 --neighbors-method approximate --set recall=0.9")...)
	if strings.Contains(o.err, "recall does nothing") {
		t.Errorf("lp-rna has a graph: %q", o.err)
	}
}

// Iterations are the stopping rule, but for a tolerance that the default number of
// them did not reach.
func TestFactorizeStatus(t *testing.T) {
	inFolder(t, "")
	write(t, "x.csv", positive(60, 9))
	for flags, status := range map[string]int{
		"":                                   exitDone,
		"--tolerance 1e-15":                  exitNotConverged,
		"--tolerance 1e-15 --iterations 200": exitDone,
		"--set tolerance=1e-15":              exitNotConverged,
		"--tolerance 0.05":                   exitDone, // reached
		"--tolerance -1":                     exitUsage,
		"--iterations 7 --set iterations=8":  exitUsage,
	} {
		o := orthant(t, append(strings.Fields("factorize --method nmf --in x.csv --rank 4 --set solver=mu --out-w w.npy"), strings.Fields(flags)...)...)
		if o.status != status {
			t.Errorf("%q: status %d, want %d: %s", flags, o.status, status, o.err)
		}
		if status == exitNotConverged && !strings.Contains(o.err, "200 iterations, the default limit, did not reach the tolerance") {
			t.Errorf("%q: %s", flags, o.err)
		}
	}
	v := must(t, strings.Fields("factorize --method nmf --in x.csv --rank 4 --tolerance 0.05 --json")...).object(t)
	if v["converged"] != true || v["iterations"].(float64) >= 200 {
		t.Errorf("converged %v after %v iterations", v["converged"], v["iterations"])
	}
}

func TestClusterByFactors(t *testing.T) {
	inFolder(t, "")
	write(t, "x.csv", positive(60, 8))
	var truth strings.Builder
	for i := range 60 {
		fmt.Fprintln(&truth, i%2)
	}
	write(t, "truth.csv", truth.String())
	for _, method := range methodNames("factorize") {
		if !slices.Contains(methodNames("cluster"), method) {
			if !supervised(method) {
				t.Errorf("%s does not cluster", method)
			}
			continue
		}
		for _, labels := range []string{"kmeans", "argmax"} {
			line := []string{"cluster", "--method", method, "--in", "x.csv", "--clusters", "2", "--out", "found.npy", "--set", "labels=" + labels, "--json", "-q"}
			if m, _ := engine.New(method); engine.Values(m)["theta"] != nil {
				line = append(line, "--set", "theta=8") // at 1/2 the larger half of the entries is given up
			}
			o := must(t, line...)
			// Codes with components of any sign are unique up to mixing: their largest tells nothing.
			mixed := method == "dsmf" && labels == "argmax"
			if got := value(t, "acc", "--labels", "truth.csv", "--predicted", "found.npy"); got != 1 && !mixed {
				t.Errorf("%s, %s: accuracy %g", method, labels, got)
			}
			v := o.object(t)
			if (v["objective"].(map[string]any)["last"] == nil) != (labels == "argmax") || v["params"].(map[string]any)["labels"] != labels || v["converged"] != true {
				t.Errorf("%s, %s: %v", method, labels, v)
			}
			if left, ok := v["details"].(map[string]any)["relative_error"].(float64); !ok || !(left > 0 && left < 1) {
				t.Errorf("%s: details %v", method, v["details"])
			}
		}
	}
	human := must(t, "cluster", "--method", "gnmf", "--in", "x.csv", "--clusters", "2", "--out", "found.npy", "--set", "labels=argmax")
	if strings.Contains(human.err, "k-means") || strings.Contains(human.err, "eigen") || !strings.Contains(human.err, "factors ") {
		t.Errorf("the report: %s", human.err)
	}
}
