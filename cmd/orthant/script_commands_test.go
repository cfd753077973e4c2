package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/orthant-go/orthant/blas/limits"
	"github.com/orthant-go/orthant/engine/files"
)

// named reads a file of the script, or what the last command printed.
func (s *scripted) named(name string) (string, error) {
	switch name {
	case "stdout":
		return s.state.Stdout(), nil
	case "stderr":
		return s.state.Stderr(), nil
	}
	text, err := os.ReadFile(s.state.Path(name))
	return string(text), err
}

func (s *scripted) says(args []string) error { return s.holds(append([]string{"stderr"}, args...)) }

func (s *scripted) prints(args []string) error { return s.holds(append([]string{"stdout"}, args...)) }

// holds FILE TEXT…: the file has each of the texts.
func (s *scripted) holds(args []string) error {
	text, err := s.named(args[0])
	if err != nil {
		return err
	}
	for _, want := range args[1:] {
		if !strings.Contains(text, want) {
			return fmt.Errorf("%s lacks %q", args[0], want)
		}
	}
	return nil
}

// same FILE FILE: both hold the same bytes; of folders, all their files do.
func (s *scripted) same(args []string) error {
	if info, err := os.Stat(s.state.Path(args[0])); err == nil && info.IsDir() {
		if err := s.dir(append(args[1:], names(s.t, args[0])...)); err != nil {
			return err
		}
		for _, name := range names(s.t, args[0]) {
			if err := s.same([]string{args[0] + "/" + name, args[1] + "/" + name}); err != nil {
				return err
			}
		}
		return nil
	}
	one, err := s.named(args[0])
	if err != nil {
		return err
	}
	other, err := s.named(args[1])
	if err == nil && one != other {
		return fmt.Errorf("%s and %s differ", args[0], args[1])
	}
	return err
}

// close FILE FILE [TOLERANCE]: both hold the same numbers, in whatever format, or as words of texts.
func (s *scripted) close(args []string) error {
	if args[0] == "stdout" {
		return s.closeWords(args[1], args[2])
	}
	a, b, tolerance := matrix(s.t, args[0]), matrix(s.t, args[1]), 0.0
	if len(args) > 2 {
		tolerance, _ = strconv.ParseFloat(args[2], 64)
	}
	if tolerance == 0 && !mat.Equal(a, b) || !mat.EqualApprox(a, b, tolerance) {
		return fmt.Errorf("%s and %s hold other numbers", args[0], args[1])
	}
	return nil
}

// closeWords compares what was printed with a file, word by word.
func (s *scripted) closeWords(path, tolerance string) error {
	text, err := s.named(path)
	if err != nil {
		return err
	}
	got, want := strings.Fields(s.state.Stdout()), strings.Fields(text)
	if len(got) != len(want) || len(got) == 0 {
		return fmt.Errorf("%q and %q", got, want)
	}
	limit, _ := strconv.ParseFloat(tolerance, 64)
	for i, word := range got {
		a, errA := strconv.ParseFloat(word, 64)
		b, errB := strconv.ParseFloat(want[i], 64)
		if errors.Join(errA, errB) == nil && math.Abs(a-b) > limit || errA != nil && word != want[i] {
			return fmt.Errorf("%s is not %s", word, want[i])
		}
	}
	return nil
}

// entries FILE CLAIM…: so is every number of the file.
func (s *scripted) entries(args []string) error {
	for _, v := range mat.DenseCopyOf(matrix(s.t, args[0])).RawMatrix().Data {
		for _, arg := range args[1:] {
			if m := aClaim.FindStringSubmatch("entry" + arg); m == nil || holdsFor(v, m[2], m[3]) != nil {
				return fmt.Errorf("%s has %v", args[0], v)
			}
		}
	}
	return nil
}

// times FILE FROM EXPONENT: the numbers of another file times that power of two.
func (s *scripted) times(args []string) error {
	x := matrix(s.t, args[1])
	x.Apply(func(_, _ int, v float64) float64 { return math.Ldexp(v, count(args[2])) }, x)
	save(s.t, args[0], x)
	return nil
}

// shape FILE ROWS COLUMNS.
func (s *scripted) shape(args []string) error {
	if rows, cols := matrix(s.t, args[0]).Dims(); fmt.Sprint(rows, cols) != strings.Join(args[1:], " ") {
		return fmt.Errorf("%s is %d × %d", args[0], rows, cols)
	}
	return nil
}

