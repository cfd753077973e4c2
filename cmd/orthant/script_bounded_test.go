//go:build linux

package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"rsc.io/script"
)

func init() {
	processCommands["bounded"] = (*scripted).bounded
	processCommands["size"] = (*scripted).size
	madeData["journal"] = func(t *testing.T, a []string) { journalOf(t, a[0], count(a[1]), count(a[2])) } // FILE RECORDS LENGTH
	madeData["huge"] = func(t *testing.T, a []string) {                                                   // FILE: 3 GiB that take no room
		write(t, a[0], "")
		if err := os.Truncate(a[0], 3<<30); err != nil {
			t.Fatal(err)
		}
	}
}

// bounded STATUS ARGUMENT…: a process under a limit of 300 MiB, which it must keep, and that ends within a minute.
func (s *scripted) bounded(args []string) (script.WaitFunc, error) {
	const limit = 300 << 20
	if _, err := s.start(append(args[1:], "--memory", strconv.Itoa(limit))); err != nil {
		return nil, err
	}
	p := s.last()
	ctx, cancel := context.WithTimeout(s.state.Context(), time.Minute)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = p.Process.Kill() })()
	ended, peak := make(chan struct{}), make(chan int64)
	go func() { peak <- peakUntil(p.Process.Pid, ended) }()
	wait, err := s.ends(args[:1])
	close(ended)
	if took := <-peak; took > limit {
		return wait, fmt.Errorf("it took %d MiB", took>>20)
	}
	return wait, err
}

// size FILE NAME: the variable has its bytes; size FILE =BYTES: that many bytes.
func (s *scripted) size(args []string) (script.WaitFunc, error) {
	info, err := os.Stat(s.state.Path(args[0]))
	if err != nil {
		return nil, err
	}
	got := strconv.FormatInt(info.Size(), 10)
	if want, is := strings.CutPrefix(args[1], "="); !is {
		return nil, s.state.Setenv(args[1], got)
	} else if got != want {
		return nil, fmt.Errorf("%s has %s bytes", args[0], got)
	}
	return nil, nil
}

// peakUntil is the peak of the resident memory of a process until it has ended, as Linux shows it while the process is
// there: what is reported at its end begins with the peak of the process that started it.
func peakUntil(pid int, ended <-chan struct{}) (peak int64) {
	for {
		status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if _, after, found := strings.Cut(string(status), "VmHWM:"); found {
			var kibibytes int64
			if _, err := fmt.Sscan(after, &kibibytes); err == nil {
				peak = max(peak, kibibytes<<10)
			}
		}
		select {
		case <-ended:
			return peak
		case <-time.After(time.Millisecond):
		}
	}
}

// journalOf writes a journal of n records of jobs, each with text of the given length.
func journalOf(t *testing.T, path string, records, text int) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := bufio.NewWriter(f)
	defer b.Flush()
	b.WriteString(`{"kind":"batch-shard","shard":1,"of":1,"jobs":1,"own":[],"index":[]}` + "\n")
	for i := range records {
		fmt.Fprintf(b, `{"index":%d,"line":1,"job":{"command":"generate","name":"helix","out":"%d"},"status":"ok","result":"`, i, i)
		for range text {
			b.WriteByte('x')
		}
		b.WriteString("\"}\n")
	}
}
