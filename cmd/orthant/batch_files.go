package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/disk"
	"github.com/orthant-go/orthant/internal/suggest"
)

// placeholders are the values of {…} in the paths of one job.
type placeholders struct {
	out     string // the folder of the batch
	file    string // the input that names are taken from; "" where there is none
	pattern string // the key whose pattern matched it; "" where there was no pattern
	match   string // the text matched by the pattern
}

var placeholder = regexp.MustCompile(`\{[a-z]*\}`)

// fill returns the path of a key of the job.
func (p placeholders) fill(key, path string) (filled string, err error) {
	if key == p.pattern {
		return p.match, nil
	}
	if !strings.Contains(path, "{") {
		return path, nil
	}
	known := map[string]string{"{out}": p.out}
	if p.file != "" {
		base := filepath.Base(p.file)
		absolute, _ := filepath.Abs(p.file)
		known["{name}"], known["{stem}"], known["{folder}"] = base, stem(base), filepath.Base(filepath.Dir(absolute))
	}
	names := []string{"{stem}", "{name}", "{folder}", "{out}"}
	filled = placeholder.ReplaceAllStringFunc(path, func(name string) string {
		text, given := known[name]
		switch {
		case err != nil || given:
		case slices.Contains(names, name):
			err = fmt.Errorf("%s has no input to take its name from; write the name out", name)
		default:
			err = fmt.Errorf("%q has no meaning%s; there are %s", name, suggest.Hint(name, names), strings.Join(names, ", "))
		}
		return text
	})
	return filled, err
}

// stem returns a file name without its extension; the extension of a compressed file hides
// another one.
func stem(name string) string {
	ext := filepath.Ext(name)
	short := strings.TrimSuffix(name, ext)
	if ext = strings.ToLower(ext); ext == ".gz" || ext == ".zst" {
		short = strings.TrimSuffix(short, filepath.Ext(short))
	}
	return short
}

// matches returns the placeholders of each job of a line: for every file that the
// pattern among its inputs matches, or for one job where there is no pattern.
func (m *jobMaker) matches(l *jobLine, kind *jobKind) ([]placeholders, error) {
	first := placeholders{out: m.out}
	var pattern string
	for _, f := range kind.flags {
		path, given := l.values[f.Name].(string)
		if !isRead(f) || !given || strings.HasPrefix(path, ":") {
			continue
		}
		if first.file == "" || f.Name == "in" {
			first.file = files.FileOf(path)
		}
		if !isPattern(path) {
			continue
		}
		if first.pattern != "" {
			return nil, l.wrongf("both %s and %s are patterns; let one of them take its name from the other's match, as in \"labels/{stem}.npy\"", first.pattern, f.Name)
		}
		first.pattern, pattern = f.Name, path
	}
	if first.pattern == "" {
		return []placeholders{first}, nil
	}
	found, err := m.matching(l, first.pattern, pattern)
	if err != nil {
		return nil, err
	}
	array := strings.TrimPrefix(pattern, files.FileOf(pattern)) // as in "*.npz:x"
	var list []placeholders
	for _, file := range found {
		list = append(list, placeholders{out: m.out, file: file, pattern: first.pattern, match: file + array})
	}
	return list, nil
}

// isPattern reports whether a path means the files that it matches: a file of that
// very name is meant by it, and images are the samples of one job.
func isPattern(path string) bool {
	if !strings.ContainsAny(path, "*?[") || files.IsImages(path) {
		return false
	}
	_, err := disk.Files().Lstat(files.FileOf(path))
	return err != nil
}

// matching lists the files that a pattern matches, in the order of their names.
func (m *jobMaker) matching(l *jobLine, key, pattern string) ([]string, error) {
	path := files.FileOf(strings.ReplaceAll(pattern, "{out}", m.out))
	if name := placeholder.FindString(path); name != "" {
		return nil, l.wrongf("%s: %s takes its name from a match, and this is the pattern; write the name out", key, name)
	}
	found, err := files.Glob(path)
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, l.wrongf("%s: %w", key, err)
	}
	if err != nil {
		return nil, l.wrongf("%s is %q, which is not a pattern: %w (a [ wants its ])", key, pattern, err)
	}
	found = slices.DeleteFunc(found, func(file string) bool {
		info, err := disk.Files().Stat(file)
		return err == nil && info.IsDir() || strings.HasPrefix(filepath.Base(file), ".") && !strings.HasPrefix(filepath.Base(path), ".")
	})
	if len(found) == 0 {
		return nil, l.wrongf("%s is %q, which matches no file; correct the pattern, or create the files first", key, pattern)
	}
	slices.Sort(found)
	return found, nil
}

