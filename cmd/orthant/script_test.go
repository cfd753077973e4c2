package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/tools/txtar"
	"rsc.io/script"
	"rsc.io/script/scripttest"

	"github.com/orthant-go/orthant/blas"
	"github.com/orthant-go/orthant/engine"
	"github.com/orthant-go/orthant/engine/assign"
)

// The scripts of testdata/script, by families; README.md there lists their commands.
func TestBenchScripts(t *testing.T)     { runScripts(t, "bench") }
func TestBatchScripts(t *testing.T)     { runScripts(t, "batch") }
func TestClusterScripts(t *testing.T)   { runScripts(t, "cluster") }
func TestEmbedScripts(t *testing.T)     { runScripts(t, "embed") }
func TestMatrixScripts(t *testing.T)    { runScripts(t, "matrix") }
func TestEvaluateScripts(t *testing.T)  { runScripts(t, "evaluate") }
func TestExploreScripts(t *testing.T)   { runScripts(t, "explore") }
func TestFactorizeScripts(t *testing.T) { runScripts(t, "factorize") }
func TestFilesScripts(t *testing.T)     { runScripts(t, "files") }
func TestHelpScripts(t *testing.T)      { runScripts(t, "help") }
func TestNeighborsScripts(t *testing.T) { runScripts(t, "neighbors") }
func TestPlotScripts(t *testing.T)      { runScripts(t, "plot") }
func TestThreadsScripts(t *testing.T)   { runScripts(t, "threads") }
func TestTransformScripts(t *testing.T) { runScripts(t, "transform") }

// runScripts runs the scripts of a family one by one, as the command runs in this process and in its current folder.
func runScripts(t *testing.T, family string) {
	paths, err := filepath.Glob(filepath.Join("testdata", "script", family+"_*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts of %s (%v)", family, err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), family+"_"), ".txt")
		t.Run(name, func(t *testing.T) {
			archive, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			s := newScript(t, archive)
			scripttest.Run(t, s.engine, s.state, filepath.Base(path), bytes.NewReader(unrolled(t, archive.Comment)))
		})
	}
}

// scripted is a script at work.
type scripted struct {
	t       *testing.T
	engine  *script.Engine
	state   *script.State
	stdin   io.Reader // of the next command
	started []*running
}

// running is a process of the command.
type running struct {
	*exec.Cmd
	out, err bytes.Buffer
}

// processCommands are commands for processes, where there are signals.
var processCommands = map[string]func(s *scripted, args []string) (script.WaitFunc, error){}

