package parquet

import (
	"bytes"
	"testing"
)

// Every length in a footer is held against the bytes that are left.
func TestFooterIsWalked(t *testing.T) {
	for name, c := range map[string]struct {
		footer []byte
		whole  bool
	}{
		"no fields":                 {[]byte{0}, true},
		"a number":                  {[]byte{0x15, 0x02, 0}, true},
		"a long number of a field":  {[]byte{0x05, 0x80, 0x01, 0x02, 0}, true},
		"a map":                     {[]byte{0x1b, 0x01, 0x55, 0x02, 0x04, 0}, true},
		"an empty map":              {[]byte{0x1b, 0x00, 0}, true},
		"a list of two":             {[]byte{0x19, 0x25, 0x02, 0x04, 0}, true},
		"a list with its length":    {[]byte{0x19, 0xf5, 0x02, 0x02, 0x04, 0}, true},
		"nothing":                   {nil, false},
		"no end of a field":         {[]byte{0x05, 0x80}, false},
		"text past the end":         {[]byte{0x18, 0x7f, 'x'}, false},
		"text without a length":     {[]byte{0x18}, false},
		"a double past the end":     {[]byte{0x17, 1, 2, 3}, false},
		"a list past the end":       {[]byte{0x19, 0xf5, 0xff, 0xff, 0xff, 0x7f, 0x02}, false},
		"a list without its head":   {[]byte{0x19}, false},
		"a list without its length": {[]byte{0x19, 0xf5}, false},
		"a map past the end":        {[]byte{0x1b, 0x7f, 0x55, 0x02}, false},
		"a map without kinds":       {[]byte{0x1b, 0x01}, false},
		"an unknown kind":           {[]byte{0x1d, 0}, false},
		"structures without end":    {bytes.Repeat([]byte{0x1c}, 1000), false},
		"lists within lists":        {bytes.Repeat([]byte{0x19}, 1000), false},
	} {
		w := thrift{rest: c.footer}
		if err := w.structure(0); (err == nil) != c.whole || c.whole && len(w.rest) > 0 {
			t.Errorf("%s: error %v, %d bytes left", name, err, len(w.rest))
		}
	}
}
