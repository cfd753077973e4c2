// Package serve answers the calls of another process, such as Python's, with the functions of orthant.h: where no shared library
// can be loaded, they are those of the command. Arrays are in files that both processes map; a pipe has what is to be done.
// docs/linking.md describes the protocol.
package serve

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"

	"github.com/spf13/cobra"

	"github.com/orthant-go/orthant/cmd/internal/library"
)

// Command is "orthant serve".
func Command(in io.Reader, out io.Writer, version string) *cobra.Command {
	return &cobra.Command{
		Use:   "serve",
		Short: "Answer the calls of another process",
		Long: `Serve does for another process what the C library does within one: the same functions
with the same results, bit for bit. The Python package starts it where no shared
library can be loaded: on macOS, with musl, or with an old glibc; ORTHANT_WORKER=1
makes it do so everywhere.

Calls come through standard input, and answers leave through standard output; arrays
are in files that both processes map, so that they are written once and not copied
again. It ends when standard input does, and so with the process that started it.
docs/linking.md describes the protocol for other languages.`,
		Example: "  orthant serve < /dev/null",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unexpected argument %q; leave it out", args[0])
			}
			return nil
		},
		// Limits are those of each call, as in the library.
		PersistentPreRunE: func(*cobra.Command, []string) error { return nil },
		RunE: func(*cobra.Command, []string) error {
			signal.Ignore(os.Interrupt) // Ctrl-C is for the process that started this one
			library.Version = version
			return serve(in, out)
		},
	}
}

// worker is one "orthant serve".
type worker struct {
	sender
	files files

	mu    sync.Mutex
	last  int64                    // number of a call of the caller's functions
	await map[int64]chan<- message // those that have not returned
	rooms map[uintptr]int64        // the file for the arrays of a function
}

// greeting is what a worker says first.
type greeting struct {
	Protocol int    `json:"protocol"`
	Version  string `json:"version"`
	ABI      int    `json:"abi"`
	PID      int    `json:"pid"`
}

// serve answers calls until there is nothing more to read.
func serve(in io.Reader, out io.Writer) error {
	w := &worker{sender: sender{to: out}, files: files{list: map[int64]*file{}}, await: map[int64]chan<- message{}, rooms: map[uintptr]int64{}}
	library.Caller.Multiply = w.multiply
	said, err := json.Marshal(greeting{protocol, library.VersionText(), library.ABI, os.Getpid()})
	if err != nil {
		return err
	}
	if err := w.send(message{kind: ready, rest: said}); err != nil {
		return err
	}
	from := bufio.NewReader(in)
	for {
		m, err := read(from)
		if errors.Is(err, io.EOF) {
			return nil // tasks under way end with the process
		}
		if err != nil {
			return err
		}
		switch m.kind {
		case enter:
			w.files.enter(m.word[0], m.word[1], string(m.rest), m.word[2] != 0)
		case leave:
			w.forget(m.word[0])
			w.files.leave(m.word[0])
		case call:
			go w.answer(m)
		case returned, moreRoom:
			w.mu.Lock()
			to := w.await[m.word[0]]
			delete(w.await, m.word[0])
			w.mu.Unlock()
			if to != nil {
				to <- m
			}
		default:
			return fmt.Errorf("standard input: a message of kind %d; serve is for programs that speak its protocol (docs/linking.md)", m.kind)
		}
	}
}

// answer carries out a call and says what came of it.
func (w *worker) answer(m message) {
	answer := message{kind: ended, word: [6]int64{m.word[0]}}
	status, err := w.carriedOut(m.word[1], m.word[2])
	answer.word[1] = int64(status)
	if err != nil {
		answer.word[2], answer.rest = 1, []byte(err.Error())
	}
	w.send(answer) // if nobody reads it, standard input ends too
}

func (w *worker) carriedOut(file, at int64) (status int32, err error) {
	debug.SetPanicOnFault(true) // such as where a disk is full that has no room for a page of the file
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal error: %v (please report it)", p)
		}
	}()
	return w.files.called(file, at)
}

// multiply has the caller compute a product. x and y change hands in a file, x first.
func (w *worker) multiply(function, _ uintptr, transposed bool, width int, x, y []float64) int {
	way := int64(0)
	if transposed {
		way = 1
	}
	need := 8 * int64(len(x)+len(y))
	w.mu.Lock()
	room, there := w.rooms[function]
	w.mu.Unlock()
	var in *file
	if there {
		in, _ = w.files.of(room)
	}
	if in == nil || int64(len(in.memory)) < need {
		m := w.asked(product, int64(function), way, int64(width), need)
		var err error
		if in, err = w.files.of(m.word[1]); m.kind != moreRoom || err != nil || int64(len(in.memory)) < need {
			return 1
		}
		w.mu.Lock()
		w.rooms[function] = m.word[1]
		w.mu.Unlock()
	}
	both := words(in.memory, len(x)+len(y))
	copy(both, x)
	m := w.asked(product, int64(function), way, int64(width), 0)
	copy(y, both[len(x):])
	return int(m.word[1])
}

// asked sends a message about a function of the caller's and waits for what comes of it.
func (w *worker) asked(kind int64, about ...int64) message {
	answer := make(chan message, 1)
	w.mu.Lock()
	w.last++
	m := message{kind: kind, word: [6]int64{w.last}}
	copy(m.word[1:], about)
	w.await[w.last] = answer
	w.mu.Unlock()
	w.send(m) // if nobody reads it, standard input ends too, and so does the process
	return <-answer
}

// forget leaves a file that was the room of a function.
func (w *worker) forget(number int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for function, room := range w.rooms {
		if room == number {
			delete(w.rooms, function)
		}
	}
}
