package hdf5

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Copy is a copy of a file to which objects are added. The bytes of the file keep their places, so every address in it stays
// valid, whatever it leads to; new objects follow its end. Of the old bytes change only the end of the file in the superblock,
// and the headers of the groups that get a member: the header stays at its place, continues after
// the end of the file, and lists all members itself. Space that this leaves unused is reclaimed by h5repack.
type Copy struct {
	f       *File
	parts   []part // after the bytes of the file
	end     uint64 // of the parts, from the beginning of the file
	patches []patch
	texts   *textHeap // that is being filled
	failed  error
}

// part is what a copy has after the bytes of the file: bytes, or as many as write gives.
type part struct {
	bytes []byte
	write func(w io.Writer) error
}

// patch replaces bytes of the file.
type patch struct {
	at    uint64
	bytes []byte
}

// Copy begins a copy. Files are refused in which more would have to change.
func (f *File) Copy() (*Copy, error) {
	c := &Copy{f: f, end: uint64(f.size)}
	switch {
	case f.driver != undefined:
		return nil, errors.New("it is one of several files of a family: copy it by h5repack first")
	case f.open:
		return nil, errors.New("another program has it open for writing, or did not close it: close it there, or run h5clear -s on it")
	case f.extension == undefined:
		return c, nil
	}
	o, err := f.object("the superblock", f.extension)
	if err != nil {
		return nil, err
	}
	const freeSpace, cacheImage, driverInfo = 0x17, 0x18, 0x14
	for _, m := range o.messages {
		switch {
		case m.kind == cacheImage || m.kind == driverInfo:
			return nil, errors.New("its metadata are in a cache of a kind that cannot be added to: copy it by h5repack first")
		case m.kind == freeSpace && (len(m.data) < 3 || m.data[0] > 1 || m.data[0] == 1 && (m.data[1] == 1 || m.data[2] != 0)):
			return nil, errors.New("it keeps lists of its free space, or pages: copy it by h5repack -S NONE -P 0 first")
		}
	}
	return c, nil
}

// align pads the copy to eight bytes.
func (c *Copy) align() {
	if rest := -c.end & 7; rest > 0 {
		c.parts = append(c.parts, part{bytes: make([]byte, rest)})
		c.end += rest
	}
}

// add appends a part of n bytes, and returns its address.
func (c *Copy) add(n uint64, p part) uint64 {
	c.align()
	at := c.end - c.f.base
	c.parts = append(c.parts, p)
	c.end += n
	if c.f.offsets == 4 && c.end > 1<<32-2 {
		c.failed = errors.New("it would be longer than its addresses of 4 bytes allow")
	}
	return at
}

func (c *Copy) addBytes(b []byte) uint64 { return c.add(uint64(len(b)), part{bytes: b}) }

// WriteTo writes the copy.
func (c *Copy) WriteTo(w io.Writer) (int64, error) {
	c.align()
	c.patchEnd()
	if c.failed != nil {
		return 0, c.failed
	}
	slices.SortFunc(c.patches, func(a, b patch) int { return cmp.Compare(a.at, b.at) })
	written := &counter{w: w}
	for _, p := range append(c.patches, patch{at: uint64(c.f.size)}) {
		if p.at < uint64(written.n) || p.at+uint64(len(p.bytes)) > uint64(c.f.size) {
			return written.n, damaged("structures overlap")
		}
		if _, err := io.Copy(written, io.NewSectionReader(c.f.r, written.n, int64(p.at)-written.n)); err != nil {
			return written.n, err
		}
		if uint64(written.n) != p.at {
			return written.n, io.ErrUnexpectedEOF
		}
		if _, err := written.Write(p.bytes); err != nil {
			return written.n, err
		}
	}
	for _, p := range c.parts {
		err := error(nil)
		if p.write != nil {
			err = p.write(written)
		} else {
			_, err = written.Write(p.bytes)
		}
		if err != nil {
			return written.n, err
		}
	}
	if uint64(written.n) != c.end {
		return written.n, fmt.Errorf("%d bytes were written in place of %d", written.n, c.end)
	}
	return written.n, nil
}

