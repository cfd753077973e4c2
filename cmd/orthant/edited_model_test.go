package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"strings"
	"testing"
)

// edited is the file of a model with another text in its header, signed again.
func edited(t *testing.T, model []byte, old, now string) string {
	t.Helper()
	const preamble = 32
	end := preamble + int(binary.LittleEndian.Uint32(model[12:]))
	header := string(bytes.TrimRight(model[preamble:end], " \n"))
	if strings.Count(header, old) != 1 {
		t.Fatalf("%q is not once in %s", old, header)
	}
	header = strings.Replace(header, old, now, 1)
	if len(header) > end-preamble {
		t.Fatalf("there is no room for %q", now)
	}
	header += strings.Repeat(" ", end-preamble-len(header))
	file := append(append(bytes.Clone(model[:preamble]), header...), model[end:len(model)-sha256.Size]...)
	sum := sha256.Sum256(file)
	return string(append(file, sum[:]...))
}

// A model with a right checksum that asks for more than there is memory, or than a fit has written, is refused
// in one line with a flag for a remedy, and no temporary file stays.
func TestTransformRefusesEditedModels(t *testing.T) {
	dir := inFolder(t, "3000")
	must(t, "embed", "--method", "lle", "--in", "x.npy", "--out", "y.npy", "--model", "m.model")
	must(t, "factorize", "--method", "nmf", "--rank", "2", "--in", "t.npy", "--out-w", "w.npy", "--out-h", "h.npy", "--set", "shift=columns", "--model", "f.model")
	model, factors := read(t, "m.model"), read(t, "f.model")
	write(t, "many.model", edited(t, model, `"neighbors":12,"tangents"`, `"neighbors":2048,"tangents"`))
	write(t, "more.model", edited(t, model, `"neighbors":12,"tangents"`, `"neighbors":2999,"tangents"`))
	write(t, "steps.model", edited(t, factors, `"iterations":200,"loss"`, `"iterations":1e6,"loss"`))
	before := strings.Join(names(t, dir), " ")
	for model, says := range map[string]string{
		"many":  "needs about |where the limit is 150.0 MiB; raise the limit|--set landmarks=M",
		"more":  "is 2999, above 2048",
		"steps": `"iterations" of a factors model is missing or not within [1, 200]`,
	} {
		in := "x.npy"
		if model == "steps" {
			in = "t.npy"
		}
		o := orthant(t, "transform", "--model", model+".model", "--in", in, "--out", "z.npy", "--memory", "150MiB")
		if o.status != exitUsage || o.out != "" || strings.Count(o.err, "\n") != 1 {
			t.Errorf("%s: status %d, %q", model, o.status, o.err)
		}
		for _, word := range strings.Split(says, "|") {
			if !strings.Contains(o.err, word) {
				t.Errorf("%s: %q does not say %q", model, o.err, word)
			}
		}
		if after := strings.Join(names(t, dir), " "); after != before {
			t.Fatalf("%s: left %s", model, after)
		}
	}
}
