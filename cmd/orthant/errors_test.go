package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"rsc.io/script/scripttest"
)

var update = flag.Bool("update", false, "rewrite the errors of testdata/errors")

// TestErrors runs the command lines of testdata/errors, each with its exact status, its error in one line and its
// warnings; a command that is refused prints nothing else and leaves every file as it was. -update rewrites what they say.
//
// A file is a script that prepares a folder, the files of this folder, and "errors", where a line after "< " goes into
// jobs.jsonl, NAME=VALUE before a command line into the environment, and what a command says follows it after a tab.
func TestErrors(t *testing.T) {
	paths, err := filepath.Glob(absolute(t, "testdata/errors") + "/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no errors (%v)", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			if strings.HasPrefix(filepath.Base(path), "bench") && !withSuites {
				t.Skip("the suites are not in this build")
			}
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == "errors" })
			kept := string(archive.Files[at].Data)
			s := newScript(t, &txtar.Archive{Files: slices.Delete(slices.Clone(archive.Files), at, at+1)})
			scripttest.Run(t, s.engine, s.state, filepath.Base(path), bytes.NewReader(unrolled(t, archive.Comment)))
			if said := saidOf(t, kept); said != kept && *update {
				archive.Files[at].Data = []byte(said)
				write(t, path, string(txtar.Format(archive)))
			}
		})
	}
}

// saidOf is a text of errors with what the commands say now.
func saidOf(t *testing.T, kept string) string {
	var all, jobs, was strings.Builder
	var command string
	compare := func() {
		if command == "" {
			return
		}
		said := errorOf(t, command)
		if said != was.String() && !*update {
			t.Errorf("orthant %s\nsays\n%snot\n%s", command, said, was.String())
		}
		all.WriteString(said)
		command = ""
		was.Reset()
		jobs.Reset()
	}
	for line := range strings.Lines(kept) {
		if strings.HasPrefix(line, "\t") {
			was.WriteString(line)
			continue
		}
		compare()
		all.WriteString(line)
		if job, is := strings.CutPrefix(line, "< "); is {
			jobs.WriteString(job)
			write(t, "jobs.jsonl", jobs.String())
		} else if text := strings.TrimSuffix(line, "\n"); text != "" && !strings.HasPrefix(text, "#") {
			command = text
		}
	}
	compare()
	return all.String()
}

// errorOf runs a command line, and is its status with what it says; of a command that is done, the warnings.
func errorOf(t *testing.T, command string) string {
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	args := words(strings.ReplaceAll(command, "$WORK", dir))
	for len(args) > 0 && strings.Contains(args[0], "=") {
		name, value, _ := strings.Cut(args[0], "=")
		t.Setenv(name, value)
		defer t.Setenv(name, "")
		args = args[1:]
	}
	before := contents(t, ".")
	o := orthant(t, args...)
	lines := slices.DeleteFunc(slices.Collect(strings.Lines(o.err)), func(line string) bool {
		ends := strings.HasPrefix(line, "orthant ") && o.status == exitNotConverged
		return (o.status == exitDone || o.status == exitNotConverged) && !ends && !strings.HasPrefix(line, "warning: ")
	})
	if o.status == exitFailed || o.status == exitUsage {
		if after := contents(t, "."); after != before {
			was := strings.SplitAfter(before, "\n")
			t.Errorf("orthant %s: files changed:\n%s", command, slices.DeleteFunc(strings.SplitAfter(after, "\n"), func(line string) bool { return slices.Contains(was, line) }))
		}
		for i, line := range lines {
			if last := i == len(lines)-1; strings.HasPrefix(line, "orthant") != last || !last && !strings.HasPrefix(line, "warning: ") || o.out != "" && !(last && slices.Contains(args, "--json") && strings.HasPrefix(o.out, `{"error":`)) {
				t.Errorf("orthant %s: one line of error expected, got %q and %q", command, o.out, o.err)
			}
		}
	}
	if len(lines) == 0 {
		lines = []string{"\n"}
	}
	said := strings.ReplaceAll(strings.Join(lines, "\t  "), dir, "$WORK")
	said = strings.Replace(said, "methods, bench, info", "methods, info", 1) // where the suites are listed
	return fmt.Sprintf("\t%d %s", o.status, ofThisMachine.ReplaceAllString(said, "$1$2…"))
}

// contents lists a folder and all below it with what files hold.
func contents(t *testing.T, folder string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		sum, failed := "", err
		if err == nil && d.Type().IsRegular() {
			_, sum, failed = checksum(path)
		}
		b.WriteString(path + " " + sum + "\n")
		return failed
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// ofThisMachine is what differs from one machine to the next: the memory that there is, and last digits.
var ofThisMachine = regexp.MustCompile(`(the memory limit is |, of which |pairs, where )[\d.]+(?: \wiB)?|(\.\d{4})\d{6,}`)

// words are the words of a command line, in which ” quote.
func words(line string) (list []string) {
	var word strings.Builder
	quoted, begun := false, false
	for _, r := range line {
		switch {
		case r == '\'':
			quoted, begun = !quoted, true
		case r == ' ' && !quoted:
			if begun {
				list = append(list, word.String())
			}
			begun = false
			word.Reset()
		default:
			begun = true
			word.WriteRune(r)
		}
	}
	if begun {
		list = append(list, word.String())
	}
	return list
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