// pixels FILE WIDTH HEIGHT: a picture at least that large.
func (s *scripted) pixels(args []string) error {
	text, err := s.named(args[0])
	if err != nil {
		return err
	}
	picture, err := png.DecodeConfig(strings.NewReader(text))
	if err == nil && (picture.Width < count(args[1]) || picture.Height < count(args[2])) {
		return fmt.Errorf("%s is %d × %d", args[0], picture.Width, picture.Height)
	}
	return err
}

// dir FOLDER NAME…: the folder holds these files alone, hidden ones too.
func (s *scripted) dir(args []string) error {
	if got := names(s.t, args[0]); !slices.Equal(got, slices.Sorted(slices.Values(args[1:]))) {
		return fmt.Errorf("%s holds %q", args[0], got)
	}
	return nil
}

// clean FOLDER…: no temporary file is left in them.
func (s *scripted) clean(args []string) error {
	for _, folder := range args {
		if left, _ := filepath.Glob(filepath.Join(s.state.Path(folder), ".*")); len(left) > 0 {
			return fmt.Errorf("left %q", left)
		}
	}
	return nil
}

// subset FOLDER FOLDER: each file of the one but for journals is as in the other.
func (s *scripted) subset(args []string) error {
	for _, name := range names(s.t, args[0]) {
		if !strings.HasPrefix(name, "journal") {
			if err := s.same([]string{args[0] + "/" + name, args[1] + "/" + name}); err != nil {
				return err
			}
		}
	}
	return nil
}

// count NAME FILE PATTERN: the variable is how often the pattern matches.
func (s *scripted) count(args []string) error {
	text, err := s.named(args[1])
	return errors.Join(err, s.state.Setenv(args[0], strconv.Itoa(len(regexp.MustCompile("(?m)"+args[2]).FindAllString(text, -1)))))
}

// once COUNT JOURNAL…: COUNT jobs are done in all, each once.
func (s *scripted) once(args []string) error {
	all := 0
	for _, path := range args[1:] {
		times, _ := doneIn(s.t, path)
		for job, n := range times {
			if n != 1 {
				return fmt.Errorf("%s was done %d times", job, n)
			}
		}
		all += len(times)
	}
	if all != count(args[0]) {
		return fmt.Errorf("%d jobs are done", all)
	}
	return nil
}

// value CLAIM METRIC…: what evaluate prints is one number of which that is so; = is to 1e-14, or as =V±TOLERANCE says.
func (s *scripted) value(args []string) error {
	wait, err := s.orthant(exitDone, append([]string{"evaluate", "--metric"}, args[1:]...))
	if err != nil {
		return err
	}
	text, said, err := wait(s.state)
	if err != nil {
		return fmt.Errorf("%w: %s", err, said)
	}
	got, err := strconv.ParseFloat(strings.TrimSuffix(text, "\n"), 64)
	if err != nil || strings.Count(text, "\n") != 1 {
		return fmt.Errorf("printed %q", text)
	}
	m := aClaim.FindStringSubmatch("value" + args[0])
	want, tolerance, given := strings.Cut(m[3], "±")
	if !given {
		tolerance = "1e-14"
	}
	if m[2] == "=" && math.Abs(got-floats([]string{want})[0]) <= floats([]string{tolerance})[0] {
		return nil
	}
	return holdsFor(got, m[2], m[3])
}

var aClaim = regexp.MustCompile(`^([\w.-]+)(=|!=|<=|>=|<|>|~)(?s:(.*))$`)

// json CLAIM…: standard output is one object on a line, of which KEY.KEY=VALUE, !=, <, <=, >, >= or ~ (contains) hold;
// len is a length, a number counts in a list, and last is its last, KEY alone is there and !KEY is not, nor need it be for KEY=null.
func (s *scripted) json(args []string) error {
	text := s.state.Stdout()
	if strings.Count(text, "\n") != 1 || !strings.HasSuffix(text, "}\n") {
		return fmt.Errorf("standard output is no object on one line: %q", text)
	}
	return claims([]byte(text), args)
}

