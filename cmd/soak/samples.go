package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/orthant-go/orthant/internal/picture"
)

// sample is what one process took at one moment.
type sample struct {
	seconds     float64 // since the part began
	process     int     // of the part, counting from 0
	resident    float64 // bytes
	descriptors float64
	goroutines  float64 // 0: not yet known
	done        float64 // lines of the journal
}

// traced is the setting by which a Go program reports its goroutines, every second on standard error.
const traced = "GODEBUG=schedtrace=1000,scheddetail=1"

// goroutines counts those that the runtime's trace of a process lists, of each trace the
// living ones. What is not part of a trace goes on to rest.
type goroutines struct {
	count atomic.Int64
	rest  io.Writer
}

func (g *goroutines) read(r io.Reader) {
	lines, now := bufio.NewScanner(r), int64(0)
	for lines.Scan() {
		text := lines.Text()
		switch {
		case strings.HasPrefix(text, "SCHED "):
			if now > 0 {
				g.count.Store(now)
			}
			now = 0
		case strings.HasPrefix(text, "  G"):
			if alive(text) {
				now++
			}
		case strings.HasPrefix(text, "  P"), strings.HasPrefix(text, "  M"):
		default:
			fmt.Fprintln(g.rest, text)
		}
	}
}

// alive reports whether a line of a trace, "  G7: status=4(chan receive) …", is of a goroutine
// that is neither being made (0) nor ended (6), whether or not it is being scanned (0x1000).
func alive(text string) bool {
	_, after, _ := strings.Cut(text, "status=")
	digits, _, _ := strings.Cut(after, "(")
	status, err := strconv.Atoi(digits)
	status &^= 0x1000
	return err == nil && status != 0 && status != 6
}

// sampled asks the system what a process takes; false where it has ended.
func sampled(pid int) (sample, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return sample{}, false
	}
	var s sample
	for l := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(l, "VmRSS:"); found {
			kilobytes, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			s.resident = 1024 * kilobytes
		}
	}
	list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	s.descriptors = float64(len(list))
	return s, err == nil && s.resident > 0
}

// watch samples a process every half second until it has ended.
func (p *part) watch(pid int, g *goroutines, ended <-chan struct{}) {
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ended:
			return
		case <-tick.C:
		}
		s, there := sampled(pid)
		if !there {
			continue
		}
		s.seconds, s.process, s.goroutines = time.Since(p.began).Seconds(), p.processes, float64(g.count.Load())
		s.done = float64(p.journalLines())
		p.samples = append(p.samples, s)
	}
}

// growth is what a process of many jobs may take more of in its last quarter than in its
// second one, at the most: a share, and a number besides. Memory moves with the jobs that
// happen to run and with the collector; goroutines are workers of the jobs of the moment.
var growth = []struct {
	name  string
	of    func(sample) float64
	share float64
	more  float64
}{
	{"resident bytes", func(s sample) float64 { return s.resident }, 0.15, 32 << 20},
	{"descriptors", func(s sample) float64 { return s.descriptors }, 0, 6},
	{"goroutines", func(s sample) float64 { return s.goroutines }, 0, 24},
}

// grown says what has grown in each process that was watched for long enough.
func grown(samples []sample) (failures []string) {
	byProcess := map[int][]sample{}
	for _, s := range samples {
		byProcess[s.process] = append(byProcess[s.process], s)
	}
	for process, list := range byProcess {
		if len(list) < 16 {
			continue
		}
		quarter := len(list) / 4
		for _, g := range growth {
			early, late := most(list[quarter:2*quarter], g.of), most(list[3*quarter:], g.of)
			if late > early*(1+g.share)+g.more {
				failures = append(failures, fmt.Sprintf("process %d: %s grow from %.6g to %.6g", process+1, g.name, early, late))
			}
		}
	}
	return failures
}

func most(list []sample, of func(sample) float64) (m float64) {
	for _, s := range list {
		m = max(m, of(s))
	}
	return m
}

// writeCurves writes the samples of both parts as a table and as a page of curves.
func writeCurves(folder string, calm, killed []sample) error {
	var table strings.Builder
	table.WriteString("part,seconds,process,resident_bytes,descriptors,goroutines,journal_lines\n")
	page := picture.Page{Title: "orthant batch: undisturbed, and killed every few seconds", Columns: 2}
	parts := []struct {
		name string
		list []sample
	}{{"undisturbed", calm}, {"kills", killed}}
	for _, p := range parts {
		for _, s := range p.list {
			fmt.Fprintf(&table, "%s,%.2f,%d,%.0f,%.0f,%.0f,%.0f\n", p.name, s.seconds, s.process, s.resident, s.descriptors, s.goroutines, s.done)
		}
	}
	for _, what := range []struct {
		name string
		of   func(sample) float64
	}{
		{"resident, MiB", func(s sample) float64 { return s.resident / (1 << 20) }},
		{"descriptors", func(s sample) float64 { return s.descriptors }},
		{"goroutines", func(s sample) float64 { return s.goroutines }},
		{"jobs in the journal", func(s sample) float64 { return s.done }},
	} {
		for _, p := range parts {
			c := &picture.Curve{Title: p.name, XLabel: "seconds", YLabel: what.name}
			for _, s := range p.list {
				c.X, c.Y = append(c.X, s.seconds), append(c.Y, what.of(s))
			}
			if len(c.Y) > 0 {
				page.Panels = append(page.Panels, c)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "soak.csv"), []byte(table.String()), 0o666); err != nil {
		return err
	}
	if len(page.Panels) == 0 {
		return nil
	}
	var picture strings.Builder
	if err := page.Write(&picture, "png"); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "soak.png"), []byte(picture.String()), 0o666)
}
