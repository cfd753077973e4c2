package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/orthant-go/orthant/internal/disk"
)

// slowDisk waits before whatever makes or removes a file, so that others come between what was
// seen and what is done about it.
type slowDisk struct {
	disk.FileSystem
	most    time.Duration
	noLinks bool
}

func (s slowDisk) wait() { time.Sleep(rand.N(s.most)) }

func (s slowDisk) OpenFile(name string, flag int, mode fs.FileMode) (disk.File, error) {
	if flag&os.O_EXCL != 0 {
		s.wait()
	}
	return s.FileSystem.OpenFile(name, flag, mode)
}

func (s slowDisk) Link(from, to string) error {
	if s.noLinks {
		return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.EPERM}
	}
	s.wait()
	return s.FileSystem.Link(from, to)
}

func (s slowDisk) Remove(name string) error {
	s.wait()
	return s.FileSystem.Remove(name)
}

// elsewhere is a process of another machine, of which nothing is known but whether its claim grows.
func elsewhere(i int) claimant {
	return claimant{Host: fmt.Sprintf("machine-%d", i), PID: i, Space: fmt.Sprintf("space-%d", i), Time: fmt.Sprint(time.Now().UnixNano())}
}

// Of many processes that wait for the same stale claim one takes it over, and at no time do
// two have the shard, however long the file system takes between what they see and what they do.
func TestStaleClaimIsTakenOverOnce(t *testing.T) {
	defer func(b, g time.Duration) { beat, gone = b, g }(beat, gone)
	beat, gone = 20*time.Millisecond, 1500*time.Millisecond
	for name, noLinks := range map[string]bool{"links": false, "no links": true} {
		t.Run(name, func(t *testing.T) {
			inFolder(t, "")
			journal := shard{1, 2}.journal()
			write(t, journal+claimSuffix, `{"host":"gone","pid":1,"space":"another"}`+"\n..")
			defer disk.Swap(slowDisk{disk.Files(), 150 * time.Millisecond, noLinks})()
			var holding, times atomic.Int32
			var all sync.WaitGroup
			for i := range 6 {
				all.Go(func() {
					for range 200 {
						c, err := claimFor(t.Context(), elsewhere(i+2), journal, shard{1, 2})
						if status(err) == exitUsage { // another has it
							time.Sleep(10 * time.Millisecond)
							continue
						}
						if err != nil {
							t.Error(err)
							return
						}
						if holding.Add(1) > 1 {
							t.Error("two processes have the shard")
						}
						times.Add(1)
						if err := c.renew(); err != nil {
							t.Error(err)
						}
						holding.Add(-1)
						c.release()
						return
					}
				})
			}
			all.Wait()
			if n := times.Load(); n < 1 {
				t.Errorf("%d of the processes had the shard", n)
			}
			if left, _ := filepath.Glob("*" + claimSuffix); len(left) > 0 {
				t.Errorf("left %v", left)
			}
		})
	}
}

// A process that saw a stale claim, and stood still while another took it over, did the
// shard and left, and a third claimed it anew, does not have the shard.
func TestClaimSeenLongAgo(t *testing.T) {
	defer func(b, g time.Duration) { beat, gone = b, g }(beat, gone)
	beat, gone = 10*time.Millisecond, 30*time.Millisecond
	inFolder(t, "")
	journal := shard{1, 2}.journal()
	write(t, journal+claimSuffix, `{"host":"gone","pid":1,"space":"another"}`+"\n..")
	take := func(i int) *claim {
		t.Helper()
		c, err := claimFor(t.Context(), elsewhere(i), journal, shard{1, 2})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	late := claim{journal: journal, claimant: elsewhere(2), text: []byte("{\"host\":\"late\"}\n"), shard: shard{1, 2}}
	path, err := late.free(t.Context())
	if err != nil || path == late.root() {
		t.Fatalf("a stale claim's successor is %s, %v", path, err)
	}
	take(3).release()
	third := take(4)
	if made, err := late.make(path); !made || err != nil {
		t.Fatal(made, err)
	}
	if counts, err := late.counts(); counts || err != nil {
		t.Errorf("it has the shard of another: %v", err)
	}
	if err := third.renew(); err != nil {
		t.Error(err)
	}
	late.drop()
	third.release()
	if left, _ := filepath.Glob("*" + claimSuffix); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// A chain of claims that were taken over and left one after the other ends with the last
// process, and is removed by it, with what others have left next to it.
func TestChainOfStaleClaims(t *testing.T) {
	defer func(b, g time.Duration) { beat, gone = b, g }(beat, gone)
	beat, gone = 5*time.Millisecond, 20*time.Millisecond
	inFolder(t, "")
	journal := shard{1, 2}.journal()
	var before *claim
	for i := range 4 {
		c, err := claimFor(t.Context(), elsewhere(i), journal, shard{1, 2})
		if err != nil {
			t.Fatal(err)
		}
		if before != nil {
			if err := before.renew(); status(err) != exitFailed {
				t.Errorf("a claim that was taken over: %v", err)
			}
			before.release()
		}
		before = c
	}
	write(t, journal+".0123456789abcdef-new"+claimSuffix, "{}\n")
	if chain, err := before.chain(); len(chain) != 4 || err != nil {
		t.Errorf("%d claims, %v", len(chain), err)
	}
	before.release()
	if left, _ := filepath.Glob("*" + claimSuffix); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

// Whatever a claim's file holds, the shard is had once the file no longer grows, and nothing is left.
func FuzzClaim(f *testing.F) {
	for _, text := range []string{"", "\n", "{}", "null\n", `{"host":"gone","pid":1,"space":"another"}` + "\n...", `{"pid":-1}` + "\n", `{"pid":1e99}`, "\x00\x00\x00\x00"} {
		f.Add([]byte(text))
	}
	beat, gone = time.Millisecond, 2*time.Millisecond
	folder, within := f.TempDir(), heldToLimit(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		journal := filepath.Join(folder, shard{1, 2}.journal())
		if err := os.WriteFile(journal+claimSuffix, text, 0o666); err != nil {
			t.Fatal(err)
		}
		var c *claim
		var err error
		within(t, func() { c, err = claimFor(t.Context(), elsewhere(7), journal, shard{1, 2}) })
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(c.renew(), c.renew()); err != nil {
			t.Fatal(err)
		}
		c.release()
		if left, _ := filepath.Glob(journal + "*"); len(left) > 0 {
			t.Fatalf("left %v", left)
		}
	})
}
