package serve

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/orthant-go/orthant/cmd/internal/library"
	"github.com/orthant-go/orthant/internal/must"
)

// client is the other side of the pipe.
type client struct {
	*testing.T
	sender
	from io.Reader
	end  chan error
}

func begin(t *testing.T) *client {
	in, to := io.Pipe()
	from, out := io.Pipe()
	c := &client{T: t, sender: sender{to: to}, from: from, end: make(chan error, 1)}
	go func() {
		c.end <- serve(in, out)
		out.Close()
	}()
	var said greeting
	m := c.next()
	must.Do(t, json.Unmarshal(m.rest, &said))
	if m.kind != ready || said.Protocol != protocol || said.ABI != library.ABI || said.Version == "" || said.PID != os.Getpid() {
		t.Fatalf("%+v, %s", m, m.rest)
	}
	return c
}

func (c *client) next() message {
	c.Helper()
	m, err := read(c.from)
	if err != nil {
		c.Fatal(err)
	}
	return m
}

// record is a call of orthant_get_num_threads, whose number goes to 200 and whose error, a text of 100 bytes, is at 300.
func record(name string) []byte {
	b := make([]byte, 4096)
	copy(b, name)
	word := func(at, value int) { binary.LittleEndian.PutUint64(b[at:], uint64(value)) }
	word(64, 2)
	word(72, 3)
	word(80, 104)
	word(88, 200)
	word(96, 304)
	for i, pair := range [][2]int{{88, 1}, {96, 1}, {304, 1}} {
		word(104+16*i, pair[0])
		word(112+16*i, pair[1])
	}
	word(304, 400)
	word(312, 100)
	return b
}

// mapping maps a file with the record as number 1, and returns its name.
func (c *client) mapping(b []byte) string {
	name := filepath.Join(c.TempDir(), "calls")
	must.Do(c.T, os.WriteFile(name, b, 0o600))
	must.Do(c.T, c.send(message{kind: enter, word: [6]int64{1, int64(len(b))}, rest: []byte(name)}))
	return name
}

func (c *client) call(at int64) message {
	must.Do(c.T, c.send(message{kind: call, word: [6]int64{7, 1, at}}))
	return c.next()
}

// A call is answered in its file, and the end of the input is the end.
func TestServe(t *testing.T) {
	c := begin(t)
	name := c.mapping(record("orthant_get_num_threads"))
	if m := c.call(0); m.kind != ended || m.word != [6]int64{7, 0, 0} {
		t.Fatalf("%+v %s", m, m.rest)
	}
	b := must.Get(os.ReadFile(name))(t)
	if n := binary.LittleEndian.Uint64(b[200:]); n < 1 || n > 1024 {
		t.Errorf("%d threads", n)
	}
	must.Do(t, c.send(message{kind: leave, word: [6]int64{1}}))
	if m := c.call(0); m.word[2] != 1 || !strings.Contains(string(m.rest), "no mapped file 1") {
		t.Errorf("%+v %s", m, m.rest)
	}
	c.to.(io.Closer).Close()
	if err := <-c.end; err != nil {
		t.Error(err)
	}
}

// What is no record, and what is no message, is refused.
func TestBrokenRecords(t *testing.T) {
	c := begin(t)
	b := record("orthant_get_num_threads")
	change := func(at int, value uint64) []byte {
		b := bytes.Clone(b)
		binary.LittleEndian.PutUint64(b[at:], value)
		return b
	}
	for says, b := range map[string][]byte{
		"is no function of orthant.h": record("orthant_unknown"), "that takes 3 arguments": change(64, 3), "a pointer to": change(88, 5000), "a pointer at": change(104, 4095),
		"18446744073709551615": change(72, 1<<63), "listed at": change(80, 4090), "no mapped file 2": change(112, 2),
	} {
		c.mapping(b)
		if m := c.call(0); says[:2] != "18" && (m.word[2] != 1 || !strings.Contains(string(m.rest), says)) || m.word[2] != 1 {
			t.Errorf("%q: %+v %s", says, m, m.rest)
		}
	}
	for _, at := range []int64{-8, 4, 4090, 1 << 40} {
		if m := c.call(at); m.word[2] != 1 || !strings.Contains(string(m.rest), "a record at") {
			t.Errorf("%d: %+v %s", at, m, m.rest)
		}
	}
	must.Do(t, c.send(message{kind: enter, word: [6]int64{1, 10}, rest: []byte("/nowhere/at/all")}))
	if m := c.call(0); m.word[2] != 1 || !strings.Contains(string(m.rest), "cannot be mapped") {
		t.Errorf("%+v %s", m, m.rest)
	}
	must.Do(t, c.send(message{kind: 99}))
	if err := <-c.end; err == nil || !strings.Contains(err.Error(), "a message of kind 99") {
		t.Error(err)
	}
	if err := serve(strings.NewReader(strings.Repeat("x", 64)), io.Discard); err == nil || !strings.Contains(err.Error(), "bytes after a message") {
		t.Error(err)
	}
}

// A function of the caller's gets its arrays in a file: it is asked for one that has room, once.
func TestFunctionsOfTheCaller(t *testing.T) {
	c := begin(t)
	name := filepath.Join(t.TempDir(), "room")
	must.Do(t, os.WriteFile(name, make([]byte, 4096), 0o600))
	x, y, codes := []float64{1, 2, 3, 4}, make([]float64, 4), make(chan int)
	for round := range 2 {
		go func() { codes <- library.Caller.Multiply(5, 0, round == 1, 2, x, y) }()
		m := c.next()
		if round == 0 {
			if m.kind != product || m.word[1] != 5 || m.word[4] != 64 {
				t.Fatalf("%+v", m)
			}
			must.Do(t, c.send(message{kind: enter, word: [6]int64{3, 4096, 1}, rest: []byte(name)}))
			must.Do(t, c.send(message{kind: moreRoom, word: [6]int64{m.word[0], 3}}))
			m = c.next()
		}
		if m.kind != product || m.word[2] != int64(round) || m.word[3] != 2 || m.word[4] != 0 {
			t.Fatalf("%+v", m)
		}
		must.Do(t, c.send(message{kind: returned, word: [6]int64{m.word[0], int64(3 * round)}}))
		select {
		case code := <-codes:
			if code != 3*round {
				t.Errorf("it returned %d", code)
			}
		case <-time.After(time.Minute):
			t.Fatal("no answer")
		}
	}
	if _, err := os.Stat(name); !os.IsNotExist(err) {
		t.Errorf("the name is still there: %v", err)
	}
}
