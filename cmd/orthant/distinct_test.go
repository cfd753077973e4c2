//go:build unix

package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Standard input and output are files, too, where the shell has made them so.
func TestNoOutputIsStandardInput(t *testing.T) {
	inFolder(t, "60")
	for _, in := range []string{"-", "/dev/stdin"} {
		f, err := os.Open("x.npy")
		if err != nil {
			t.Fatal(err)
		}
		cmd := process(t, ".", "embed", "--method", "pca", "--in", in, "--out", "x.npy")
		var said bytes.Buffer
		cmd.Stdin, cmd.Stderr = f, &said
		if err := cmd.Run(); cmd.ProcessState.ExitCode() != exitUsage && in == "-" || !strings.Contains(said.String(), "would replace its input") && in == "-" {
			t.Errorf("--in %s: %v, %s", in, err, said.String())
		}
		f.Close()
		matrix(t, "x.npy")
	}
}

// contents lists the files of a folder and all below it with what they hold.
func contents(t *testing.T, folder string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			_, sum, failed := checksum(path)
			b.WriteString(path + " " + sum + "\n")
			return failed
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A table is read more than once, for its header and its numbers: a named pipe would hang.
func TestNamedPipes(t *testing.T) {
	inFolder(t, "60")
	for _, name := range []string{"p.csv", "p.csv.gz", "p.parquet"} {
		if err := syscall.Mkfifo(name, 0o666); err != nil {
			t.Skip("no named pipes here:", err)
		}
		for _, line := range []string{"embed --method pca --out y.npy --in ", "transform --model x.npy --out y.npy --in ", "embed --method pca --in x.npy --out y.npy --labels "} {
			if o := orthant(t, strings.Fields(line+name)...); o.status != exitUsage || !strings.Contains(o.err, "is a pipe, and a table is read more than once") {
				t.Errorf("orthant %s%s: status %d, %s", line, name, o.status, o.err)
			}
		}
	}
	if err := syscall.Mkfifo("p.npy", 0o666); err != nil {
		t.Fatal(err)
	}
	text := read(t, "x.npy")
	go func() { _ = os.WriteFile("p.npy", text, 0) }()
	must(t, "embed", "--method", "pca", "--in", "p.npy", "--out", "y.npy")
}
