package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/orthant-go/orthant/engine/files"
)

// columnList is a list of columns, as [files.ParseColumns] reads it.
type columnList []string

func (c *columnList) String() string { return strings.Join(*c, ",") }

// Type names what is asked for.
func (c *columnList) Type() string { return "columns" }

// Set reads the value of a flag.
func (c *columnList) Set(text string) (err error) {
	*c, err = files.ParseColumns(text)
	return err
}

// character is one character of a text.
type character byte

func (c *character) String() string {
	if *c == 0 {
		return ""
	}
	return string(rune(*c))
}

// Type names what is asked for.
func (c *character) Type() string { return "character" }

// Set reads the value of a flag.
func (c *character) Set(text string) error {
	named := map[string]byte{"tab": '\t', `\t`: '\t', "comma": ',', "semicolon": ';', "pipe": '|'}
	at, known := named[strings.ToLower(text)]
	if !known && len(text) == 1 {
		at = text[0]
	}
	if at == 0 || strings.ContainsRune(" \"\r\n.+-", rune(at)) || at >= '0' && at <= '9' || at >= 0x80 {
		return errors.New("give one character that is in no number, such as ; or |, or the word tab")
	}
	*c = character(at)
	return nil
}

// imageSize is the height and width of images.
type imageSize struct{ height, width int }

func (s *imageSize) String() string {
	if s.height == 0 {
		return ""
	}
	return fmt.Sprintf("%dx%d", s.height, s.width)
}

// Type names what is asked for.
func (s *imageSize) Type() string { return "size" }

// Set reads the value of a flag.
func (s *imageSize) Set(text string) error {
	const most = 1 << 13
	height, width, both := strings.Cut(strings.ToLower(text), "x")
	h, err1 := strconv.Atoi(height)
	w, err2 := strconv.Atoi(width)
	if !both || err1 != nil || err2 != nil || h < 1 || w < 1 || h > most || w > most {
		return fmt.Errorf("give height and width in pixels, such as 32x32 (at most %d)", most)
	}
	*s = imageSize{h, w}
	return nil
}
