package files

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"unicode"
)

// Op is the operation on a file that failed with an [Error].
type Op string

// The first two are for the user to fix: the file is missing or malformed, or
// the output cannot be written. The third is a failure of the
// machine while writing, such as a full disk.
const (
	OpRead   Op = "read"
	OpCreate Op = "create"
	OpWrite  Op = "write"
)

// Error is the error of every function of this package: the operation,
// the file, and the problem. Its text is one line.
type Error struct {
	Path string // as the user gave it
	Op   Op
	Err  error
}

func (e *Error) Error() string {
	verb := map[Op]string{OpRead: "reading ", OpCreate: "creating ", OpWrite: "writing "}[e.Op]
	return verb + e.name() + ": " + shortLine(e.Err.Error())
}

// The maximal number of characters that an error quotes from the beginning and the end of a text.
const (
	maxBeginning = 600
	maxEnd       = 200
)

// shortLine returns a text as one line of bounded length: a damaged file may contain anything in place
// of a name.
func shortLine(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
	if len(text) <= maxBeginning+maxEnd {
		return text
	}
	all := []rune(text)
	if len(all) <= maxBeginning+maxEnd {
		return text
	}
	return string(all[:maxBeginning]) + " … " + string(all[len(all)-maxEnd:])
}

// Unwrap returns the cause, such as fs.ErrNotExist or syscall.ENOSPC.
func (e *Error) Unwrap() error { return e.Err }

func (e *Error) name() string {
	switch {
	case e.Path == standard && e.Op == OpRead:
		return "standard input"
	case e.Path == standard:
		return "standard output"
	case strings.ContainsFunc(e.Path, func(r rune) bool { return !strconv.IsPrint(r) }) || e.Path == "":
		return strconv.Quote(e.Path)
	}
	return e.Path
}

// failure wraps the error of an operation on path. Call and path are removed from the operating system's
// errors: Error names the user's path, not the path of a temporary file.
func failure(path string, op Op, err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Path: path, Op: op, Err: cause(err)}
}

// cause returns the operating system's error without the call and the path.
func cause(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return e.Err
	}
	return err
}

// excerpt renders text from a file for a message of one line.
func excerpt(text []byte) string {
	if len(text) > 40 {
		return strconv.Quote(string(text[:40]) + "…")
	}
	return strconv.Quote(string(text))
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
