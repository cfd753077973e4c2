package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/orthant-go/orthant/engine/disk"
	"github.com/orthant-go/orthant/engine/files"
)

// claim keeps two processes out of the same shard on file systems without locks: a file that
// only one can make, to which its maker adds a byte every few seconds. One that no
// longer grows was left by a process that is gone.
type claim struct {
	path  string
	text  []byte // what the file begins with
	file  disk.File
	shard shard
}

// claimant is who holds a claim.
type claimant struct {
	Host string `json:"host"`
	PID  int    `json:"pid"`
	// Space is in which PID has a meaning, as containers number their processes by themselves.
	Space string `json:"space"`
	Time  string `json:"time"`
}

// beat is the time from one byte to the next, and gone how long there must have been none
// until the claim of another machine is taken over.
var beat, gone = 2 * time.Second, 20 * time.Second

// claimShard claims the shard, waiting for a claim of another machine to grow or to
// prove left.
func claimShard(ctx context.Context, journal string, s shard) (*claim, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	me := claimant{host, os.Getpid(), processSpace(), time.Now().UTC().Format(time.RFC3339Nano)}
	text, err := json.Marshal(me)
	if err != nil {
		return nil, err
	}
	c := &claim{path: journal + ".claim", text: append(text, '\n'), shard: s}
	for {
		if c.file, err = disk.Files().OpenFile(c.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err == nil {
			if _, err = c.file.Write(c.text); err == nil {
				return c, nil
			}
			c.file.Close()
			_ = disk.Files().Remove(c.path)
		}
		if !os.IsExist(err) {
			return nil, &files.Error{Path: c.path, Op: files.OpCreate, Err: err}
		}
		if err := c.outlast(ctx, me); err != nil {
			return nil, err
		}
	}
}

// outlast returns once the claim that is there was left by its maker, and is removed.
func (c *claim) outlast(ctx context.Context, me claimant) error {
	var first []byte
	for began := time.Now(); ; {
		text, err := disk.ReadFile(c.path)
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil {
			return &files.Error{Path: c.path, Op: files.OpCreate, Err: err}
		}
		var by claimant
		_ = json.Unmarshal(makerOf(text), &by) // empty in the moment between making and writing
		switch {
		case first == nil:
			first = text
		case !bytes.Equal(first, text):
			return c.held(by)
		}
		here := by.PID > 0 && by.Space == me.Space && me.Space != ""
		switch {
		case here && isRunning(by.PID) && by.PID != me.PID:
			return c.held(by)
		case here, time.Since(began) > gone:
			if err := disk.Files().Remove(c.path); err != nil && !os.IsNotExist(err) {
				return &files.Error{Path: c.path, Op: files.OpCreate, Err: err}
			}
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(beat / 2):
		}
	}
}

func (c *claim) held(by claimant) error {
	return wrong("shard %s is being done by process %d on %s; wait for it, or give another --shard", c.shard, by.PID, by.Host)
}

// makerOf is the line about its maker that a claim begins with.
func makerOf(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return line
}

// renew adds a byte, and fails where another process has taken the claim over, as it may
// where this one was stopped for long.
func (c *claim) renew() error {
	text, err := disk.ReadFile(c.path)
	if err == nil && !bytes.Equal(makerOf(text), makerOf(c.text)) {
		err = fmt.Errorf("another process has taken shard %s over while this one stood still; let it do the rest", c.shard)
	}
	if err == nil {
		_, err = c.file.Write([]byte{'.'})
	}
	if err != nil {
		return &files.Error{Path: c.path, Op: files.OpWrite, Err: err}
	}
	return nil
}

// release removes the claim, unless it is another's by now.
func (c *claim) release() {
	if c == nil {
		return
	}
	c.file.Close()
	if text, err := disk.ReadFile(c.path); err == nil && bytes.Equal(makerOf(text), makerOf(c.text)) {
		_ = disk.Files().Remove(c.path)
	}
}
