package bench

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine/files"
)

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

// draw writes pictures beside the records and returns their files by name.
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
