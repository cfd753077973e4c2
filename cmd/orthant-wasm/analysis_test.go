package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/internal/must"
)

// grouped is a table of five groups, with a column of words and one of names.
func grouped(t *testing.T, samples int) string {
	t.Helper()
	var b strings.Builder
	b.WriteString("name,a,b,c,kind\n")
	for i := range samples {
		k := i % 5
		fmt.Fprintf(&b, "s%d,%d.%02d,%d.%02d,%d.%02d,%s\n", i, 3*k, i*37%100, k*k, i*53%100, 7-k, i*71%100, "ABCDE"[k:k+1])
	}
	file := filepath.Join(t.TempDir(), "cells.csv")
	must.Do(t, os.WriteFile(file, []byte(b.String()), 0o666))
	return file
}

// A table becomes a map with its groups and neighbours, and words are no samples but colours.
func TestAnalyse(t *testing.T) {
	file := grouped(t, 100)
	found := must.Get(read(file, ""))(t)
	if found.Samples != 100 || found.Columns != 3 || fmt.Sprint(found.Words) != "[kind]" {
		t.Errorf("%d × %d, words %v", found.Samples, found.Columns, found.Words)
	}
	a := must.Get(analyse(context.Background(), request{File: file, Method: "pca", Scale: "none", Neighbors: 4, Groups: "column:kind"}, nil))(t)
	if lines := strings.Split(strings.TrimSpace(a.Coordinates), "\n"); len(lines) != 101 || lines[0] != "x1,x2,group" || !strings.HasSuffix(lines[2], ",B") {
		t.Errorf("coordinates: %d lines, %q", len(lines), lines[:3])
	}
	if rows := strings.Split(strings.TrimSpace(a.Near), "\n"); len(rows) != 100 || strings.Count(rows[0], ",") != 3 {
		t.Errorf("neighbours: %d rows, %q", len(rows), rows[0])
	}
	if !strings.Contains(a.Page, `"lines":4`) || !strings.Contains(a.Page, "<!DOCTYPE html>") {
		t.Error("the map has no neighbours, or is no page")
	}
	a = must.Get(analyse(context.Background(), request{File: file, Method: "pca", Scale: "standard", Neighbors: 4, Groups: "kmeans", Clusters: 5, Drop: "c"}, nil))(t)
	if !strings.Contains(strings.Join(a.Said, "\n"), "kmeans: 5 groups") || !strings.Contains(a.Said[0], "2 columns") {
		t.Errorf("%q", a.Said)
	}
}

// What cannot be read or computed is an error that says what to do.
func TestAnalyseRefuses(t *testing.T) {
	file := grouped(t, 20)
	for _, c := range []struct {
		r     request
		words string
	}{
		{request{File: file[:len(file)-9] + "none.csv", Method: "pca"}, "no such file"},
		{request{File: file, Method: "umap", Neighbors: 500}, "give a number from 1 to 19"},
		{request{File: file, Method: "pca", Scale: "none", Groups: "kmeans", Clusters: 500}, "500"},
		{request{File: file, Method: "pca", Drop: "d"}, "\"d\""},
		{request{File: file, Method: "nothing"}, "nothing"},
	} {
		_, err := analyse(context.Background(), c.r, nil)
		if err == nil || !strings.Contains(worded(err), c.words) {
			t.Errorf("%+v: %v, without %q", c.r, err, c.words)
		}
	}
}
