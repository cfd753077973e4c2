package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// There is a page for every command, in which all its flags are, and which man can read.
func TestManPages(t *testing.T) {
	dir := inFolder(t, "")
	must(t, "man", "share/man1")
	inv := newInvocation(streams{})
	root := newRoot(inv)
	names := []string{"orthant"}
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			names = append(names, "orthant-"+c.Name())
		}
	}
	if len(names) < 15 {
		t.Fatalf("%d commands", len(names))
	}
	for _, name := range names {
		page := string(read(t, filepath.Join(dir, "share/man1", name+".1")))
		for _, want := range []string{".TH ORTHANT", ".SH NAME\n" + strings.ReplaceAll(name, "-", `\-`) + ` \- `, ".SH SYNOPSIS\n.B orthant", ".SH DESCRIPTION\n", ".SH COMMON FLAGS\n", `\fB\-\-threads\fR`} {
			if !strings.Contains(page, want) {
				t.Errorf("%s.1 has no %q", name, want)
			}
		}
		if strings.Contains(page, "\n'") || strings.Count(page, ".nf\n") != strings.Count(page, ".fi\n") {
			t.Errorf("%s.1 has lines that man would take for commands, or leaves one open", name)
		}
		if man, err := exec.LookPath("groff"); err == nil {
			out, err := exec.Command(man, "-man", "-Kutf8", "-Tutf8", "-ww", "-z", filepath.Join(dir, "share/man1", name+".1")).CombinedOutput()
			if err != nil || len(out) > 0 {
				t.Errorf("%s.1: %v %s", name, err, out)
			}
		}
	}
	embed := string(read(t, filepath.Join(dir, "share/man1/orthant-embed.1")))
	for _, want := range []string{"\\fB\\-m\\fR, \\fB\\-\\-method\\fR \\fINAME\\fR\n", "isomap          Isometric feature mapping", ".SH SEE ALSO\n.BR orthant (1)\n"} {
		if !strings.Contains(embed, want) {
			t.Errorf("orthant-embed.1 has no %q", want)
		}
	}
}
