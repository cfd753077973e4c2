package hdf5

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// Class is what the elements of a dataset are.
type Class int

// Other elements are described by [Type.String] and not read.
const (
	Other Class = iota
	Integer
	Float  // of IEEE 754, of 2, 4 or 8 bytes
	Bool   // the enumeration of h5py
	String // of fixed or variable length
	Reference
)

// Type is the type of elements.
type Type struct {
	Class     Class
	Size      int // bytes of an element
	Signed    bool
	BigEndian bool
	Variable  bool // a string of variable length
	padded    int  // how strings of fixed length end: 0 by a zero, 1 filled with zeros, 2 with blanks
	text      string
}

// String names the type for a message.
func (t Type) String() string { return t.text }

// readType reads a datatype message.
func readType(c *cursor, depth int) (Type, error) {
	start := c.number(4)
	class, version := int(start&15), int(start>>4&15)
	flags := uint32(start >> 8)
	t := Type{Size: int(c.u32())}
	if c.err != nil {
		return t, c.err
	}
	if version < 1 || version > 5 || t.Size < 1 || depth > maxDepth {
		return t, damaged("version %d of a datatype, with elements of %d bytes, is not known", version, t.Size)
	}
	t.BigEndian = flags&1 != 0
	switch class {
	case 0, 4:
		t.Signed = class == 0 && flags&8 != 0
		offset, precision := c.u16(), c.u16()
		t.text = fmt.Sprintf("integers of %d bits", precision)
		if offset == 0 && precision == 8*t.Size && (t.Size == 1 || t.Size == 2 || t.Size == 4 || t.Size == 8) {
			t.Class = Integer
		}
	case 1:
		offset, precision := c.u16(), c.u16()
		layout := [5]int{c.u8(), c.u8(), c.u8(), c.u8(), int(c.u32())}
		t.text = fmt.Sprintf("floating-point numbers of %d bits", precision)
		ieee := map[int][5]int{2: {10, 5, 0, 10, 15}, 4: {23, 8, 0, 23, 127}, 8: {52, 11, 0, 52, 1023}}
		if want, known := ieee[t.Size]; known && layout == want && offset == 0 && precision == 8*t.Size && flags>>8&255 == uint32(precision-1) && flags&0x40 == 0 {
			t.Class = Float
		}
	case 2:
		t.text = "times"
	case 3:
		t.Class, t.padded, t.text = String, int(flags&15), "text"
	case 5:
		t.text = "opaque bytes"
	case 6:
		t.text = "compounds (a table of records)"
	case 7:
		if t.text = "references"; flags&15 == 0 && t.Size == 8 {
			t.Class = Reference
		}
	case 8:
		base, err := readType(c, depth+1)
		if err != nil {
			return t, err
		}
		t.text = "an enumeration"
		names := make([]string, 0, 2)
		for range min(int(flags&0xffff), 3) {
			at := c.at
			names = append(names, c.text())
			if version < 3 { // padded to eight bytes
				c.skip(-(c.at - at) & 7)
			}
		}
		if base.Class == Integer && base.Size == t.Size && c.err == nil {
			t.Class, t.Signed, t.BigEndian = Integer, base.Signed, base.BigEndian
			if t.Size == 1 && strings.EqualFold(strings.Join(names, ","), "false,true") {
				t.Class, t.text = Bool, "booleans"
			}
		}
	case 9:
		if t.text = "lists of variable length"; flags&15 == 1 && t.Size == 8+c.f.offsets {
			t.Class, t.Variable, t.text = String, true, "text"
		}
	case 10:
		t.text = "arrays"
	default:
		t.text = fmt.Sprintf("elements of the unknown class %d", class)
	}
	return t, c.err
}

// fixedText is a string of fixed length without what fills it up.
func (t Type) fixedText(b []byte) string {
	text := string(b)
	switch t.padded {
	case 2:
		return strings.TrimRight(text, " ")
	case 1:
		return strings.TrimRight(text, "\x00")
	}
	text, _, _ = strings.Cut(text, "\x00")
	return text
}

// texts are the texts of elements.
func (t Type) texts(f *File, raw []byte) ([]string, error) {
	all := make([]string, 0, len(raw)/t.Size)
	f.begin(64) // collections are read again where texts are not in their order
	h := heaps{f: f}
	for len(raw) >= t.Size {
		if t.Variable {
			b, err := h.text(raw[:t.Size])
			if err != nil {
				return nil, err
			}
			all = append(all, string(b))
		} else {
			all = append(all, t.fixedText(raw[:t.Size]))
		}
		raw = raw[t.Size:]
	}
	return all, nil
}

