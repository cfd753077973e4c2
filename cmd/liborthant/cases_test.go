package main

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/internal/cases"
	"github.com/orthant-go/orthant/internal/must"
)

// The cases that the command, Python and R run too, by one program in C.
func TestCasesInC(t *testing.T) {
	dir := folder(t)
	all := must.Get(cases.Read())(t)
	var lines strings.Builder
	inputs := t.TempDir()
	for _, c := range all.Cases {
		lines.WriteString(callOf(t, c, all, inputs))
	}
	program := exec.Command(compiled(t, dir, "testdata/cases.c", "cc", "-std=c99", "-pedantic"))
	program.Stdin = strings.NewReader(lines.String())
	out := must.Get(program.Output())(t)
	said := strings.Split(string(out), "end\n")
	if len(said) != len(all.Cases)+1 {
		t.Fatalf("%d answers to %d calls", len(said)-1, len(all.Cases))
	}
	for i, c := range all.Cases {
		t.Run(c.Name, func(t *testing.T) { checkAnswer(t, c, said[i]) })
	}
}

// callOf writes the inputs of a case into the folder and returns the line of its call.
func callOf(t *testing.T, c cases.Case, all *cases.All, folder string) string {
	or := func(text string) string {
		if text == "" {
			return "-"
		}
		return text
	}
	count := int64(0)
	if c.Count != nil {
		count = *c.Count
	}
	parameters := string(c.Parameters)
	if c.New != "" {
		parameters = strings.Replace(cmp.Or(parameters, "{}"), "{", `{"model": true, `, 1)
		parameters = strings.Replace(parameters, ", }", "}", 1)
	}
	fields := []string{c.Task, or(c.Method), fmt.Sprint(count), or(parameters), or(strings.Join(slices.Sorted(maps.Keys(c.Arrays)), ","))}
	enter := func(name, input string, rows, cols int, data any) {
		path := filepath.Join(folder, input)
		var b bytes.Buffer
		must.Do(t, binary.Write(&b, binary.NativeEndian, data))
		must.Do(t, os.WriteFile(path, b.Bytes(), 0o666))
		fields = append(fields, fmt.Sprintf("%s:%d:%d:%s", name, rows, cols, path))
	}
	for name, input := range map[string]string{"x": c.X, "distances": c.Distances, "new": c.New, "embedding": c.Embedding, "w": c.W, "h": c.H, "targets": c.Targets, "weights": c.Weights} {
		if x := all.Inputs[input]; x != nil {
			rows, cols := x.Dims()
			enter(name, input, rows, cols, x.RawMatrix().Data)
		}
	}
	for name, input := range map[string]string{"labels": c.Labels, "predicted": c.Predicted} {
		if list := all.Labels[input]; list != nil {
			enter(name, input, len(list), 1, list)
		}
	}
	return strings.Join(fields, "\t") + "\n"
}

// checkAnswer compares the program's output for a case.
func checkAnswer(t *testing.T, c cases.Case, said string) {
	const done, invalid, noMemory = 0, 1, 5 // of orthant_status
	var code int
	lines := strings.Split(strings.TrimSuffix(said, "\n"), "\n")
	if _, err := fmt.Sscanf(lines[0], "status %d", &code); err != nil {
		t.Fatalf("%v: %q", err, said)
	}
	if c.Refused != "" {
		want := invalid
		if c.Status == "memory" {
			want = noMemory
		}
		if code != want || !strings.Contains(lines[0], c.Refused) || len(lines) > 1 {
			t.Errorf("%q where status %d, %q was expected", said, want, c.Refused)
		}
		return
	}
	if code != done || len(lines) != 2+len(c.Arrays) {
		t.Fatal(said)
	}
	text := strings.TrimPrefix(lines[1], "report ")
	var report map[string]any
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if err := c.CheckReport(report); err != nil {
		t.Error(err)
	}
	if warnings := fmt.Sprint(report["warnings"]); !strings.Contains(warnings, c.Warning) {
		t.Errorf("%q lacks %q", warnings, c.Warning)
	}
	for _, line := range lines[2:] {
		fields := strings.Fields(line)
		var rows, cols int
		if fields[0] != "array" {
			t.Fatal(line)
		}
		fmt.Sscan(fields[2], &rows)
		fmt.Sscan(fields[3], &cols)
		x := mat.NewDense(rows, cols, nil)
		for i, field := range fields[4:] {
			fmt.Sscan(field, &x.RawMatrix().Data[i])
		}
		if err := c.Arrays[fields[1]].Check(x); err != nil {
			t.Errorf("%s: %v", fields[1], err)
		}
	}
}
