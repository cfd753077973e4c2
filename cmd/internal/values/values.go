// Package values has what flags of the commands hold besides words and numbers.
package values

import (
	"errors"
	"strconv"
	"strings"
)

// Settings collects the key=value pairs of --set; of a key given twice the last
// one counts.
type Settings map[string]string

func (s *Settings) String() string { return "" }
func (s *Settings) Type() string   { return "key=value" }

func (s *Settings) Set(pair string) error {
	key, value, found := strings.Cut(pair, "=")
	key = strings.TrimSpace(key)
	if !found || key == "" {
		return errors.New("give key=value")
	}
	if *s == nil {
		*s = Settings{}
	}
	(*s)[key] = strings.TrimSpace(value)
	return nil
}

// Limited reports whether iterations shall end at the given number, converged or not.
func (s Settings) Limited() bool {
	_, iterations := s["iterations"]
	return iterations || s["tolerance"] == "0"
}

// ByteSize is a number of bytes, read with its unit: 4GiB, 500MB, 2g, 1000000.
type ByteSize int64

func (b *ByteSize) String() string { return "" }
func (b *ByteSize) Type() string   { return "LIMIT" }

func (b *ByteSize) Set(text string) error {
	number := strings.TrimRight(strings.TrimSpace(text), "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ ")
	unit := strings.ToLower(strings.TrimSpace(strings.TrimSpace(text)[len(number):]))
	factor, known := map[string]float64{
		"": 1, "b": 1,
		"k": 1 << 10, "kib": 1 << 10, "kb": 1e3,
		"m": 1 << 20, "mib": 1 << 20, "mb": 1e6,
		"g": 1 << 30, "gib": 1 << 30, "gb": 1e9,
		"t": 1 << 40, "tib": 1 << 40, "tb": 1e12,
	}[unit]
	value, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if !known || err != nil || !(value*factor >= 1) || value*factor > 1<<62 {
		return errors.New("give a size such as 4GiB, 500MB or 1000000")
	}
	*b = ByteSize(value * factor)
	return nil
}
