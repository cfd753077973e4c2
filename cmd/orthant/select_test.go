package main

import (
	"fmt"
	"testing"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

func TestSelectIsTheEnginesSelection(t *testing.T) {
	trefoils(t)
	for _, method := range methodNames("select") {
		must(t, "select", "--method", method, "--in", "x.npy", "--count", "12", "--out", "i.npy", "--seed", "4", "--iterations", "300", "-q")
		m, err := engine.New(method)
		if err != nil {
			t.Fatal(err)
		}
		if method == "ds3" {
			m = engine.DS3{Iterations: 300}
		}
		s, err := engine.Select(t.Context(), matrix(t, "x.npy"), m, engine.SelectOptions{Count: 12, Options: engine.Options{Seed: 4}})
		if err != nil {
			t.Fatal(err)
		}
		got, err := files.ReadLabels("i.npy", files.Options{})
		if err != nil || fmt.Sprint(got) != fmt.Sprint(s.Indices) {
			t.Errorf("%s: the file has %v (%v), engine.Select returns %v", method, got, err, s.Indices)
		}
	}
}