type counter struct {
	w io.Writer
	n int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.n += int64(n)
	return n, err
}

// patchEnd brings the end of the file in the superblock up to date.
func (c *Copy) patchEnd() {
	e := c.encoder()
	e.offset(c.end - c.f.moved)
	at := c.f.base + uint64(c.f.endAt)
	if c.f.version < 2 {
		c.patches = append(c.patches, patch{at, e.Bytes()})
		return
	}
	block := make([]byte, c.f.endAt+2*c.f.offsets)
	if _, err := c.f.r.ReadAt(block, int64(c.f.base)); err != nil {
		c.failed = err
		return
	}
	copy(block[c.f.endAt:], e.Bytes())
	block = binary.LittleEndian.AppendUint32(block, lookup3(block))
	c.patches = append(c.patches, patch{c.f.base, block})
}

// encoder writes the fields of a block.
type encoder struct {
	bytes.Buffer
	f *File
}

func (c *Copy) encoder() *encoder { return &encoder{f: c.f} }

func (e *encoder) number(v uint64, n int) {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], v)
	e.Write(b[:n])
}

func (e *encoder) u8(v int)        { e.number(uint64(v), 1) }
func (e *encoder) u16(v int)       { e.number(uint64(v), 2) }
func (e *encoder) u32(v int)       { e.number(uint64(v), 4) }
func (e *encoder) offset(v uint64) { e.number(v, e.f.offsets) }
func (e *encoder) length(v uint64) { e.number(v, e.f.lengths) }

// pad fills up to a multiple of eight bytes.
func (e *encoder) pad() { e.Write(make([]byte, -e.Len()&7)) }

// checksum appends the checksum of all that was written.
func (e *encoder) checksum() { e.number(uint64(lookup3(e.Bytes())), 4) }

// textHeap is a global heap of a copy.
type textHeap struct {
	address uint64
	bytes   []byte // its part
	used    int
	index   int
}

// elements puts texts into global heaps, and returns what elements of variable length hold of them.
func (c *Copy) elements(texts []string) []byte {
	const least = 4096
	refs := c.encoder()
	for _, text := range texts {
		head := 8 + c.f.lengths
		need := head + len(text) + -len(text)&7
		if h := c.texts; h == nil || h.used+need+head > len(h.bytes) || h.index == 1<<16-1 {
			size := max(least, 2*head+need) // the heap has a head of the same length, and room for the entry of what is free
			size += -size & 7
			h = &textHeap{bytes: make([]byte, size), used: head}
			e := c.encoder()
			e.WriteString("GCOL\x01\x00\x00\x00")
			e.length(uint64(size))
			copy(h.bytes, e.Bytes())
			h.address = c.addBytes(h.bytes)
			c.texts = h
		}
		h := c.texts
		h.index++
		e := c.encoder()
		e.u16(h.index)
		e.Write(make([]byte, 6))
		e.length(uint64(len(text)))
		e.WriteString(text)
		copy(h.bytes[h.used:], e.Bytes())
		h.used += need
		if free := len(h.bytes) - h.used; free >= head {
			e := c.encoder()
			e.Write(make([]byte, 8))
			e.length(uint64(free))
			copy(h.bytes[h.used:], e.Bytes())
		}
		refs.u32(len(text))
		refs.offset(h.address)
		refs.u32(h.index)
	}
	return refs.Bytes()
}

// A Value is an attribute: a text, several texts, or a boolean.
type Value struct {
	Name  string
	Value any // string, []string or bool
}

// NumberType is the type of the numbers that a copy gets.
type NumberType struct {
	Float bool // of IEEE 754; otherwise integers with a sign
	Size  int
}

