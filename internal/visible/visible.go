// Package visible spells out what a terminal or a picture would obey in place of showing it.
package visible

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Text spells out control characters, line breaks and changes of direction among them, and
// bytes that are no UTF-8.
func Text(text string) string {
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

// JSON escapes the control characters that encoding/json leaves as they are: the
// delete character, those behind it, and changes of direction, which a terminal obeys too.
func JSON(text string) string {
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