// place resolves a path: an output lands in the folder of the batch, an input is
// looked for as by the command itself.
func (m *jobMaker) place(j *job, f *pflag.Flag, path string) (string, error) {
	switch {
	case path == "":
		return "", fmt.Errorf("the path is empty; leave the key out, or name a file")
	case !isWritten(f) && strings.HasPrefix(path, ":"): // a column of the input
		return path, nil
	case path == "-":
		return "", fmt.Errorf(`"-" is standard input or output, which the jobs of a batch do not have; name a file`)
	case isWritten(f) && !filepath.IsAbs(path):
		given := path
		path = filepath.Join(m.out, path)
		if within, err := filepath.Rel(m.out, path); err != nil || !filepath.IsLocal(within) {
			return "", fmt.Errorf("%q leaves %s, the folder of the batch; name a file in it, or give an absolute path", given, m.out)
		}
	}
	absolute, err := m.absolute(files.FileOf(path))
	if err != nil {
		return "", err
	}
	var within []string
	if isWritten(f) {
		within = f.Annotations[fileKey][1:]
	}
	named, err := m.files.lookUp(f.Name, absolute, nil, within...)
	resolved := m.files.name(named) // of an input that leads nowhere the path itself; the job will say so
	if isWritten(f) {
		if what := m.taken[resolved]; what != "" {
			return "", fmt.Errorf("%s is %s; give the output another name or folder", shownLink(absolute, resolved), what)
		}
		m.writes = append(m.writes, named)
		j.outputs, j.targets = append(j.outputs, absolute), append(j.targets, resolved)
		return path, err
	}
	m.reads = append(m.reads, named)
	j.inputs, j.sources = append(j.inputs, absolute), append(j.sources, resolved)
	return path, nil
}

// shownLink is a path with the file that it leads to.
func shownLink(path, resolved string) string {
	switch {
	case path == resolved:
		return path
	case strings.EqualFold(path, resolved):
		return path + ", on this file system the same as " + resolved + ","
	}
	return path + ", by a link " + resolved + ","
}

// absolute is filepath.Abs, which asks the system where it is for every path.
func (m *jobMaker) absolute(path string) (string, error) {
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	if m.here == "" {
		var err error
		if m.here, err = os.Getwd(); err != nil {
			return "", err
		}
	}
	return filepath.Join(m.here, path), nil
}

// link finds the jobs that read what others write, and refuses what cannot be: two
// that write the same file, one that replaces a file that the batch itself writes, and
// a circle. Files are the same where they are it behind all links.
func link(jobs []*job, taken map[string]string) error {
	writer := map[string]int{}
	for i, j := range jobs {
		for at, path := range j.targets {
			other, twice := writer[path]
			shown := shownLink(j.outputs[at], path)
			switch {
			case twice && jobs[other].line == j.line:
				return wrong("line %d: several of its jobs would write %s; put {stem}, the name of the input, into the output", j.line, strings.TrimSuffix(shown, ","))
			case twice:
				return wrong("lines %d and %d would both write %s; give each job its own output", jobs[other].line, j.line, strings.TrimSuffix(shown, ","))
			case taken[path] != "":
				return wrong("line %d: %s is %s; give the output another name", j.line, shown, taken[path])
			}
			writer[path] = i
		}
	}
	for i, j := range jobs {
		for _, path := range j.sources {
			if other, made := writerOf(path, writer); made && other != i && !slices.Contains(j.after, other) {
				j.after = append(j.after, other)
			}
		}
	}
	return findCircle(jobs)
}

// writerOf finds the job that writes a file, or the folder that it is in.
func writerOf(path string, writer map[string]int) (int, bool) {
	for {
		if i, found := writer[path]; found {
			return i, true
		}
		up := filepath.Dir(path)
		if up == path {
			return 0, false
		}
		path = up
	}
}

// findCircle refuses jobs that wait for each other.
func findCircle(jobs []*job) error {
	var tasks []task
	for _, j := range jobs {
		tasks = append(tasks, j.task)
	}
	s := newSchedule(tasks, func(int) bool { return false }, 1, 1, 0)
	for starts := s.next(); len(starts) > 0; starts = s.next() {
		s.ended(starts[0].job, true)
	}
	for i, left := range s.missing {
		if left > 0 {
			return wrong("line %d: the job reads what others write that wait for it in turn (%s); remove the cycle", jobs[i].line, strings.Join(jobs[i].inputs, ", "))
		}
	}
	return nil
}