func (e *encoder) numberType(t NumberType) {
	if !t.Float {
		e.Write([]byte{0x10, 8, 0, 0})
		e.u32(t.Size)
		e.u16(0)
		e.u16(8 * t.Size)
		return
	}
	exponent, mantissa, bias := 11, 52, 1023
	if t.Size == 4 {
		exponent, mantissa, bias = 8, 23, 127
	}
	e.Write([]byte{0x11, 0x20, byte(8*t.Size - 1), 0})
	e.u32(t.Size)
	e.u16(0)
	e.u16(8 * t.Size)
	e.Write([]byte{byte(mantissa), byte(exponent), 0, byte(mantissa)})
	e.u32(bias)
}

// textType is text of variable length in UTF-8, as h5py writes it.
func (e *encoder) textType() {
	e.Write([]byte{0x19, 1, 1, 0})
	e.u32(8 + e.f.offsets)
	e.Write([]byte{0x10, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0})
}

// boolType is the enumeration by which h5py stores booleans.
func (e *encoder) boolType() {
	e.Write([]byte{0x18, 2, 0, 0, 1, 0, 0, 0, 0x10, 8, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0})
	e.WriteString("FALSE\x00\x00\x00TRUE\x00\x00\x00\x00\x00\x01")
}

// space is a shape; none: a scalar.
func (e *encoder) space(shape []uint64) {
	e.Write([]byte{2, byte(len(shape)), 0, byte(min(len(shape), 1))})
	for _, n := range shape {
		e.length(n)
	}
}

// attribute makes the message of an attribute.
func (c *Copy) attribute(v Value) (message, error) {
	kind, space := c.encoder(), c.encoder()
	var data []byte
	switch value := v.Value.(type) {
	case string:
		kind.textType()
		space.space(nil)
		data = c.elements([]string{value})
	case []string:
		kind.textType()
		space.space([]uint64{uint64(len(value))})
		data = c.elements(value)
	case bool:
		kind.boolType()
		space.space(nil)
		data = []byte{map[bool]byte{true: 1}[value]}
	}
	e := c.encoder()
	e.Write([]byte{3, 0})
	e.u16(len(v.Name) + 1)
	e.u16(kind.Len())
	e.u16(space.Len())
	e.u8(1) // UTF-8
	e.WriteString(v.Name + "\x00")
	e.Write(kind.Bytes())
	e.Write(space.Bytes())
	e.Write(data)
	m := message{kind: msgAttribute, data: e.Bytes()}
	return m, m.checkLength()
}

// mostMessage is the most bytes of a message.
const mostMessage = 1<<16 - 9

func (m message) checkLength() error {
	if len(m.data) > mostMessage {
		return errors.New("an attribute would be longer than 64 KiB")
	}
	return nil
}

// header appends a header of an object.
func (c *Copy) header(messages []message, attributes []Value) (uint64, error) {
	for _, v := range attributes {
		m, err := c.attribute(v)
		if err != nil {
			return 0, err
		}
		messages = append(messages, m)
	}
	body := c.modernMessages(messages, 0)
	e := c.encoder()
	e.WriteString("OHDR\x02\x02")
	e.u32(len(body))
	e.Write(body)
	e.checksum()
	return c.addBytes(e.Bytes()), c.failed
}

// modernMessages are messages of a header of version 2.
func (c *Copy) modernMessages(messages []message, flags int) []byte {
	e := c.encoder()
	for _, m := range messages {
		e.u8(m.kind)
		e.u16(len(m.data))
		e.u8(m.flags)
		if flags&4 != 0 {
			e.u16(m.order)
		}
		e.Write(m.data)
	}
	return e.Bytes()
}

// array appends an array of n bytes whose type is in kind.
func (c *Copy) array(kind *encoder, shape []uint64, n uint64, data part, attributes []Value) (uint64, error) {
	space, fill, layout := c.encoder(), c.encoder(), c.encoder()
	space.space(shape)
	fill.Write([]byte{3, 0x0A}) // stored when written; elements that are not have no value
	layout.Write([]byte{3, 1})
	layout.offset(c.add(n, data))
	layout.length(n)
	return c.header([]message{
		{kind: msgDataspace, data: space.Bytes()}, {kind: msgDatatype, flags: 1, data: kind.Bytes()},
		{kind: msgFill, flags: 1, data: fill.Bytes()}, {kind: msgLayout, data: layout.Bytes()},
	}, attributes)
}

