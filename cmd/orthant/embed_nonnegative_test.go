package main

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"strings"
	"testing"
)

func TestIterativeMethodsReport(t *testing.T) {
	inFolder(t, "200")
	for _, method := range []string{"nmms", "nlle", "nle", "npca", "nonpp", "nolpp"} {
		v := must(t, "embed", "--method", method, "--in", "x.npy", "--out", "y.npy", "--iterations", "30", "--tolerance", "0", "--json").object(t)
		span := v["objective"].(map[string]any)
		trace := v["objective_trace"].([]any)
		if v["iterations"] != 30.0 || v["converged"] != false || len(trace) != 31 || span["first"] != trace[0] || span["last"] != trace[30] {
			t.Errorf("%s: iterations %v, converged %v, %d values of the objective", method, v["iterations"], v["converged"], len(trace))
		}
		if kkt, ok := v["kkt"].(float64); !ok || !(kkt > 0) {
			t.Errorf("%s: kkt %v", method, v["kkt"])
		}
		if orth, ok := v["orthogonality"].(float64); !ok || !(orth >= 0) {
			t.Errorf("%s: orthogonality %v", method, v["orthogonality"])
		}
		params := v["params"].(map[string]any)
		if params["iterations"] != 30.0 || params["tolerance"] != 0.0 || params["round"] != false {
			t.Errorf("%s: params %v", method, params)
		}
	}
	// Methods with eigenvalues have none of this.
	v := must(t, "embed", "--method", "le", "--in", "x.npy", "--out", "y.npy", "--json").object(t)
	for _, key := range []string{"objective", "kkt"} {
		if _, has := v[key]; has {
			t.Errorf("le has %s: %v", key, v[key])
		}
	}
	human := must(t, "embed", "--method", "nle", "--in", "x.npy", "--out", "y.npy", "--iterations", "30")
	for _, word := range []string{"iterations 30, not converged", "objective ", "residual ", "‖UᵀU − I‖"} {
		if !strings.Contains(human.err, word) {
			t.Errorf("the report lacks %q:\n%s", word, human.err)
		}
	}
}

// Status 3 is for a limit that nobody chose.
func TestLimitsOfIterations(t *testing.T) {
	inFolder(t, "300")
	for _, c := range []struct {
		flags  string
		status int
	}{
		{"", exitDone},
		{"--set update=paper", exitNotConverged}, // 500 iterations do not bring nle to 1e-6 here
		{"--set update=paper --tolerance 1e-7", exitNotConverged},
		{"--tolerance 0", exitDone},
		{"--set tolerance=0", exitDone},
		{"--iterations 40", exitDone},
		{"--set iterations=40", exitDone},
		{"--tolerance 0.1", exitDone}, // reached
		{"--iterations 40 --set iterations=41", exitUsage},
		{"--iterations 0", exitUsage},
		{"--tolerance -1", exitUsage},
		{"--set update=papyrus", exitUsage},
	} {
		o := orthant(t, append(strings.Fields("embed --method nle --in x.npy --out y.npy"), strings.Fields(c.flags)...)...)
		if o.status != c.status {
			t.Errorf("%q: status %d, want %d: %s", c.flags, o.status, c.status, o.err)
		}
		if c.status == exitNotConverged {
			if r, _ := matrix(t, "y.npy").Dims(); r != 300 || !strings.Contains(o.err, "500 iterations, the default limit") {
				t.Errorf("%q: %d rows written, %q", c.flags, r, o.err)
			}
		}
	}
	for _, flags := range []string{"--iterations 5", "--tolerance 0.1", "--init x.npy"} {
		o := must(t, append(strings.Fields("embed --method le --in x.npy --out y.npy"), strings.Fields(flags)...)...)
		if !strings.Contains(o.err, "does nothing") {
			t.Errorf("le %s: %q", flags, o.err)
		}
	}
}

