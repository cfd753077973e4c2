package serve

import (
	"encoding/binary"
	"fmt"
	"io"
	"sync"
)

// A message is words of 8 bytes, little-endian: its kind, six that depend on it, and the number of bytes that follow.
type message struct {
	kind int64
	word [6]int64
	rest []byte
}

// The kinds of messages to the worker, with their words.
const (
	enter    = 1 // a file is to be mapped: its number, its size, 1 if its name is to be removed then; its name follows
	leave    = 2 // a file is no longer used: its number
	call     = 3 // a call: its number, the number of the file with its record, and the place of the record there
	returned = 4 // a function of the caller's has returned: the number of that, what it returned, 0
	moreRoom = 5 // there is room for the arrays of a function of the caller's: the number of that, the number of the file
)

// The kinds of messages of the worker.
const (
	ready   = 1 // once, at its start; an object of JSON follows: protocol, version, abi, pid
	ended   = 2 // a call has ended: its number, its status, 1 if the call was none; then the reason follows
	product = 3 // multiply is to be called: the number of that, what the caller gave as its address, transposed, width, bytes of room; 0: x begins the room of this function, and y follows it
)

// protocol is the version of what this file and record.go say.
const protocol = 1

const (
	messageBytes = 64
	longest      = 1 << 16 // bytes after a message, which are names of files
)

// read returns the next message.
func read(from io.Reader) (m message, err error) {
	var b [messageBytes]byte
	if _, err := io.ReadFull(from, b[:]); err != nil {
		return m, err
	}
	m.kind = int64(binary.LittleEndian.Uint64(b[:]))
	for i := range m.word {
		m.word[i] = int64(binary.LittleEndian.Uint64(b[8+8*i:]))
	}
	rest := int64(binary.LittleEndian.Uint64(b[56:]))
	if rest < 0 || rest > longest {
		return m, fmt.Errorf("standard input: %d bytes after a message; serve is for programs that speak its protocol (docs/linking.md)", rest)
	}
	m.rest = make([]byte, rest)
	_, err = io.ReadFull(from, m.rest)
	return m, err
}

// sender writes messages, each as a whole.
type sender struct {
	mu sync.Mutex
	to io.Writer
}

func (s *sender) send(m message) error {
	b := make([]byte, messageBytes, messageBytes+len(m.rest))
	binary.LittleEndian.PutUint64(b, uint64(m.kind))
	for i, w := range m.word {
		binary.LittleEndian.PutUint64(b[8+8*i:], uint64(w))
	}
	binary.LittleEndian.PutUint64(b[56:], uint64(len(m.rest)))
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.to.Write(append(b, m.rest...))
	return err
}
