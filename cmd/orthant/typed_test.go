package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
	"github.com/orthant-go/orthant/engine"
)

// typed are the command lines of a text, as they are typed: the indented blocks that begin
// with one of ours. What takes minutes, or reads what a reader brings, is left out.
func typed(text string) []string {
	var lines []string
	for _, block := range strings.Split(text, "\n\n") {
		if !ours.MatchString(block) || leftOut.MatchString(block) {
			continue
		}
		for line := range strings.Lines(block) {
			if line, indented := strings.CutPrefix(line, "    "); indented && !strings.HasPrefix(line, "make ") {
				lines = append(lines, strings.TrimSpace(line))
			}
		}
	}
	return lines
}

var (
	ours    = regexp.MustCompile(`(?m)^    ((bin/)?orthant [a-z]|paste )`)
	leftOut = regexp.MustCompile(`--samples 1000000|bench run|bench report|coil20[.]npy|faces[.]npy`)
	// pictured is a file that a command draws.
	pictured = regexp.MustCompile(`--plot (\S+)`)
)

// asTyped runs lines in a shell, in a folder with testdata in which the command is called
// orthant and bin/orthant, as it is in the repository's.
func asTyped(t *testing.T, lines []string) {
	t.Helper()
	folder := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(folder, "bin"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "bin", "orthant"), []byte("#!/bin/sh\nexec '"+self+"' \"$@\"\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(golden.Root(t), "testdata"), filepath.Join(folder, "testdata")); err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = folder
		cmd.Env = commandEnvironment("PATH=" + filepath.Join(folder, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", line, err, out)
		}
		for _, plot := range pictured.FindAllStringSubmatch(line, -1) {
			if _, err := os.Stat(filepath.Join(folder, plot[1])); err != nil {
				t.Errorf("%s: it drew nothing: %v", line, err)
			}
		}
	}
}

// TestPagesWorkAsTyped runs what a reader would type: page by page, and of the pages of the
// methods section by section.
func TestPagesWorkAsTyped(t *testing.T) {
	if testing.Short() {
		t.Skip("some 20 s of processor time")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	root := golden.Root(t)
	texts := map[string]string{}
	for _, name := range []string{"README.md", "docs/tutorial.md", "docs/choosing.md", "docs/pictures.md"} {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		texts[strings.TrimSuffix(filepath.Base(name), ".md")] = string(text)
	}
	pages, err := filepath.Glob(filepath.Join(root, "docs", "methods", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range strings.Split(string(text), "\n## ")[1:] {
			name, _, _ := strings.Cut(section, "\n")
			texts[name] = section
		}
	}
	methods := engine.Methods()
	for _, e := range methods {
		if _, found := texts[e.Name]; !found {
			t.Errorf("%s has no section in docs/methods", e.Name)
		}
	}
	isMethod := func(name string) bool {
		return slices.ContainsFunc(methods, func(e engine.Entry) bool { return e.Name == name })
	}
	for name, text := range texts {
		lines := typed(text)
		if len(lines) == 0 && !isMethod(name) && strings.Contains(name, " ") { // what methods share
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if len(lines) == 0 {
				t.Fatal("there is nothing to type")
			}
			asTyped(t, lines)
		})
	}
}
