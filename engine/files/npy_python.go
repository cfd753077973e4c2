package files

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// pyParser reads the few Python literals that the header of an .npy file is
// made of.
type pyParser struct{ rest string }

var errHeader = errors.New("the header is not a Python dictionary of descr, fortran_order and shape: the file is damaged")

// take skips white space and, where it comes next, the given text.
func (p *pyParser) take(token string) bool {
	p.rest = strings.TrimLeft(p.rest, " \t\r\n")
	rest, found := strings.CutPrefix(p.rest, token)
	p.rest = rest
	return found
}

// dictionary reads {key: value, …} to the end of the text, and has value read
// each value.
func (p *pyParser) dictionary(value func(key string) error) error {
	if !p.take("{") {
		return errHeader
	}
	for !p.take("}") {
		key, err := p.text()
		if err != nil || !p.take(":") {
			return errHeader
		}
		if err := value(key); err != nil {
			return err
		}
		if p.take(",") {
			continue
		}
		if !p.take("}") {
			return errHeader
		}
		break
	}
	if p.take(""); p.rest != "" {
		return errHeader
	}
	return nil
}

// text reads a string without escapes, in either kind of quotes.
func (p *pyParser) text() (string, error) {
	for _, quote := range []string{"'", `"`} {
		if p.take(quote) {
			s, rest, found := strings.Cut(p.rest, quote)
			if !found {
				return "", errHeader
			}
			p.rest = rest
			return s, nil
		}
	}
	return "", errHeader
}

func (p *pyParser) boolean() (bool, error) {
	switch {
	case p.take("True"):
		return true, nil
	case p.take("False"):
		return false, nil
	}
	return false, errHeader
}

// shape reads a tuple of sizes: (), (3,), (3, 4).
func (p *pyParser) shape() ([]int, error) {
	if !p.take("(") {
		return nil, errHeader
	}
	shape := []int{}
	for !p.take(")") {
		digits := len(p.rest) - len(strings.TrimLeft(p.rest, "+-0123456789"))
		text := p.rest[:digits]
		if digits == 0 {
			return nil, errHeader
		}
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return nil, fmt.Errorf("the shape holds %s, which is no size of an array: the file is damaged", excerpt([]byte(text)))
		}
		shape = append(shape, n)
		p.rest = p.rest[digits:]
		p.take("L") // as Python 2 wrote its long integers
		if p.take(",") {
			continue
		}
		if !p.take(")") {
			return nil, errHeader
		}
		break
	}
	return shape, nil
}