// Numbers adds an array of numbers, which write gives in the order of little-endian machines, and returns its address.
func (c *Copy) Numbers(t NumberType, shape []uint64, write func(w io.Writer) error, attributes ...Value) (uint64, error) {
	n, ok := product(append([]uint64{uint64(t.Size)}, shape...))
	if !ok || n == 0 {
		return 0, fmt.Errorf("an array of the shape %s", shapeText(shape))
	}
	kind := c.encoder()
	kind.numberType(t)
	return c.array(kind, shape, n, part{write: write}, attributes)
}

// Texts adds a list of texts, and returns its address.
func (c *Copy) Texts(texts []string, attributes ...Value) (uint64, error) {
	kind := c.encoder()
	kind.textType()
	data := c.elements(texts)
	return c.array(kind, []uint64{uint64(len(texts))}, uint64(len(data)), part{bytes: data}, attributes)
}

// Member is a name in a group, and the address of its object.
type Member struct {
	Name    string
	Address uint64
}

// Group adds a group, and returns its address.
func (c *Copy) Group(members []Member, attributes ...Value) (uint64, error) {
	messages := c.emptyGroup()
	for _, m := range members {
		messages = append(messages, c.hardLink(m, -1))
	}
	return c.header(messages, attributes)
}

// emptyGroup are the messages of a group whose members are in its header.
func (c *Copy) emptyGroup() []message {
	info := c.encoder()
	info.Write([]byte{0, 0})
	info.offset(undefined)
	info.offset(undefined)
	return []message{{kind: msgLinkInfo, data: info.Bytes()}, {kind: msgGroupInfo, flags: 1, data: []byte{0, 0}}}
}

// hardLink makes the message of a link. order is its place in the order in which they were made; −1: the group does not keep it.
func (c *Copy) hardLink(m Member, order int64) message {
	return c.link(link{name: m.Name, address: m.Address}, order)
}

func (c *Copy) link(l link, order int64) message {
	const width = 1 << 1 // the length of a name takes four bytes
	flags := width | 8
	if order >= 0 {
		flags |= 4
	}
	if strings.ContainsFunc(l.name, func(r rune) bool { return r >= 0x80 }) {
		flags |= 16
	}
	e := c.encoder()
	e.Write([]byte{1, byte(flags), byte(min(len(l.soft), 1))})
	if order >= 0 {
		e.number(uint64(order), 8)
	}
	if flags&16 != 0 {
		e.u8(1)
	}
	e.u32(len(l.name))
	e.WriteString(l.name)
	if l.soft != "" {
		e.u16(len(l.soft))
		e.WriteString(l.soft)
	} else {
		e.offset(l.address)
	}
	return message{kind: msgLink, data: e.Bytes()}
}

// Insert adds a member to a group of the file, and sets attributes of it.
func (c *Copy) Insert(group *Object, m Member, attributes ...Value) error {
	if err := c.insert(group, m, attributes); err != nil {
		return fmt.Errorf("%s: %w", group.Path, err)
	}
	return c.failed
}

func (c *Copy) insert(group *Object, m Member, attributes []Value) error {
	c.f.begin(8)
	messages, err := c.withLink(group, m)
	if err != nil {
		return err
	}
	for _, v := range attributes {
		if messages, err = c.withAttribute(messages, v); err != nil {
			return err
		}
	}
	return c.replaceHeader(group, messages)
}

