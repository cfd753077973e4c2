package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// record is what the soak reads of a line of a batch's journal.
type record struct {
	Index    int    `json:"index"`
	Status   string `json:"status"`
	ExitCode int    `json:"exit_code"`
	Error    string `json:"error"`
	Written  []struct {
		Path string `json:"path"`
		Sum  string `json:"sha256"`
	} `json:"written"`
}

func (r *record) finished() bool { return r.Status == "ok" || r.Status == "not_converged" }

// digest says how a job ended, and what it wrote, under whatever names.
func (r *record) digest() string {
	text := fmt.Sprintf("%s, status %d", r.Status, r.ExitCode)
	for _, w := range r.Written {
		text += " " + strings.TrimLeft(filepath.Base(w.Path), "0123456789") + ":" + w.Sum
	}
	return text
}

// readJournal reads the lines of a journal from an offset on that are whole, and returns
// where they end. Lines that a kill has cut short are counted, not read.
func readJournal(path string, from int64, each func(*record)) (to int64, torn int, err error) {
	f, err := os.Open(path)
	if err != nil {
		return from, 0, err
	}
	defer f.Close()
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return from, 0, err
	}
	lines := bufio.NewReaderSize(f, 1<<20)
	for {
		text, err := lines.ReadBytes('\n')
		if err == io.EOF {
			return from, torn, nil
		}
		if err != nil {
			return from, torn, err
		}
		from += int64(len(text))
		r := new(record)
		if json.Unmarshal(text, r) != nil || r.Status == "" {
			torn++
			continue
		}
		each(r)
	}
}

// countLines counts the lines of a journal, from where it was counted last.
func countLines(path string, from int64) (lines int, to int64) {
	f, err := os.Open(path)
	if err != nil {
		return 0, from
	}
	defer f.Close()
	if _, err := f.Seek(from, io.SeekStart); err != nil {
		return 0, from
	}
	buffer := make([]byte, 1<<16)
	for {
		n, err := f.Read(buffer)
		lines, from = lines+bytes.Count(buffer[:n], []byte("\n")), from+int64(n)
		if err != nil {
			return lines, from
		}
	}
}

// judged is what a whole journal says of the jobs.
type judged struct {
	digests  map[int]string // of the jobs that ended, by number
	finished map[int]int    // how often each was recorded as finished
	codes    map[int]int    // how many ended with each status
	torn     int
	failures []string
}

// judge reads a journal and holds it to what has to be: broken inputs are refused, nothing
// fails for another reason than its input or settings, jobs of a kind end in the same way, and what a
// finished job has written is there as it was.
func judge(folder string, jobs []job) (*judged, error) {
	j := &judged{digests: map[int]string{}, finished: map[int]int{}, codes: map[int]int{}}
	fail := func(format string, args ...any) { j.failures = append(j.failures, fmt.Sprintf(format, args...)) }
	kinds := map[string]string{}
	_, torn, err := readJournal(filepath.Join(folder, "journal.jsonl"), 0, func(r *record) {
		if r.Index < 0 || r.Index >= len(jobs) {
			fail("job %d is not in the file", r.Index)
			return
		}
		of := jobs[r.Index]
		if r.finished() {
			j.finished[r.Index]++
		}
		if _, again := j.digests[r.Index]; !again {
			j.codes[r.ExitCode]++
		}
		switch {
		case r.ExitCode != 0 && r.ExitCode != 2 && r.ExitCode != 3 && !of.after:
			fail("job %d ended with status %d: %s (%s)", r.Index, r.ExitCode, r.Error, of.kind)
		case of.broken && r.finished():
			fail("job %d ended well on a broken input: %s", r.Index, of.kind)
		case strings.Contains(r.Error, "\n") || r.ExitCode != 0 && r.Error == "":
			fail("job %d has no one line that says what was wrong: %q", r.Index, r.Error)
		}
		digest := r.digest()
		if before, seen := kinds[of.kind]; !seen {
			kinds[of.kind] = digest
		} else if before != digest {
			fail("job %d ended otherwise than others of its kind: %s, not %s (%s)", r.Index, digest, before, of.kind)
		}
		j.digests[r.Index] = digest
		for _, w := range r.Written {
			text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(w.Path)))
			if sum := sha256.Sum256(text); err != nil || hex.EncodeToString(sum[:]) != w.Sum {
				fail("job %d: %s is not there as it was written", r.Index, w.Path)
			}
		}
	})
	j.torn = torn
	return j, err
}

// leftovers are temporary files in the folder of a batch.
func leftovers(folder string) (list []string) {
	_ = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(d.Name(), ".tmp-") {
			list = append(list, path)
		}
		return nil
	})
	return list
}

// differences says which jobs ended otherwise in the two parts.
func differences(a, b map[int]string) (failures []string) {
	for i, digest := range b {
		if other, there := a[i]; there && other != digest {
			failures = append(failures, fmt.Sprintf("job %d ended otherwise where it was killed: %s, not %s", i, digest, other))
		}
	}
	return failures
}