// order is the order of bytes.
func (t Type) order() binary.ByteOrder {
	if t.BigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// readShape reads a dataspace. most are the largest sizes, as many as there are dimensions.
func readShape(c *cursor) (shape, most []uint64, err error) {
	version, rank, flags, kind := c.u8(), c.u8(), c.u8(), c.u8()
	if version == 1 {
		c.skip(4)
	}
	if c.err == nil && (version < 1 || version > 2 || rank > 32) {
		return nil, nil, damaged("version %d of a dataspace with %d dimensions is not known", version, rank)
	}
	if version == 2 && kind == 2 {
		return []uint64{0}, []uint64{0}, c.err
	}
	for range rank {
		shape = append(shape, c.length())
	}
	most = shape
	if flags&1 != 0 {
		most = nil
		for i := range rank {
			n := c.length()
			if c.f.lengths == 4 && n == 1<<32-1 {
				n = undefined
			}
			most = append(most, max(n, shape[i]))
		}
	}
	return shape, most, c.err
}

// Attribute is a value with a name.
type Attribute struct {
	Type  Type
	Shape []uint64
	f     *File
	raw   []byte
}

// Attribute returns an attribute of an object; nil: it has none of that name.
func (o *Object) Attribute(name string) (*Attribute, error) {
	o.f.begin(4)
	for _, m := range o.messages {
		c := &cursor{f: o.f, b: m.data, what: "attribute"}
		switch m.kind {
		case msgAttribute:
			if m.flags&2 != 0 {
				var err error
				if c, err = o.f.shared(c, msgAttribute, 0); err != nil {
					return nil, err
				}
			}
			if got, a, err := readAttribute(c); err != nil || got == name {
				return a, err
			}
		case msgAttributeInfo:
			c.skip(1)
			if flags := c.u8(); flags&1 != 0 {
				c.skip(2)
			}
			heap, tree := c.offset(), c.offset()
			if c.err != nil || heap == undefined {
				continue
			}
			var found *Attribute
			err := o.f.fromHeap(heap, tree, 8, 0, func(c *cursor) error {
				got, a, err := readAttribute(c)
				if got == name {
					found = a
				}
				return err
			})
			if err != nil || found != nil {
				return found, err
			}
		}
	}
	return nil, nil
}

// readAttribute reads an attribute message.
func readAttribute(c *cursor) (string, *Attribute, error) {
	version, flags := c.u8(), c.u8()
	if c.err == nil && (version < 1 || version > 3) {
		return "", nil, damaged("version %d of an attribute is not known", version)
	}
	sizes := [3]int{c.u16(), c.u16(), c.u16()}
	if version == 3 {
		c.skip(1)
	}
	var parts [3]*cursor
	for i, n := range sizes {
		parts[i] = &cursor{f: c.f, b: c.take(n), what: "attribute"}
		if version == 1 {
			c.skip(-n & 7)
		}
	}
	if c.err != nil {
		return "", nil, c.err
	}
	name, _, _ := strings.Cut(string(parts[0].b), "\x00")
	a := &Attribute{f: c.f}
	var err error
	for i, kind := range []int{msgDatatype, msgDataspace} {
		if version > 1 && flags>>i&1 != 0 {
			if parts[i+1], err = c.f.shared(parts[i+1], kind, 0); err != nil {
				return name, nil, err
			}
		}
	}
	if a.Type, err = readType(parts[1], 0); err != nil {
		return name, nil, err
	}
	if a.Shape, _, err = readShape(parts[2]); err != nil {
		return name, nil, err
	}
	n, ok := product(append([]uint64{uint64(a.Type.Size)}, a.Shape...))
	if !ok || n > uint64(len(c.b)-c.at) {
		return name, nil, damaged("the attribute %q is too short", name)
	}
	a.raw = c.take(int(n))
	return name, a, c.err
}

// Texts returns the texts of an attribute of strings.
func (a *Attribute) Texts() ([]string, error) {
	if a == nil || a.Type.Class != String {
		return nil, nil
	}
	return a.Type.texts(a.f, a.raw)
}

// Text returns the only text of an attribute; "": it has none.
func (a *Attribute) Text() string {
	if texts, err := a.Texts(); err == nil && len(texts) == 1 {
		return texts[0]
	}
	return ""
}

// Numbers returns the values of an attribute of integers or references; nil: it has others.
func (a *Attribute) Numbers() []uint64 {
	if a == nil || a.Type.Class != Integer && a.Type.Class != Reference {
		return nil
	}
	var all []uint64
	for raw := a.raw; len(raw) >= a.Type.Size; raw = raw[a.Type.Size:] {
		var v uint64
		for i := range a.Type.Size {
			at := i
			if !a.Type.BigEndian {
				at = a.Type.Size - 1 - i
			}
			v = v<<8 | uint64(raw[at])
		}
		all = append(all, v)
	}
	return all
}

// product multiplies, where that stays below 2⁶².
func product(factors []uint64) (uint64, bool) {
	p := uint64(1)
	for _, n := range factors {
		if n == 0 {
			return 0, true
		}
	}
	for _, n := range factors {
		if n > (1<<62)/p {
			return 0, false
		}
		p *= n
	}
	return p, true
}
