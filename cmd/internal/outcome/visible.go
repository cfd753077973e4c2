package outcome

import (
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Tell prints one line for a person. What a user, a file or its name says may be in it:
// every such line goes through here, so that none of it reaches a terminal as a command.
func Tell(w io.Writer, text string) { fmt.Fprintln(w, Visible(text)) }

// Visible spells out control characters, line breaks and changes of direction among them, and
// bytes that are no UTF-8.
func Visible(text string) string {
	if !strings.ContainsFunc(text, hidden) {
		return text
	}
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case !hidden(r), r == utf8.RuneError && size > 1:
			b.WriteString(text[:size])
		case r == '\n':
			b.WriteString(`\n`)
		case r == utf8.RuneError:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case r >= 0x80:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\x%02x`, r)
		}
		text = text[size:]
	}
	return b.String()
}

func hidden(r rune) bool { return unicode.IsControl(r) || turning(r) || r == utf8.RuneError }

// turning reports whether a terminal shows what follows in another order or on another line.
func turning(r rune) bool { return unicode.In(r, unicode.Bidi_Control, unicode.Zl, unicode.Zp) }

// VisibleJSON escapes the control characters that encoding/json leaves as they are: the
// delete character, those behind it, and changes of direction, which a terminal obeys too.
func VisibleJSON(text string) string {
	late := func(r rune) bool { return r >= 0x7f && (r < 0xa0 || r >= 0x61c && turning(r)) }
	if !strings.ContainsFunc(text, late) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if late(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
