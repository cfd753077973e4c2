package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/orthant-go/orthant/engine/files"
	"github.com/orthant-go/orthant/internal/disk"
)

// claim keeps two processes out of the same shard on file systems without locks. A claim is
// a file that only one process can make, which begins with a line about its maker, and to which the
// maker adds a byte every few seconds. One that no longer grows is stale.
//
// A stale claim is not removed by those who wait for it, as each of them might remove the
// claim of another that was faster. Its successor is a file whose name is a hash of the
// stale claim's line, so that again only one process can make it. The claims of a shard are
// a chain, which begins at the journal's name; the last one of it counts. Whoever has made a
// file and finds it at the end of the chain has the shard, and is the only one to remove
// the chain when done.
type claim struct {
	journal string
	claimant
	text  []byte // what the file begins with
	path  string // of the file
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
// prove stale.
func claimShard(ctx context.Context, journal string, s shard) (*claim, error) {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return claimFor(ctx, claimant{host, os.Getpid(), processSpace(), time.Now().UTC().Format(time.RFC3339Nano)}, journal, s)
}

func claimFor(ctx context.Context, me claimant, journal string, s shard) (*claim, error) {
	text, err := json.Marshal(me)
	if err != nil {
		return nil, err
	}
	c := &claim{journal: journal, claimant: me, text: append(text, '\n'), shard: s}
	for {
		path, err := c.free(ctx)
		if err != nil {
			return nil, err
		}
		made, err := c.make(path)
		if err == nil && made {
			made, err = c.counts()
		}
		if made && err == nil {
			return c, nil
		}
		c.drop()
		if err != nil {
			return nil, c.failed(files.OpCreate, err)
		}
	}
}

// free returns the name of the file by which the shard can be claimed: the name of the first claim, or
// of the successor of one that is stale.
func (c *claim) free(ctx context.Context) (string, error) {
	var first *claimed
	var since time.Time // when the first look at the claim was over
	for {
		now := time.Now() // before this look, as the file system may take longer than a claim takes to be stale
		chain, err := c.chain()
		if err != nil {
			return "", c.failed(files.OpCreate, err)
		}
		if len(chain) == 0 {
			return c.root(), nil
		}
		last := chain[len(chain)-1]
		by := last.by()
		switch {
		case first == nil:
			first, since = last, time.Now()
		case last.path != first.path || !bytes.Equal(last.line, first.line) || last.size != first.size:
			return "", c.held(by)
		}
		here := by.PID > 0 && by.Space == c.Space && c.Space != ""
		switch {
		case here && isRunning(by.PID) && by.PID != c.PID:
			return "", c.held(by)
		case here, now.Sub(since) > gone:
			return c.successor(last), nil
		}
		select {
		case <-ctx.Done():
			return "", ctx.Err()
		case <-time.After(beat / 2):
		}
	}
}

// make makes the claim's file with its line, unless the file is there. The line is written to
// another file first, which is given the name of the claim, so that no claim is ever without
// its line; on a file system without such links the claim itself is written.
func (c *claim) make(path string) (made bool, err error) {
	link := c.named(nameOfLine(c.text) + "-new")
	if c.file, err = disk.Files().OpenFile(link, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		return false, err
	}
	c.path = link
	if _, err = c.file.Write(c.text); err == nil {
		err = disk.Sync(c.file)
	}
	if err != nil {
		return false, err
	}
	err = disk.Files().Link(link, path)
	if err == nil || errors.Is(err, fs.ErrExist) {
		_ = disk.Files().Remove(link) // else it is removed with the chain
	}
	switch {
	case err == nil:
		c.path = path
		return true, nil
	case errors.Is(err, fs.ErrExist), errors.Is(err, fs.ErrNotExist): // another has removed the new file with its chain
		return false, nil
	}
	c.drop()
	if c.file, err = disk.Files().OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666); err != nil {
		if errors.Is(err, fs.ErrExist) {
			err = nil
		}
		return false, err
	}
	c.path = path
	_, err = c.file.Write(c.text)
	return err == nil, err
}

