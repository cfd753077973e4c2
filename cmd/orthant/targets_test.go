package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"
)

// Targets come from a file, or are a column of the input, which is not a feature then.
func TestTargetsOfTheInput(t *testing.T) {
	inFolder(t, "")
	var whole, samples, targets strings.Builder
	whole.WriteString("a,age,b\n")
	for i := range 60 {
		a, b, age := float64(i*i%17), float64(i*7%13)/3, float64(i)/4
		fmt.Fprintf(&whole, "%v,%v,%v\n", a, age, b)
		fmt.Fprintf(&samples, "%v,%v\n", a, b)
		fmt.Fprintf(&targets, "%v\n", age)
	}
	write(t, "whole.csv", whole.String())
	write(t, "x.csv", samples.String())
	write(t, "t.csv", targets.String())
	line := []string{"embed", "--method", "umap", "--set", "epochs=5", "--set", "target_metric=euclidean", "--set", "target_weight=0.5", "--quiet"}
	must(t, append(line, "--in", "whole.csv", "--targets", ":age", "--out", "a.npy")...)
	must(t, append(line, "--in", "x.csv", "--targets", "t.csv", "--out", "b.npy")...)
	a, err := os.ReadFile("a.npy")
	if err != nil {
		t.Fatal(err)
	}
	if b, err := os.ReadFile("b.npy"); err != nil || !bytes.Equal(a, b) {
		t.Errorf("a column of the input gives another map than its file (%v)", err)
	}
	write(t, "short.csv", "1\n2\n")
	if o := orthant(t, append(line, "--in", "x.csv", "--targets", "short.csv", "--out", "c.npy")...); !strings.Contains(o.err, "short.csv has 2 rows for the 60 samples of x.csv") {
		t.Errorf("%+v", o)
	}
}
