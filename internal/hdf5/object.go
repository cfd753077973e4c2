package hdf5

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Kinds of messages of an object header.
const (
	msgDataspace     = 0x01
	msgLinkInfo      = 0x02
	msgDatatype      = 0x03
	msgOldFill       = 0x04
	msgFill          = 0x05
	msgLink          = 0x06
	msgExternal      = 0x07
	msgLayout        = 0x08
	msgGroupInfo     = 0x0A
	msgFilters       = 0x0B
	msgAttribute     = 0x0C
	msgContinuation  = 0x10
	msgSymbolTable   = 0x11
	msgAttributeInfo = 0x15
)

// maxDepth bounds chains of links, of shared messages and of indirect blocks.
const maxDepth = 32

type message struct {
	kind  int
	flags int
	order int // of attributes, in which they were made
	data  []byte
}

// Object is a group or a dataset.
type Object struct {
	f        *File
	Path     string
	address  uint64
	messages []message

	modern bool // the header is of version 2, with these flags
	flags  int
	body   span // messages of its first block
}

// object reads an object header.
func (f *File) object(path string, address uint64) (*Object, error) {
	o := &Object{f: f, Path: path, address: address}
	start, err := f.block("object header", address, f.within(address, 16))
	if err != nil {
		return nil, err
	}
	if len(start.b) >= 4 && string(start.b[:4]) == "OHDR" {
		err = o.readModern(address)
	} else {
		err = o.readOld(start)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return o, nil
}

type span struct{ at, length uint64 }

// Address is the place of the object, the same by whatever links it is found.
func (o *Object) Address() uint64 { return o.address }

func (o *Object) readOld(c *cursor) error {
	version := c.u8()
	c.skip(1)
	count := c.u16()
	c.skip(4)
	size := c.u32()
	if c.err == nil && version != 1 {
		return damaged("version %d of an object header is not known", version)
	}
	if c.err != nil {
		return c.err
	}
	o.body = span{o.address + 16, uint64(size)}
	blocks := []span{o.body}
	for len(blocks) > 0 {
		c, err := o.f.block("object header", blocks[0].at, int64(min(blocks[0].length, 1<<40)))
		if err != nil {
			return err
		}
		blocks = blocks[1:]
		for ; count > 0 && len(c.b)-c.at >= 8; count-- {
			m := message{kind: c.u16()}
			n := c.u16()
			m.flags = c.u8()
			c.skip(3)
			m.data = c.take(n)
			if c.err != nil {
				return c.err
			}
			if blocks, err = o.add(m, blocks); err != nil {
				return err
			}
		}
	}
	return nil
}

func (o *Object) readModern(address uint64) error {
	c, err := o.f.block("object header", address, o.f.within(address, 64))
	if err != nil {
		return err
	}
	c.signed("OHDR", 2)
	flags := c.u8()
	if flags&0x20 != 0 {
		c.skip(16)
	}
	if flags&0x10 != 0 {
		c.skip(4)
	}
	size := c.number(1 << (flags & 3))
	prefix := c.at
	if c.err != nil {
		return c.err
	}
	if size > uint64(o.f.size) {
		return damaged("an object header is longer than the file")
	}
	if c, err = o.f.block("object header", address, int64(prefix)+int64(size)+4); err != nil {
		return err
	}
	c.skip(prefix)
	o.modern, o.flags, o.body = true, flags, span{address + uint64(prefix), size}
	blocks, err := o.messagesOf(c, flags, nil)
	for err == nil && len(blocks) > 0 {
		next := blocks[0]
		if c, err = o.f.block("object header", next.at, int64(min(next.length, 1<<40))); err != nil {
			break
		}
		if got := c.take(4); c.err == nil && string(got) != "OCHK" {
			return damaged("an object header continues with %q", got)
		}
		blocks, err = o.messagesOf(c, flags, blocks[1:])
	}
	return err
}

// messagesOf reads the messages of a block that ends with a checksum.
func (o *Object) messagesOf(c *cursor, flags int, blocks []span) ([]span, error) {
	head := 4
	if flags&4 != 0 {
		head = 6
	}
	end := len(c.b) - 4
	if end < c.at {
		return nil, damaged("an object header is too short")
	}
	if got := (&cursor{f: c.f, b: c.b, at: end, what: c.what}); true {
		if got.checksum(); got.err != nil {
			return nil, got.err
		}
	}
	c.b = c.b[:end]
	var err error
	for len(c.b)-c.at >= head {
		m := message{kind: c.u8()}
		n := c.u16()
		m.flags = c.u8()
		m.order = int(c.number(head - 4))
		m.data = c.take(n)
		if c.err != nil {
			return nil, c.err
		}
		if blocks, err = o.add(m, blocks); err != nil {
			return nil, err
		}
	}
	return blocks, nil
}

// add keeps a message, or the place where the header continues.
func (o *Object) add(m message, blocks []span) ([]span, error) {
	if m.kind != msgContinuation {
		if m.kind != 0 {
			o.messages = append(o.messages, m)
		}
		return blocks, nil
	}
	c := &cursor{f: o.f, b: m.data, what: "object header"}
	s := span{c.offset(), c.length()}
	return append(blocks, s), c.err
}

// message returns a cursor over the first message of a kind; nil: there is none. A shared one is
// read from where it is.
func (o *Object) message(kind int) (*cursor, error) {
	at := slices.IndexFunc(o.messages, func(m message) bool { return m.kind == kind })
	if at < 0 {
		return nil, nil
	}
	return o.f.content(o.messages[at], kind, 0)
}

// content is the data of a message, which may be shared.
func (f *File) content(m message, kind, depth int) (*cursor, error) {
	c := &cursor{f: f, b: m.data, what: "object header"}
	if m.flags&2 == 0 {
		return c, nil
	}
	return f.shared(c, kind, depth)
}

// shared reads a message that another object header holds.
func (f *File) shared(c *cursor, kind, depth int) (*cursor, error) {
	version, where := c.u8(), c.u8()
	if version == 1 {
		c.skip(6)
	}
	if version == 3 && where == 1 {
		return nil, errors.New("it shares messages in a heap, which are not read here: copy it by h5repack")
	}
	address := c.offset()
	if c.err != nil {
		return nil, c.err
	}
	if depth > maxDepth {
		return nil, damaged("its shared messages lead in circles")
	}
	o, err := f.object("a committed type", address)
	if err != nil {
		return nil, err
	}
	for _, m := range o.messages {
		if m.kind == kind {
			return f.content(m, kind, depth+1)
		}
	}
	return nil, damaged("a shared message is not where it should be")
}

// IsGroup reports whether the object is a group.
func (o *Object) IsGroup() bool {
	return slices.ContainsFunc(o.messages, func(m message) bool {
		return m.kind == msgLinkInfo || m.kind == msgSymbolTable || m.kind == msgLink
	}) || !o.IsDataset()
}

// IsDataset reports whether the object is a dataset.
func (o *Object) IsDataset() bool {
	return slices.ContainsFunc(o.messages, func(m message) bool { return m.kind == msgLayout })
}

// link is a name in a group.
type link struct {
	name     string
	address  uint64
	soft     string
	external bool
}

// Root returns the root group.
func (f *File) Root() (*Object, error) {
	f.begin(4)
	return f.object("/", f.root)
}

// errMissing is the error of a path that leads nowhere.
var errMissing = errors.New("there is no such object")

// IsMissing reports whether an error says that a path leads nowhere.
func IsMissing(err error) bool { return errors.Is(err, errMissing) }

// Lookup finds an object by its path from the root.
func (f *File) Lookup(path string) (*Object, error) {
	o, err := f.Root()
	if err != nil {
		return nil, err
	}
	return o.Lookup(path)
}

// Lookup finds an object by its path from this group, or, with a leading slash, from the root.
func (o *Object) Lookup(path string) (*Object, error) {
	o.f.begin(4)
	return o.lookup(path, 0)
}

func (o *Object) lookup(path string, depth int) (*Object, error) {
	if depth > maxDepth {
		return nil, damaged("its soft links lead in circles")
	}
	at := o
	if strings.HasPrefix(path, "/") && o.Path != "/" {
		var err error
		if at, err = o.f.Root(); err != nil {
			return nil, err
		}
	}
	for _, part := range pathParts(path) {
		if part == "." {
			continue
		}
		if !at.IsGroup() {
			return nil, fmt.Errorf("%s is no group: %w", at.Path, errMissing)
		}
		links, err := at.links()
		if err != nil {
			return nil, err
		}
		found := slices.IndexFunc(links, func(l link) bool { return l.name == part })
		if found < 0 {
			return nil, fmt.Errorf("%s has no %q: %w", at.Path, part, errMissing)
		}
		switch l := links[found]; {
		case l.external:
			return nil, fmt.Errorf("%s is a link to another file, which is not followed", join(at.Path, part))
		case l.soft != "":
			at, err = at.lookup(l.soft, depth+1)
		default:
			at, err = at.f.object(join(at.Path, part), l.address)
		}
		if err != nil {
			return nil, err
		}
	}
	return at, nil
}

func join(path, name string) string { return strings.TrimSuffix(path, "/") + "/" + name }

// Members returns the names in a group, in the order of the file.
func (o *Object) Members() ([]string, error) {
	o.f.begin(4)
	links, err := o.links()
	names := make([]string, len(links))
	for i, l := range links {
		names[i] = l.name
	}
	return names, err
}

// Has reports whether a group has all of the names.
func (o *Object) Has(names ...string) bool {
	if !o.IsGroup() {
		return false
	}
	members, err := o.Members()
	return err == nil && !slices.ContainsFunc(names, func(name string) bool { return !slices.Contains(members, name) })
}

// At returns the object at an address that a reference holds.
func (f *File) At(address uint64) (*Object, error) {
	f.begin(4)
	return f.object("a reference", address)
}

// links reads the names of a group.
func (o *Object) links() ([]link, error) {
	if all, known := o.f.groups[o.address]; known {
		return all, nil
	}
	var all []link
	for _, m := range o.messages {
		c := &cursor{f: o.f, b: m.data, what: "group"}
		var err error
		switch m.kind {
		case msgLink:
			var l link
			if l, err = readLink(c); err == nil {
				all = append(all, l)
			}
		case msgSymbolTable:
			table, heap := c.offset(), c.offset()
			if err = c.err; err == nil {
				all, err = o.f.oldLinks(all, table, heap)
			}
		case msgLinkInfo:
			all, err = o.f.denseLinks(all, c)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o.Path, err)
		}
	}
	const most = 64
	if len(o.f.groups) < most {
		o.f.groups[o.address] = all
	}
	return all, nil
}