func TestGivenStart(t *testing.T) {
	inFolder(t, "60")
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "%v,%v\n", float64(i%2), 1+float64(i)/60) // zeros are floored
	}
	write(t, "u.csv", b.String())
	line := strings.Fields("embed --method nle --in x.npy --iterations 20 --init u.csv -q --out")
	must(t, append(line, "a.npy")...)
	must(t, append(line, "b.npy", "--seed", "5")...)
	if !bytes.Equal(read(t, "a.npy"), read(t, "b.npy")) {
		t.Error("the seed matters although the start is given")
	}
	must(t, strings.Fields("embed --method nle --in x.npy --iterations 20 -q --out c.npy")...)
	if bytes.Equal(read(t, "a.npy"), read(t, "c.npy")) {
		t.Error("--init changes nothing")
	}
	write(t, "negative.csv", strings.Repeat("1,1\n", 59)+"1,-2\n")
	write(t, "short.csv", strings.Repeat("1,1\n", 59))
	for file, want := range map[string]string{"negative.csv": "row 60, column 2 (counting from 1) of the start is -2", "short.csv": "the start is 59 × 2; give 60 × 2", "none.csv": "none.csv"} {
		o := orthant(t, "embed", "--method", "nle", "--in", "x.npy", "--out", "y.npy", "--init", file)
		if o.status != exitUsage || !strings.Contains(o.err, want) {
			t.Errorf("%s: status %d, %q", file, o.status, o.err)
		}
	}
}

// The picture of an iterative method has a second panel with its objective.
func TestPlotOfIterations(t *testing.T) {
	inFolder(t, "300")
	must(t, strings.Fields("embed --method nle --in x.npy --iterations 60 --plot p.png --color t.npy -q")...)
	picture, err := png.Decode(bytes.NewReader(read(t, "p.png")))
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size.X != 1960 || size.Y != 900 {
		t.Fatalf("%d × %d pixels", size.X, size.Y)
	}
	// The curve falls from the top left of its panel to its bottom right.
	height := func(from, to int) float64 {
		var sum, count float64
		for x := from; x < to; x++ {
			for y := 80; y < 820; y++ {
				r, g, b, _ := picture.At(x, y).RGBA()
				if b>>8 > 140 && r>>8 < 120 && g>>8 < 160 {
					sum, count = sum+float64(y), count+1
				}
			}
		}
		return sum / count
	}
	left, right := height(1285, 1330), height(1850, 1910)
	if math.IsNaN(left) || math.IsNaN(right) || left > right-100 {
		t.Errorf("the curve is at pixel row %g on the left and %g on the right", left, right)
	}
	must(t, strings.Fields("embed --method nle --in x.npy --iterations 60 --plot p.svg -q")...)
	for _, word := range []string{">iteration<", ">objective<", ">convergence<", ">coordinate 2<"} {
		if !strings.Contains(string(read(t, "p.svg")), word) {
			t.Errorf("the picture lacks %q", word)
		}
	}
}

func TestNonnegativeDivergenceIsAnError(t *testing.T) {
	inFolder(t, "")
	write(t, "x.csv", divergentData())
	o := orthant(t, strings.Fields("embed --method nonpp --in x.csv --out y.npy --set update=printed --iterations 2000 --tolerance 0 --dim 3 --set components=joint")...)
	if o.status != exitUsage || !strings.Contains(o.err, "diverged after") || strings.Count(o.err, "\n") != 1 {
		t.Errorf("status %d: %s", o.status, o.err)
	}
}

// divergentData is nonnegative data of several groups in eight columns.
func divergentData() string {
	var b strings.Builder
	for i := range 120 {
		for j := range 8 {
			v := math.Abs(math.Sin(float64(i*(j+3)))) * 4
			if i%4 == j%4 {
				v += 6
			}
			fmt.Fprintf(&b, "%.6f", v)
			if j < 7 {
				b.WriteByte(',')
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
