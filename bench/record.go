package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/engine/memory"
)

// Record is one line of records.jsonl: a case with all its repeats. Every
// number of the report is read from here.
type Record struct {
	Key     string         `json:"key"` // of what was run: a record with another key is not this case's any more
	Suite   string         `json:"suite"`
	Case    string         `json:"case"`
	Group   string         `json:"group,omitempty"`
	Command string         `json:"command"` // what measures this case again
	Method  string         `json:"method"`
	Params  map[string]any `json:"params"`

	Data     string `json:"data"`
	DataHash string `json:"data_hash,omitempty"`
	Samples  int    `json:"samples,omitempty"`
	Features int    `json:"features,omitempty"`

	Backend string  `json:"backend,omitempty"`
	ISA     string  `json:"isa,omitempty"`
	Threads int     `json:"threads"`
	Machine Machine `json:"machine"`
	Version string  `json:"version"` // of the command
	Started string  `json:"started"` // RFC 3339
	Quick   bool    `json:"quick,omitempty"`

	Repeats    int                   `json:"repeats"`
	Seconds    map[string]Statistics `json:"seconds"`     // wall time: total and the phases
	CPUSeconds map[string]Statistics `json:"cpu_seconds"` // processor time of the same
	PeakBytes  int64                 `json:"peak_rss_bytes,omitempty"`

	Quality  map[string]Statistics `json:"quality,omitempty"`
	Accuracy []Accuracy            `json:"accuracy,omitempty"` // which of the qualities are errors to be shown next to the seconds
	Series   map[string][]float64  `json:"series,omitempty"`   // of the last repeat
	Pictures map[string]string     `json:"pictures,omitempty"` // name: file next to the records, n × (2 + colour) as .npy

	Noise   string `json:"noise,omitempty"`   // why the figures may be off
	Note    string `json:"note,omitempty"`    // what the case said
	Missing string `json:"missing,omitempty"` // what was not there: the case did not run
	Error   string `json:"error,omitempty"`   // the case failed

	Line int `json:"-"` // of records.jsonl, as read by [ReadFolder]
}

// Statistics are of the repeats.
type Statistics struct {
	Median float64   `json:"median"`
	Spread float64   `json:"spread"` // half the interquartile range over the median; 0 for one repeat
	Values []float64 `json:"values"`
}

// Machine is where a record was made.
type Machine struct {
	Host   string `json:"host"`
	OS     string `json:"os"`
	CPU    string `json:"cpu"`
	Cores  int    `json:"cores"`
	Memory int64  `json:"memory_bytes"`
}

// Done says whether the case ran and came to an end.
func (r *Record) Done() bool { return r.Missing == "" && r.Error == "" }

// Records are the records of one suite, as its claims and sections see them.
type Records struct {
	Suite string
	List  []*Record // in the order of the suite's cases
}

// Get returns the record of a case, or nil where there is none or it did not run.
func (r *Records) Get(name string) *Record {
	for _, one := range r.List {
		if one.Case == name && one.Done() {
			return one
		}
	}
	return nil
}

// Quality returns the median of a measured quality of a case.
func (r *Records) Quality(name, key string) (value float64, found bool) {
	one := r.Get(name)
	if one == nil {
		return 0, false
	}
	s, found := one.Quality[key]
	return s.Median, found
}

// CPU returns the median processor seconds of a case.
func (r *Records) CPU(name string) (seconds float64, found bool) {
	one := r.Get(name)
	if one == nil {
		return 0, false
	}
	s, found := one.CPUSeconds["total"]
	return s.Median, found
}

// Lookup returns the record of a case, whether it ran or not, or nil.
func (r *Records) Lookup(name string) *Record {
	for _, one := range r.List {
		if one.Case == name {
			return one
		}
	}
	return nil
}