// record FOLDER INDEX CLAIM…: what the journal of a batch says of a job, with every line whole; FOLDER lines N counts them.
func (s *scripted) record(args []string) error {
	records, lines := recordsIn(s.t, args[0])
	if args[1] == "lines" {
		if fmt.Sprint(lines) != args[2] || len(records) != lines {
			return fmt.Errorf("%d records on %d lines", len(records), lines)
		}
		return nil
	}
	index, _ := strconv.Atoi(args[1])
	text, err := json.Marshal(records[index])
	if err != nil {
		return err
	}
	return claims(text, args[2:])
}

func claims(text []byte, args []string) error {
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		return fmt.Errorf("%v in %s", err, text)
	}
	var failed []error
	for _, arg := range args {
		if m := aClaim.FindStringSubmatch(arg); m != nil && !strings.HasPrefix(arg, "!") {
			if got, is := found(v, m[1]); !is && m[2]+m[3] != "=null" {
				failed = append(failed, fmt.Errorf("no %s", m[1]))
			} else if err := holdsFor(got, m[2], m[3]); err != nil {
				failed = append(failed, fmt.Errorf("%s: %w", m[1], err))
			}
		} else if key, absent := strings.CutPrefix(arg, "!"); true {
			if _, is := found(v, key); is == absent {
				failed = append(failed, fmt.Errorf("%s: there is %v", arg, is))
			}
		}
	}
	if len(failed) > 0 {
		failed = append(failed, fmt.Errorf("in %s", text))
	}
	return errors.Join(failed...)
}

// found is the value at a path.
func found(v any, path string) (any, bool) {
	for key := range strings.SplitSeq(path, ".") {
		switch at := v.(type) {
		case map[string]any:
			var is bool
			if v, is = at[key]; !is {
				return nil, false
			}
		case []any:
			if key == "len" {
				v = float64(len(at))
				continue
			}
			i, err := strconv.Atoi(strings.Replace(key, "last", strconv.Itoa(len(at)-1), 1))
			if err != nil || i >= len(at) {
				return nil, false
			}
			v = at[i]
		default:
			return nil, false
		}
	}
	return v, true
}

func holdsFor(got any, operator, want string) error {
	text, is := got.(string)
	if !is {
		plain, err := json.Marshal(got)
		if err != nil {
			return err
		}
		text = string(plain)
	}
	a, number := got.(float64)
	b, err := strconv.ParseFloat(want, 64)
	both := number && err == nil
	if map[string]bool{
		"=": text == want || both && a == b, "!=": text != want && !(both && a == b), "~": strings.Contains(text, want),
		"<": both && a < b, "<=": both && a <= b, ">": both && a > b, ">=": both && a >= b,
	}[operator] {
		return nil
	}
	return fmt.Errorf("%s is not %s %s", text, operator, want)
}

// set NAME KEY.KEY: the variable has what is there in the first object printed; set NAME alone, all that was printed.
func (s *scripted) set(args []string) error {
	if len(args) == 1 {
		return s.state.Setenv(args[0], strings.TrimSpace(s.state.Stdout()))
	}
	var v any
	if err := json.NewDecoder(strings.NewReader(s.state.Stdout())).Decode(&v); err != nil {
		return err
	}
	got, is := found(v, args[1])
	if !is {
		return fmt.Errorf("no %s", args[1])
	}
	if text, is := got.(string); is {
		return s.state.Setenv(args[0], text)
	}
	text, err := json.Marshal(got)
	if err != nil {
		return err
	}
	return s.state.Setenv(args[0], string(text))
}

// stdin FILE: the next command reads it from standard input; "stdin pipe [FILE]": from a pipe that stays open.
func (s *scripted) readStdin(args []string) (err error) {
	if args[0] == "pipe" {
		text := ""
		if len(args) > 1 {
			if text, err = s.named(args[1]); err != nil {
				return err
			}
		}
		s.stdin, err = openPipe(s.t, text)
		return err
	}
	if args[0] == "stdout" {
		s.stdin = strings.NewReader(s.state.Stdout())
		return nil
	}
	f, err := os.Open(s.state.Path(args[0]))
	s.stdin = f
	s.t.Cleanup(func() { f.Close() })
	return err
}

// openPipe is a pipe into which a text is written, and which then stays open.
func openPipe(t *testing.T, text string) (io.Reader, error) {
	reader, writer, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go func() { _, _ = io.WriteString(writer, text) }()
	t.Cleanup(func() { reader.Close(); writer.Close() })
	return reader, nil
}