// readLink reads a link message.
func readLink(c *cursor) (link, error) {
	if v := c.u8(); c.err == nil && v != 1 {
		return link{}, damaged("version %d of a link is not known", v)
	}
	flags, kind := c.u8(), 0
	if flags&8 != 0 {
		kind = c.u8()
	}
	if flags&4 != 0 {
		c.skip(8)
	}
	if flags&16 != 0 {
		c.skip(1)
	}
	n := c.number(1 << (flags & 3))
	l := link{name: string(c.take(int(min(n, 1<<30))))}
	switch kind {
	case 0:
		l.address = c.offset()
	case 1:
		l.soft = string(c.take(c.u16()))
	default:
		l.external = true
	}
	return l, c.err
}

// oldLinks reads the names of a group of symbol tables.
func (f *File) oldLinks(all []link, table, heap uint64) ([]link, error) {
	c, err := f.block("local heap", heap, int64(8+2*f.lengths+f.offsets))
	if err != nil {
		return nil, err
	}
	c.signed("HEAP", 0)
	c.skip(3)
	size := c.length()
	c.length()
	segment := c.offset()
	if c.err != nil {
		return nil, c.err
	}
	names, err := f.block("local heap", segment, int64(min(size, 1<<40)))
	if err != nil {
		return nil, err
	}
	nameAt := func(at uint64) (string, error) {
		c := &cursor{f: f, b: names.b, at: int(min(at, uint64(len(names.b)))), what: "local heap"}
		text := c.text()
		return text, c.err
	}
	err = f.walk(table, 0, 0, -1, f.lengths, func(_ []byte, child uint64) error {
		return f.entries(child, func(_, name, address uint64, rest *cursor) error {
			l := link{address: address}
			var err error
			if l.name, err = nameAt(name); err != nil {
				return err
			}
			kind := rest.u32()
			rest.skip(4)
			if at := rest.u32(); kind == 2 {
				if l.soft, err = nameAt(uint64(at)); err != nil {
					return err
				}
			}
			all = append(all, l)
			return nil
		})
	})
	return all, err
}