// withLink returns the messages of a group with a member more, all of whose members are messages.
func (c *Copy) withLink(group *Object, added Member) ([]message, error) {
	order := int64(-1)
	messages, links := c.emptyGroup(), []message(nil)
	for _, m := range group.messages {
		content := &cursor{f: c.f, b: m.data, what: "group"}
		switch m.kind {
		case msgLink:
			links = append(links, message{kind: msgLink, flags: m.flags, data: m.data})
		case msgSymbolTable:
			table, heap := content.offset(), content.offset()
			if content.err != nil {
				return nil, content.err
			}
			old, err := c.f.oldLinks(nil, table, heap)
			if err != nil {
				return nil, err
			}
			for _, l := range old {
				links = append(links, c.link(l, -1))
			}
			if err := c.forget(group.address); err != nil {
				return nil, err
			}
		case msgLinkInfo:
			info, next, dense, err := c.linkInfo(content)
			if err != nil {
				return nil, err
			}
			messages[0].data, messages[0].flags, order = info, m.flags, next
			links = append(links, dense...)
		case msgGroupInfo:
			messages[1] = m
		default:
			messages = append(messages, m)
		}
	}
	const most = 1 << 15
	if len(links) >= most {
		return nil, fmt.Errorf("it has %d members, and can get no more", len(links))
	}
	return append(append(messages, links...), c.hardLink(added, order)), nil
}

// forget removes what the entries of a group in the superblock and in the root keep of its symbol table.
func (c *Copy) forget(group uint64) error {
	blank := make([]byte, 24)
	if group == c.f.root && c.f.version < 2 {
		c.patches = append(c.patches, patch{c.f.base + uint64(c.f.endAt+4*c.f.offsets), blank})
	}
	root, err := c.f.Root()
	if err != nil {
		return err
	}
	at := slices.IndexFunc(root.messages, func(m message) bool { return m.kind == msgSymbolTable })
	if at < 0 {
		return nil
	}
	table := (&cursor{f: c.f, b: root.messages[at].data, what: "group"}).offset()
	return c.f.walk(table, 0, 0, -1, c.f.lengths, func(_ []byte, child uint64) error {
		return c.f.entries(child, func(place, _, address uint64, _ *cursor) error {
			if address == group {
				c.patches = append(c.patches, patch{c.f.base + place + uint64(2*c.f.offsets), blank})
			}
			return nil
		})
	})
}

// linkInfo returns what describes the links of a group after another one, which gets the order next (−1: there is none), and those
// that are in a heap.
func (c *Copy) linkInfo(old *cursor) (info []byte, next int64, links []message, err error) {
	next = -1
	old.skip(1)
	flags := old.u8()
	e := c.encoder()
	e.Write([]byte{0, byte(flags)})
	if flags&1 != 0 {
		next = int64(old.number(8))
		e.number(uint64(next+1), 8)
	}
	heap, tree := old.offset(), old.offset()
	if old.err != nil {
		return nil, 0, nil, old.err
	}
	if next < -1 || next == 1<<63-1 {
		return nil, 0, nil, damaged("a group of %d members", next)
	}
	for range 2 + flags>>1&1 {
		e.offset(undefined)
	}
	if heap != undefined {
		err = c.f.fromHeap(heap, tree, 5, 4, func(l *cursor) error {
			links = append(links, message{kind: msgLink, data: bytes.Clone(l.b)})
			return nil
		})
	}
	return e.Bytes(), next, links, err
}

// withAttribute replaces an attribute in the messages of an object, or adds it. All attributes become messages.
func (c *Copy) withAttribute(messages []message, v Value) ([]message, error) {
	added, err := c.attribute(v)
	if err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(messages, func(m message) bool { return m.kind == msgAttributeInfo }); at >= 0 {
		info, next, dense, err := c.attributeInfo(messages[at])
		if err != nil {
			return nil, err
		}
		messages[at].data, added.order = info, next
		messages = append(messages, dense...)
	}
	for i, m := range messages {
		if m.kind != msgAttribute {
			continue
		}
		content := &cursor{f: c.f, b: m.data, what: "attribute"}
		if m.flags&2 != 0 {
			if content, err = c.f.shared(content, msgAttribute, 0); err != nil {
				return nil, err
			}
		}
		name, _, err := readAttribute(content)
		if err != nil {
			return nil, err
		}
		if name == v.Name {
			added.order = m.order
			messages[i] = added
			return messages, nil
		}
	}
	return append(messages, added), nil
}