// record puts the repeats of a case together; without any it holds what is known
// beforehand.
func (r *run) record(s *Suite, p *pending, list []repeat) *Record {
	record := &Record{
		Key: p.key, Suite: s.Name, Case: p.Name, Group: p.Group, Command: r.commandFor(s.Name, p.Case),
		Method: p.Method, Params: p.Params, Data: p.Data, Samples: p.N, Features: p.M,
		Backend: p.Backend, Threads: p.ThreadCount(), Machine: r.machine, Version: r.options.Version,
		Quick: r.env.Quick, Repeats: len(list), Accuracy: p.Accuracy,
		Seconds: map[string]Statistics{}, CPUSeconds: map[string]Statistics{},
	}
	if record.Params == nil {
		record.Params = map[string]any{}
	}
	if record.Backend == "" {
		record.Backend = blas.MustSelect("").Name()
	}
	values := [3]map[string][]float64{{}, {}, {}}
	for _, one := range list {
		for i, from := range []map[string]float64{one.Seconds, one.CPUSeconds, one.Quality} {
			for name, v := range from {
				values[i][name] = append(values[i][name], v)
			}
		}
		record.PeakBytes = max(record.PeakBytes, one.PeakBytes)
		record.take(&one)
	}
	for name, v := range values[0] {
		record.Seconds[name] = Summarize(v)
	}
	for name, v := range values[1] {
		record.CPUSeconds[name] = Summarize(v)
	}
	for name, v := range values[2] {
		if record.Quality == nil {
			record.Quality = map[string]Statistics{}
		}
		record.Quality[name] = Summarize(v)
	}
	if record.ISA == "" && (slices.Contains(blas.Known, record.Backend) || record.Backend == "auto") {
		if kernels, err := blas.Select(record.Backend); err == nil {
			record.ISA = blas.Describe(kernels).ISA
		}
	}
	record.Noise = noiseIn(record, list)
	return record
}

// take takes over what a repeat said once; of several repeats the last counts.
func (r *Record) take(one *repeat) {
	if r.Started == "" {
		r.Started = one.Started
	}
	if one.Samples > 0 {
		r.Samples, r.Features = one.Samples, one.Features
	}
	if one.DataHash != "" {
		r.DataHash = one.DataHash
	}
	if one.Backend != "" {
		r.Backend = one.Backend
	}
	if one.ISA != "" {
		r.ISA = one.ISA
	}
	if one.Note != "" {
		r.Note = one.Note
	}
	if one.Series != nil {
		r.Series = one.Series
	}
	if len(one.Pictures) > 0 {
		r.Pictures = one.Pictures
	}
}

// commandFor returns what measures a case again, data folder and output apart.
func (r *run) commandFor(suite string, c *Case) string {
	name := suite + "/" + c.Name
	if strings.ContainsAny(name, " ()<>|&;*?$'\"") {
		name = "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	command := "orthant-bench run " + name + " --again"
	if r.env.Quick {
		command += " --quick"
	}
	return command
}

// draw writes pictures next to the records and returns their files by name.
func (r *run) draw(key, suite, name string, pictures map[string]grid) (map[string]string, error) {
	if len(pictures) == 0 {
		return nil, nil
	}
	written := map[string]string{}
	for title, g := range pictures {
		x, err := g.matrix()
		if err != nil {
			return nil, err
		}
		file := filepath.Join(picturesPart, safeName(suite+"-"+name+"-"+title)+"-"+key[:8]+".npy")
		out, err := files.Create(filepath.Join(r.options.Out, file), nil)
		if err != nil {
			return nil, fmt.Errorf("picture %s: %w", title, err)
		}
		if err := out.WriteMatrix(x, files.Options{}); err != nil {
			return nil, fmt.Errorf("picture %s: %w", title, err)
		}
		if err := out.Commit(); err != nil {
			return nil, fmt.Errorf("picture %s: %w", title, err)
		}
		written[title] = filepath.ToSlash(file)
	}
	return written, nil
}

// safeName replaces what a file's name had better not have.
func safeName(name string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune("-_.=", c) {
			return c
		}
		return '-'
	}, name)
}

// thisMachine describes where the program runs.
func thisMachine() Machine {
	host, _ := os.Hostname()
	return Machine{
		Host: host, OS: systemName(), CPU: blas.Describe(blas.MustSelect("")).CPU,
		Cores: runtime.NumCPU(), Memory: memory.Total(),
	}
}

// systemName is the name that the distribution gives itself, where there is one.
func systemName() string {
	name := runtime.GOOS
	if text, err := os.ReadFile("/etc/os-release"); err == nil {
		for line := range strings.Lines(string(text)) {
			if quoted, found := strings.CutPrefix(line, "PRETTY_NAME="); found {
				name = strings.Trim(strings.TrimSpace(quoted), `"`)
			}
		}
	}
	if kernel, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		name += ", " + runtime.GOOS + " " + strings.TrimSpace(string(kernel))
	}
	return name + ", " + runtime.GOARCH
}