// newScript makes a folder with the files of an archive the current one.
func newScript(t *testing.T, archive *txtar.Archive) *scripted {
	t.Helper()
	dir := t.TempDir()
	t.Chdir(dir)
	state, err := script.NewState(t.Context(), dir, os.Environ())
	if err == nil {
		err = errors.Join(state.Setenv("CORES", strconv.Itoa(runtime.NumCPU())), state.ExtractFiles(archive))
	}
	if err != nil {
		t.Fatal(err)
	}
	s := &scripted{t: t, engine: &script.Engine{Cmds: scripttest.DefaultCmds(), Conds: scripttest.DefaultConds(), Quiet: true}, state: state}
	s.engine.Conds["bench"] = script.BoolCondition("the suites are in this build", withSuites)
	s.engine.Conds["generic"] = script.BoolCondition("there is one instruction level alone", len(blas.ISALevels()) < 2)
	s.engine.Conds["has"] = script.PrefixCondition("KEY/METHOD: the method has the parameter", func(_ *script.State, text string) (bool, error) {
		key, method, _ := strings.Cut(text, "/")
		return takesKey(key, method), nil
	})
	s.engine.Conds["nohup"] = script.BoolCondition("a hangup is ignored here", signal.Ignored(syscall.SIGHUP))
	s.engine.Conds["exists"] = script.PrefixCondition("the file is there", func(_ *script.State, path string) (bool, error) {
		_, err := os.Stat(path)
		return err == nil, nil
	})
	for name, command := range map[string]func(args []string) error{
		"clean": s.clean, "close": s.close, "convert": s.convert, "count": s.count, "draw": s.draw, "entries": s.entries, "dir": s.dir, "head": s.head, "holds": s.holds, "join": s.join, "json": s.json, "link": s.link, "machine": s.machine, "once": s.once, "pixels": s.pixels, "poke": s.poke, "prints": s.prints,
		"record": s.record, "repeat": s.repeat, "rewrite": s.rewrite, "same": s.same, "says": s.says, "set": s.set, "shape": s.shape, "stdin": s.readStdin, "subset": s.subset, "times": s.times, "touch": s.touch, "trim": s.trim, "value": s.value,
	} {
		s.engine.Cmds[name] = script.Command(script.CmdUsage{Summary: name}, func(_ *script.State, args ...string) (script.WaitFunc, error) {
			if err := os.Chdir(s.state.Getwd()); err != nil {
				return nil, err
			}
			return nil, command(args)
		})
	}
	s.engine.Cmds["page"] = script.Command(script.CmdUsage{Summary: "what a page of HTML holds becomes standard output"}, func(_ *script.State, args ...string) (script.WaitFunc, error) {
		text, err := s.named(args[0])
		_, after, _ := strings.Cut(text, `id="data">`)
		data, _, _ := strings.Cut(after, "</script>")
		return func(*script.State) (string, string, error) { return strings.TrimSpace(data) + "\n", "", nil }, err
	})
	for name, command := range processCommands {
		s.engine.Cmds[name] = script.Command(script.CmdUsage{Summary: name}, func(_ *script.State, args ...string) (script.WaitFunc, error) {
			return command(s, args)
		})
	}
	s.engine.Cmds["orthant"] = script.Command(script.CmdUsage{Summary: "run a command line that has status 0"}, func(_ *script.State, args ...string) (script.WaitFunc, error) {
		return s.orthant(exitDone, args)
	})
	s.engine.Cmds["exit"] = script.Command(script.CmdUsage{Summary: "run a command line that has another status"}, func(_ *script.State, args ...string) (script.WaitFunc, error) {
		want, err := strconv.Atoi(args[0])
		if err != nil {
			return nil, err
		}
		return s.orthant(want, args[1:])
	})
	return s
}

// orthant runs a command line in the folder and with the environment of the script.
func (s *scripted) orthant(want int, args []string) (script.WaitFunc, error) {
	if err := os.Chdir(s.state.Getwd()); err != nil {
		return nil, err
	}
	for _, pair := range s.state.Environ() {
		if name, value, _ := strings.Cut(pair, "="); os.Getenv(name) != value && name != "PWD" {
			s.t.Setenv(name, value)
		}
	}
	o := orthantReading(s.t, s.stdin, args...)
	s.stdin = nil
	return func(*script.State) (string, string, error) {
		if o.status != want {
			return o.out, o.err, fmt.Errorf("status %d, want %d", o.status, want)
		}
		return o.out, o.err, nil
	}, nil
}

var loop = regexp.MustCompile(`(?m)^for (\w+) in (.*)\n((?:[^fd\n].*\n|f[^o].*\n|d[^o].*\n|\n)*)done\n`)

// unrolled is a script with its loops written out, the inner ones first: in "for NAME in WORDS … done", {NAME} is each
// of the words, where ~ is a space; methods:TASK are the methods of a task, but for a !METHOD and those with a parameter !KEY,
// and levels: are those of the instruction sets.
func unrolled(t *testing.T, text []byte) []byte {
	for loop.Match(text) {
		text = loop.ReplaceAllFunc(text, func(block []byte) []byte {
			m := loop.FindSubmatch(block)
			var all []byte
			for _, word := range loopWords(string(m[2])) {
				all = append(all, bytes.ReplaceAll(m[3], []byte("{"+string(m[1])+"}"), []byte(word))...)
			}
			if len(all) == 0 {
				t.Fatalf("an empty loop: %s", block)
			}
			return all
		})
	}
	return text
}

func loopWords(text string) (list []string) {
	for _, word := range strings.Fields(text) {
		if task, is := strings.CutPrefix(word, "methods:"); is {
			list = append(list, methodNames(task)...)
		} else if word == "levels:" {
			list = append(list, blas.ISALevels()...)
		} else if left, is := strings.CutPrefix(word, "!"); is {
			list = slices.DeleteFunc(list, func(method string) bool { return method == left || takesKey(left, method) })
		} else {
			list = append(list, strings.ReplaceAll(word, "~", " "))
		}
	}
	return list
}

func takesKey(key, method string) bool {
	m, err := engine.New(method)
	return err == nil && slices.Contains(assign.Keys(engine.Parameters(m)), key)
}
