package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/orthant-go/orthant/internal/suggest"
)

// job is one command of a batch, ready to run.
type job struct {
	task
	command string
	index   int // of all jobs of the file, counting from 0
	line    int
	label   string // what messages call it; "" is its line
	make    func(*invocation) *cobra.Command
	text    json.RawMessage // the job as the journal keeps it: by this it is known again
	args    []string
	inputs  []string // absolute
	outputs []string // absolute
	sources []string // the inputs, links followed
	targets []string // the outputs, links followed
	said    map[string]any
}

// jobMaker makes jobs of lines.
type jobMaker struct {
	out      string // the folder of the batch
	settings map[string]string
	kinds    map[string]*jobKind
	names    []string // of the commands that a job may name, in order
	here     string   // the folder that relative paths begin in, once it was asked for
	files    fileNames

	taken         map[string]string // what the files are that the batch itself reads, which no job may write
	overwrite     bool              // outputs may replace inputs
	reads, writes []namedFile       // by the job that is made
}

// jobKind is a command as the table of commands has it.
type jobKind struct {
	make     func(*invocation) *cobra.Command
	cmd      *cobra.Command // on which values are tried
	argument string         // the key of what is not a flag, as in "generate NAME"; "" where there is none
	flags    []*pflag.Flag
}

// newJobMaker takes the commands from the table. The settings are flags of the
// batch that count for every job without its own.
func newJobMaker(out string, settings map[string]string) *jobMaker {
	m := &jobMaker{out: out, settings: settings, kinds: map[string]*jobKind{}}
	for _, c := range subcommands() {
		inv := newInvocation(streams{})
		root := rootOf(inv, c.make)
		cmd := root.Commands()[0]
		kind := &jobKind{make: c.make, cmd: cmd, argument: argumentOf(cmd)}
		add := func(f *pflag.Flag) { kind.flags = append(kind.flags, f) }
		cmd.Flags().VisitAll(add)
		root.PersistentFlags().VisitAll(add)
		m.kinds[cmd.Name()] = kind
		m.names = append(m.names, cmd.Name())
	}
	return m
}

// argumentOf returns the key of the argument after a command's name.
func argumentOf(cmd *cobra.Command) string {
	words := strings.Fields(cmd.Use)
	if len(words) > 1 && words[1] == strings.ToUpper(words[1]) && !strings.HasPrefix(words[1], "-") {
		return strings.ToLower(words[1])
	}
	return ""
}

// keys lists what a job of this kind may say.
func (k *jobKind) keys() []string {
	var list []string
	if k.argument != "" {
		list = append(list, k.argument)
	}
	for _, f := range k.flags {
		list = append(list, f.Name)
	}
	return list
}

func (k *jobKind) flag(key string) *pflag.Flag {
	for _, f := range k.flags {
		if f.Name == key {
			return f
		}
	}
	return nil
}

// unknown explains a key that there is not.
func (k *jobKind) unknown(l *jobLine, key string) error {
	for _, f := range k.flags {
		if f.Shorthand == key && key != "" {
			return l.wrongf("%s has no key %q (did you mean %q?)", k.cmd.Name(), key, f.Name)
		}
	}
	known := k.keys()
	hint := suggest.Hint(strings.TrimLeft(key, "-"), known)
	if hint == "" {
		hint = "; it has " + strings.Join(known, ", ")
	}
	return l.wrongf("%s has no key %q%s", k.cmd.Name(), key, hint)
}

// kindOf finds the command of a line.
func (m *jobMaker) kindOf(l *jobLine) (*jobKind, error) {
	value, given := l.values["command"]
	if !given {
		return nil, l.wrongf(`"command" is missing; the commands are %s`, strings.Join(m.names, ", "))
	}
	name, _ := value.(string)
	if kind := m.kinds[name]; kind != nil {
		return kind, nil
	}
	return nil, l.wrongf("%s is not a command for a job%s; there are %s", jsonText(value), suggest.Hint(name, m.names), strings.Join(m.names, ", "))
}

// jobs returns the jobs of a line: one, or one for each file that its pattern
// matches.
func (m *jobMaker) jobs(l *jobLine) ([]*job, error) {
	kind, err := m.kindOf(l)
	if err != nil {
		return nil, err
	}
	for _, key := range l.keys {
		if key != "command" && key != kind.argument && kind.flag(key) == nil {
			return nil, kind.unknown(l, key)
		}
	}
	matches, err := m.matches(l, kind)
	if err != nil {
		return nil, err
	}
	var list []*job
	for _, p := range matches {
		j, err := m.job(l, kind, p)
		if err != nil {
			return nil, err
		}
		list = append(list, j)
	}
	return withoutOwnOutputs(list), nil
}

// withoutOwnOutputs drops the jobs of a line whose input another job of the line
// writes: where a pattern matches the outputs of the day before they are not inputs
// of today.
func withoutOwnOutputs(jobs []*job) []*job {
	if len(jobs) < 2 {
		return jobs
	}
	written := map[string]*job{}
	for _, j := range jobs {
		for _, path := range j.targets {
			written[path] = j
		}
	}
	return slices.DeleteFunc(jobs, func(j *job) bool {
		return slices.ContainsFunc(j.sources, func(path string) bool { return written[path] != nil && written[path] != j })
	})
}

