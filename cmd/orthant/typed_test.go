package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/orthant-go/orthant/blas/golden"
)

// typed are the command lines of a page, as they are typed: the indented blocks that begin
// with one of ours. What takes minutes, or reads what a reader brings, is left out.
func typed(page string) []string {
	var lines []string
	for _, block := range strings.Split(page, "\n\n") {
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

// TestPagesWorkAsTyped runs what a reader would type, page by page.
func TestPagesWorkAsTyped(t *testing.T) {
	if testing.Short() {
		t.Skip("some 20 s of processor time")
	}
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell")
	}
	root := golden.Root(t)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "methods", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < 50 {
		t.Fatalf("%d pages of methods: the test does not see them", len(pages))
	}
	for _, name := range []string{"README.md", "docs/tutorial.md", "docs/choosing.md", "docs/compare.md", "docs/pictures.md"} {
		pages = append(pages, filepath.Join(root, filepath.FromSlash(name)))
	}
	for _, page := range pages {
		t.Run(strings.TrimSuffix(filepath.Base(page), ".md"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			lines := typed(string(text))
			if len(lines) == 0 {
				t.Fatal("there is nothing to type")
			}
			asTyped(t, lines)
		})
	}
}
