package main

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/files"
)

func TestSelectIsTheEnginesSelection(t *testing.T) {
	trefoils(t)
	for _, method := range methodNames("select") {
		var first []byte
		for _, threads := range []string{"1", "3"} {
			o := must(t, "select", "--method", method, "--in", "x.npy", "--count", "12", "--out", "i.npy", "--threads", threads, "--seed", "4", "--iterations", "300", "--json", "-q")
			v := o.object(t)
			seconds := v["seconds"].(map[string]any)
			for _, phase := range []string{"read", "solve", "write", "total"} {
				if _, ok := seconds[phase].(float64); !ok {
					t.Errorf("%s: no seconds.%s", method, phase)
				}
			}
			if v["method"] != method || v["count"] != 12.0 || v["samples"] != 200.0 || v["features"] != 100.0 {
				t.Errorf("%s: %v", method, v)
			}
			objective := v["objective"].(map[string]any)
			if !(objective["last"].(float64) <= objective["first"].(float64)) {
				t.Errorf("%s: objective %v", method, objective)
			}
			if first == nil {
				first = read(t, "i.npy")
			} else if !bytes.Equal(first, read(t, "i.npy")) {
				t.Errorf("%s: threads change the indices", method)
			}
		}
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
