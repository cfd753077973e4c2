// Package jsonkeys finds keys that a JSON object holds twice. encoding/json keeps the
// last value of such a key and says nothing.
package jsonkeys

import (
	"bytes"
	"encoding/json"
)

// Repeated returns the first key that is there twice in an object of the text, however
// deep that lies. Text that is no JSON is read as far as it goes.
func Repeated(text []byte) (key string, found bool) {
	type level struct {
		seen map[string]bool // nil: a list
		key  bool            // the next token of an object is a key
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var levels []level
	for {
		token, err := decoder.Token()
		if err != nil {
			return "", false
		}
		inside := len(levels) - 1
		switch token {
		case json.Delim('}'), json.Delim(']'):
			levels = levels[:inside]
			continue
		}
		if inside >= 0 && levels[inside].seen != nil {
			isKey := levels[inside].key
			levels[inside].key = !isKey
			if isKey {
				name := token.(string)
				if levels[inside].seen[name] {
					return name, true
				}
				levels[inside].seen[name] = true
				continue
			}
		}
		switch token {
		case json.Delim('{'):
			levels = append(levels, level{map[string]bool{}, true})
		case json.Delim('['):
			levels = append(levels, level{})
		}
	}
}
