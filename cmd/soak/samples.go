package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// sample is what one process took at one moment.
type sample struct {
	seconds     float64 // since the part began
	process     int     // of the part, counting from 0
	resident    float64 // bytes
	descriptors float64
	goroutines  float64 // 0: not yet told
	done        float64 // lines of the journal
}

// traced is what has a Go program tell its goroutines, every second on standard error.
const traced = "GODEBUG=schedtrace=1000,scheddetail=1"

// goroutines counts those that the runtime's trace of a process lists, of each trace the
// living ones. What is no part of a trace goes on to rest.
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

// alive tells whether a line of a trace, "  G7: status=4(chan receive) …", is of a goroutine
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

// grown says what has grown of each process that was watched for long enough to tell.
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