// drop removes the file that was made last.
func (c *claim) drop() {
	if c.file != nil {
		c.file.Close()
		_ = disk.Files().Remove(c.path)
		c.file = nil
	}
}

// counts reports whether the chain ends with this claim.
func (c *claim) counts() (bool, error) {
	chain, err := c.chain()
	return err == nil && c.ends(chain), err
}

func (c *claim) ends(chain []*claimed) bool {
	return len(chain) > 0 && bytes.Equal(chain[len(chain)-1].line, lineOf(c.text))
}

// claimed is a claim as it is found.
type claimed struct {
	path string
	line []byte // about its maker; empty where that has not been written
	size int64
}

// claimLine is the longest line about a maker.
const claimLine = 4 << 10

// readClaim reads what a claim begins with.
func readClaim(path string) (*claimed, error) {
	f, info, err := disk.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, claimLine))
	if err != nil {
		return nil, err
	}
	return &claimed{path, lineOf(text), info.Size()}, nil
}

func lineOf(text []byte) []byte {
	line, _, _ := bytes.Cut(text, []byte("\n"))
	return line
}

func (c *claimed) by() (by claimant) {
	_ = json.Unmarshal(c.line, &by) // else nothing is known
	return by
}

// chain reads the claims of the shard, the one that counts last.
func (c *claim) chain() (list []*claimed, err error) {
	seen := map[string]bool{}
	for path := c.root(); !seen[path]; {
		found, err := readClaim(path)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return nil, err
		}
		list = append(list, found)
		seen[path] = true
		path = c.successor(found)
	}
	return list, nil
}

// The names of a shard's claims.
func (c *claim) root() string                 { return c.journal + claimSuffix }
func (c *claim) named(part string) string     { return c.journal + "." + part + claimSuffix }
func (c *claim) successor(of *claimed) string { return c.named(nameOfLine(of.line)) }
func nameOfLine(text []byte) string {
	s := sha256.Sum256(lineOf(text))
	return hex.EncodeToString(s[:8])
}

const claimSuffix = ".claim"

func (c *claim) held(by claimant) error {
	return wrong("shard %s is being done by process %d on %s; wait for it, or give another --shard", c.shard, by.PID, by.Host)
}

// failed wraps the error of a file system.
func (c *claim) failed(op files.Op, err error) error {
	if disk.IsNotRegular(err) {
		err = fmt.Errorf("%w, which no claim is; remove it", err)
	}
	return &files.Error{Path: c.root(), Op: op, Err: err}
}

// renew adds a byte, and fails where another process has taken the claim over, as it may
// where this one was stopped for long.
func (c *claim) renew() error {
	counts, err := c.counts()
	if err == nil && !counts {
		err = fmt.Errorf("another process has taken shard %s over while this one stood still; let it do the rest", c.shard)
	}
	if err == nil {
		_, err = c.file.Write([]byte{'.'})
	}
	if err != nil {
		return c.failed(files.OpWrite, err)
	}
	return nil
}

// release removes the chain, unless it is another's by now. Files that stopped
// processes have left next to it are removed first, as after the first claim another process may have
// the shard.
func (c *claim) release() {
	if c == nil {
		return
	}
	c.file.Close()
	chain, err := c.chain()
	if err != nil || !c.ends(chain) {
		return
	}
	own := map[string]bool{c.named(nameOfLine(c.text)): true} // a successor, whose maker will find out
	for _, of := range chain {
		own[of.path] = true
	}
	folder := filepath.Dir(c.journal)
	entries, _ := disk.Files().ReadDir(folder)
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		if strings.HasPrefix(path, c.journal+".") && strings.HasSuffix(path, claimSuffix) && !own[path] {
			_ = disk.Files().Remove(path)
		}
	}
	for _, of := range chain {
		_ = disk.Files().Remove(of.path)
	}
}

// isRunning reports whether there is a process of that number.
func isRunning(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, os.ErrPermission)
}

// processSpace names the machine, since it was started, and the space in which numbers of
// processes mean the same; "": it is not known here.
func processSpace() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	space, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(boot)) + " " + space
}