// machine FOLDER: the command finds itself on a machine of these files of the system.
func (s *scripted) machine(args []string) error {
	root, before, size := os.DirFS(s.state.Path(args[0])), system, resident
	system = func() limits.System {
		return limits.System{Root: root, Getenv: os.Getenv, CPUs: runtime.NumCPU(), Procs: runtime.GOMAXPROCS(0)}
	}
	resident = func() int64 { return 0 } // of a process that is the test's
	s.t.Cleanup(func() { system, resident = before, size })
	return nil
}

// repeat FILE COUNT TEXT…: the text over and over, in which \n ends a line and {i} counts from 0; then the next one.
func (s *scripted) repeat(args []string) error {
	var all strings.Builder
	for pair := range slices.Chunk(args[1:], 2) {
		if len(pair) < 2 {
			break
		}
		count, err := strconv.Atoi(pair[0])
		if err != nil {
			return err
		}
		for i := range count {
			all.WriteString(strings.NewReplacer(`\n`, "\n", "{i}", strconv.Itoa(i)).Replace(pair[1]))
		}
	}
	return os.WriteFile(s.state.Path(args[0]), []byte(all.String()), 0o666)
}

// trim FILE FROM COUNT: FILE is another one without COUNT of its last bytes, or with "COUNT lines" without lines.
func (s *scripted) trim(args []string) error {
	text, err := s.named(args[1])
	if err != nil {
		return err
	}
	count := count(args[2])
	if lines := strings.SplitAfter(strings.TrimSuffix(text, "\n"), "\n"); len(args) > 3 {
		count = len(text) - len(strings.Join(lines[:len(lines)-count], ""))
	}
	return os.WriteFile(s.state.Path(args[0]), []byte(text[:len(text)-count]), 0o666)
}

// head FILE FROM BYTES: FILE is the beginning of another one.
func (s *scripted) head(args []string) error {
	text, err := s.named(args[1])
	return errors.Join(err, os.WriteFile(s.state.Path(args[0]), []byte(text[:min(len(text), count(args[2]))]), 0o666))
}

// join FILE FROM…: FILE is others one after the other.
func (s *scripted) join(args []string) error {
	var all strings.Builder
	for _, name := range args[1:] {
		text, err := s.named(name)
		if err != nil {
			return err
		}
		all.WriteString(text)
	}
	return os.WriteFile(s.state.Path(args[0]), []byte(all.String()), 0o666)
}

// rewrite FILE PATTERN TEXT: the text is in place of what matches.
func (s *scripted) rewrite(args []string) error {
	text, err := s.named(args[0])
	if err != nil {
		return err
	}
	now := regexp.MustCompile(args[1]).ReplaceAllLiteralString(text, strings.ReplaceAll(args[2], `\n`, "\n"))
	if now == text {
		return fmt.Errorf("nothing in %s matches", args[0])
	}
	return os.WriteFile(s.state.Path(args[0]), []byte(now), 0o666)
}

// poke FILE OFFSET [BYTE]: a byte, from the end where OFFSET is below 0, is another; without BYTE its last bit.
func (s *scripted) poke(args []string) error {
	text, err := os.ReadFile(s.state.Path(args[0]))
	if err != nil {
		return err
	}
	at, err := strconv.Atoi(args[1])
	if at < 0 {
		at += len(text)
	}
	if text[at] ^= 1; len(args) > 2 {
		value, _ := strconv.Atoi(args[2])
		text[at] = byte(value)
	}
	return errors.Join(err, os.WriteFile(s.state.Path(args[0]), text, 0o666))
}

// touch FILE: it is of another time.
func (s *scripted) touch(args []string) error {
	return os.Chtimes(s.state.Path(args[0]), time.Time{}, time.Unix(1e9, 0))
}

// link FILE NAME: another name of the file.
func (s *scripted) link(args []string) error {
	return os.Link(s.state.Path(args[0]), s.state.Path(args[1]))
}

// convert FILE FILE [float32]: the numbers of one in the format of the other.
func (s *scripted) convert(args []string) error {
	save(s.t, args[1], matrix(s.t, args[0]), files.Options{Float32: len(args) > 2})
	return nil
}

// draw KIND …: data that helpers of the tests make.
func (s *scripted) draw(args []string) error {
	make := madeData[args[0]]
	if make == nil {
		return fmt.Errorf("no data are called %s", args[0])
	}
	make(s.t, args[1:])
	return nil
}