// attributeInfo returns what describes the attributes of an object after another one, which gets the order next, and those
// that are in a heap.
func (c *Copy) attributeInfo(m message) (info []byte, next int, dense []message, err error) {
	old := &cursor{f: c.f, b: m.data, what: "attribute"}
	old.skip(1)
	flags := old.u8()
	e := c.encoder()
	e.Write([]byte{0, byte(flags)})
	if flags&1 != 0 {
		next = old.u16()
		e.u16(min(next+1, 1<<16-1))
	}
	heapAt, tree := old.offset(), old.offset()
	if old.err != nil {
		return nil, 0, nil, old.err
	}
	for range 2 + flags>>1&1 {
		e.offset(undefined)
	}
	if heapAt == undefined {
		return e.Bytes(), next, nil, nil
	}
	h, err := c.f.openHeap(heapAt)
	if err != nil {
		return nil, 0, nil, err
	}
	err = c.f.walkRecords(tree, 8, func(record []byte) error {
		r := &cursor{f: c.f, b: record, what: "B-tree"}
		id := r.take(h.idBytes)
		a := message{kind: msgAttribute, flags: r.u8(), order: int(r.u32())}
		if r.err != nil {
			return r.err
		}
		if a.flags&2 != 0 {
			return errors.New("it shares attributes in a heap: copy the file by h5repack first")
		}
		content, err := h.object(id)
		if err == nil {
			a.data = bytes.Clone(content.b)
			dense = append(dense, a)
			err = a.checkLength()
		}
		return err
	})
	return e.Bytes(), next, dense, err
}

// replaceHeader gives an object other messages. The first block of its header says where they are.
func (c *Copy) replaceHeader(o *Object, messages []message) error {
	head := 8 // bytes before a message
	if o.modern {
		if head = 4; o.flags&4 != 0 {
			head = 6
		}
	}
	continued := c.encoder()
	if o.modern {
		continued.WriteString("OCHK")
		continued.Write(c.modernMessages(messages, o.flags))
		continued.checksum()
	} else {
		for _, m := range messages {
			continued.u16(m.kind)
			continued.u16(len(m.data) + -len(m.data)&7)
			continued.u8(m.flags)
			continued.Write(make([]byte, 3))
			continued.Write(m.data)
			continued.pad()
		}
	}
	for _, m := range messages {
		if err := m.checkLength(); err != nil {
			return err
		}
	}
	place := c.encoder()
	place.offset(c.addBytes(continued.Bytes()))
	place.length(uint64(continued.Len()))
	if !o.modern {
		place.pad()
	}
	size := int(o.body.length)
	if size < head+place.Len() {
		return errors.New("its header has no room: copy the file by h5repack first")
	}
	first := c.encoder()
	filled := 1
	put := func(kind int, data []byte) {
		if o.modern {
			first.Write(c.modernMessages([]message{{kind: kind, data: data}}, o.flags))
			return
		}
		first.u16(kind)
		first.u16(len(data))
		first.Write(make([]byte, 4))
		first.Write(data)
	}
	put(msgContinuation, place.Bytes())
	for size-first.Len() >= head {
		put(0, make([]byte, min(size-first.Len()-head, 1<<15)))
		filled++
	}
	first.Write(make([]byte, size-first.Len()))
	block := make([]byte, o.body.at-o.address)
	if _, err := c.f.r.ReadAt(block, int64(o.address+c.f.base)); err != nil {
		return err
	}
	if !o.modern {
		if filled += len(messages); filled > 1<<16-1 {
			return errors.New("its header has too many messages")
		}
		binary.LittleEndian.PutUint16(block[2:], uint16(filled))
	}
	block = append(block, first.Bytes()...)
	if o.modern {
		block = binary.LittleEndian.AppendUint32(block, lookup3(block))
	}
	c.patches = append(c.patches, patch{o.address + c.f.base, block})
	return nil
}
