package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// making is one release that is made.
type making struct {
	out     string // where the files go
	scratch string // what they are made of
	version string
	at      time.Time // of the commit
	said    strings.Builder
}

// log writes a line to standard output and in checked.txt.
func (m *making) log(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
	fmt.Fprintf(&m.said, format+"\n", args...)
}

// leftOut says what is not among the files, and why.
func (m *making) leftOut(what, why string) { m.log("LEFT OUT: %s (%s)", what, why) }

// release makes all files of a release of the last commit.
func release(out string) error {
	at, err := commitTime()
	if err != nil {
		return err
	}
	if left, err := output(".", nil, "git", "status", "--porcelain"); err != nil || left != "" {
		return fmt.Errorf("what is released is a commit, and there are changes that are not in it: commit or stash them (%v)\n%s", err, left)
	}
	version := os.Getenv("VERSION")
	if version == "" {
		return fmt.Errorf("VERSION is not set; make release sets it")
	}
	if entries, err := os.ReadDir(out); err == nil && len(entries) > 0 {
		return fmt.Errorf("%s is not empty; remove it first", out)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "orthant-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	m := &making{out: out, scratch: scratch, version: version, at: at}
	for _, step := range []func() error{m.commands, m.packages, m.libraries, m.windowsLibrary, m.wheels, m.source} {
		if err := step(); err != nil {
			return err
		}
	}
	err = whole(filepath.Join(out, "checked.txt"), func(w io.Writer) error {
		_, err := io.WriteString(w, m.said.String())
		return err
	})
	if err != nil {
		return err
	}
	return checksums(out)
}

// commitTime is the one time that all files carry.
func commitTime() (time.Time, error) {
	text := os.Getenv("SOURCE_DATE_EPOCH")
	if text == "" {
		var err error
		if text, err = output(".", nil, "git", "log", "-1", "--format=%ct"); err != nil {
			return time.Time{}, fmt.Errorf("a release is made of a commit: %w", err)
		}
	}
	seconds, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
	return time.Unix(seconds, 0).UTC(), err
}

// file is the path of a file of the release.
func (m *making) file(what, extension string) string {
	return filepath.Join(m.out, "orthant-"+m.version+what+extension)
}

// documents are what goes with everything that is released.
func (m *making) documents(prefix string) (list []entry, err error) {
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", licenceTexts} {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		list = append(list, entry{name: prefix + filepath.Base(name), data: data, mode: 0o644})
	}
	return list, nil
}

// have reports whether a program can be found.
func have(name string) bool {
	_, err := exec.LookPath(name)
	return err == nil
}