// silent are the flags about what a run prints. In a batch its report goes to the
// journal whatever they say.
var silent = []string{"json", "quiet", "progress", "verbose"}

// job makes the job of a line for one file.
func (m *jobMaker) job(l *jobLine, kind *jobKind, p placeholders) (*job, error) {
	j := &job{command: kind.cmd.Name(), line: l.number, make: kind.make}
	m.reads, m.writes = m.reads[:0], m.writes[:0]
	overwrite := m.overwrite
	if overwrite {
		j.args = append(j.args, "--"+overwriteInput)
	}
	said := map[string]any{"command": kind.cmd.Name()}
	for name, text := range m.settings {
		if _, own := l.values[name]; !own {
			said[name] = text
			j.args = append(j.args, "--"+name+"="+text)
		}
	}
	for _, key := range l.keys {
		if key == "command" || key == kind.argument || slices.Contains(silent, key) {
			continue
		}
		value, err := m.take(j, l, kind.flag(key), p)
		if err != nil {
			return nil, err
		}
		if said[key] = value; key == overwriteInput {
			overwrite = fmt.Sprint(value) == "true"
		}
	}
	if err := checkDistinct(m.reads, m.writes, overwrite); err != nil {
		return nil, l.wrongf("%w", err)
	}
	if value, given := l.values[kind.argument]; given {
		text, err := scalar(l, kind.argument, value)
		if err != nil {
			return nil, err
		}
		said[kind.argument] = text
		j.args = append(j.args, "--", text)
	}
	j.said, j.threads = said, whole(said["threads"])
	var err error
	if j.text, err = json.Marshal(said); err != nil {
		return nil, l.wrongf("%w", err)
	}
	return j, nil
}

// take gives the value of a flag to the job and returns it as the journal keeps it.
func (m *jobMaker) take(j *job, l *jobLine, f *pflag.Flag, p placeholders) (any, error) {
	value := l.values[f.Name]
	if f.Value.Type() == new(settings).Type() {
		pairs, err := pairsOf(l, f.Name, value)
		for _, pair := range pairs {
			if err := f.Value.Set(pair); err != nil {
				return nil, l.wrongf("%s is %s; %w", f.Name, jsonText(value), err)
			}
			j.args = append(j.args, "--"+f.Name+"="+pair)
		}
		return value, err
	}
	if list, several := value.([]any); several && f.Value.Type() == new(columnList).Type() {
		joined, err := joinedColumns(l, f.Name, list)
		if err != nil {
			return nil, err
		}
		value = joined
	}
	text, err := scalar(l, f.Name, value)
	if err != nil {
		return nil, err
	}
	if isRead(f) || isWritten(f) {
		if text, err = p.fill(f.Name, text); err != nil {
			return nil, l.wrongf("%s: %w", f.Name, err)
		}
		value = text
		if text, err = m.place(j, f, text); err != nil {
			return nil, l.wrongf("%s: %w", f.Name, err)
		}
	} else if err := f.Value.Set(text); err != nil {
		return nil, l.wrongf("%s is %s; %s", f.Name, jsonText(value), wanted(f, err))
	}
	j.args = append(j.args, "--"+f.Name+"="+text)
	return value, nil
}

// pairsOf returns the key=value pairs of an object, or of what the command line
// takes: one of them as a string, or several in a list.
func pairsOf(l *jobLine, key string, value any) (pairs []string, err error) {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			text, err := scalar(l, key+": "+name, v[name])
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, name+"="+text)
		}
	case []any:
		for _, pair := range v {
			text, err := scalar(l, key, pair)
			if err != nil {
				return nil, err
			}
			pairs = append(pairs, text)
		}
	case string:
		pairs = []string{v}
	default:
		return nil, l.wrongf(`%s is %s; give an object, such as {"gamma": 1e-4}`, key, jsonText(value))
	}
	return pairs, nil
}

// joinedColumns is a list of columns as the command line takes it.
func joinedColumns(l *jobLine, key string, list []any) (string, error) {
	var names []string
	for _, v := range list {
		name, err := scalar(l, key, v)
		if err != nil {
			return "", err
		}
		if strings.ContainsAny(name, `,"`) {
			name = `"` + strings.ReplaceAll(name, `"`, `""`) + `"`
		}
		names = append(names, name)
	}
	return strings.Join(names, ","), nil
}

// scalar returns a value as the command line would have it.
func scalar(l *jobLine, key string, value any) (string, error) {
	switch v := value.(type) {
	case string:
		return v, nil
	case json.Number:
		return v.String(), nil
	case bool:
		return fmt.Sprint(v), nil
	}
	return "", l.wrongf("%s is %s; give a string, a number, true or false", key, jsonText(value))
}

// whole returns a value that is a whole number, else 0.
func whole(value any) int {
	n, err := strconv.Atoi(fmt.Sprint(value))
	if err != nil {
		return 0
	}
	return n
}

// jsonText shows a value in a message.
func jsonText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	if len(text) > 60 {
		return strings.ToValidUTF8(string(text[:57]), "") + "…"
	}
	return string(text)
}

// where names a job in messages.
func (j *job) where() string {
	if j.label != "" {
		return j.label
	}
	if len(j.inputs) > 0 {
		return fmt.Sprintf("line %d (%s)", j.line, filepath.Base(j.inputs[0]))
	}
	return fmt.Sprintf("line %d", j.line)
}