// entries visits the entries of a node of a symbol table: the place of each, of its name and of its object, and what it keeps
// of the object.
func (f *File) entries(node uint64, visit func(place, name, address uint64, rest *cursor) error) error {
	c, err := f.block("symbol table", node, 8)
	if err != nil {
		return err
	}
	c.signed("SNOD", 1)
	c.skip(1)
	count := c.u16()
	if c.err != nil {
		return c.err
	}
	const kept = 24
	if c, err = f.block("symbol table", node+8, int64(count)*int64(2*f.offsets+kept)); err != nil {
		return err
	}
	for range count {
		place := node + 8 + uint64(c.at)
		name, address := c.offset(), c.offset()
		if err := visit(place, name, address, &cursor{f: f, b: c.take(kept), what: c.what}); err != nil {
			return err
		}
	}
	return c.err
}

// walk visits the leaves of a B-tree of version 1: the key before each child, and the child.
func (f *File) walk(address uint64, kind, depth, level, keyBytes int, visit func(key []byte, child uint64) error) error {
	head := 8 + 2*f.offsets
	c, err := f.block("B-tree", address, int64(head))
	if err != nil {
		return err
	}
	if got := c.take(4); c.err == nil && string(got) != "TREE" {
		return damaged("a node of its B-tree begins with %q", got)
	}
	got, at, used := c.u8(), c.u8(), c.u16()
	if c.err == nil && (got != kind || level >= 0 && at != level || depth > maxDepth) {
		return damaged("a node of its B-tree is of kind %d at level %d", got, at)
	}
	if c, err = f.block("B-tree", address+uint64(head), int64(used)*int64(keyBytes+f.offsets)); err != nil {
		return err
	}
	for range used {
		key, child := c.take(keyBytes), c.offset()
		if c.err != nil {
			return c.err
		}
		if at == 0 {
			err = visit(key, child)
		} else {
			err = f.walk(child, kind, depth+1, at-1, keyBytes, visit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// denseLinks reads the names of a group in a fractal heap.
func (f *File) denseLinks(all []link, c *cursor) ([]link, error) {
	c.skip(1)
	if flags := c.u8(); flags&1 != 0 {
		c.skip(8)
	}
	heapAt, tree := c.offset(), c.offset()
	if c.err != nil || heapAt == undefined {
		return all, c.err
	}
	err := f.fromHeap(heapAt, tree, 5, 4, func(c *cursor) error {
		l, err := readLink(c)
		all = append(all, l)
		return err
	})
	return all, err
}

// fromHeap visits the objects of a fractal heap that a B-tree of version 2 lists. before are the bytes of a
// record before the id of its object.
func (f *File) fromHeap(heapAt, tree uint64, kind, before int, visit func(c *cursor) error) error {
	h, err := f.openHeap(heapAt)
	if err != nil {
		return err
	}
	return f.walkRecords(tree, kind, func(record []byte) error {
		if len(record) < before+h.idBytes {
			return damaged("a record of its B-tree is too short")
		}
		object, err := h.object(record[before : before+h.idBytes])
		if err != nil {
			return err
		}
		return visit(object)
	})
}
