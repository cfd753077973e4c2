package hdf5

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
)

const signature = "\x89HDF\r\n\x1a\n"

// undefined is the address of what is not there.
const undefined = math.MaxUint64

// File is an open file. It is safe for concurrent use once it is open, except Lookup, Members and
// Attribute, which count what they read.
type File struct {
	r       io.ReaderAt
	size    int64
	base    uint64 // of all addresses
	offsets int    // bytes of an address
	lengths int    // bytes of a length
	root    uint64
	left    int64 // metadata bytes that may still be read for what is asked
	groups  map[uint64][]link

	version           int    // of the superblock
	endAt             int    // place of the end of the file in it
	moved             uint64 // bytes that were put before the file since
	extension, driver uint64 // what it leads to
	open              bool   // by a program that writes it
}

// begin allows what is asked to read each byte of metadata a number of times.
func (f *File) begin(times int64) { f.left = times*f.size + 1<<20 }

// Is reports whether the bytes begin an HDF5 file, perhaps after a block of a user, as in MATLAB's.
func Is(r io.ReaderAt, size int64) (bool, error) {
	_, err := findSuperblock(r, size)
	if errors.Is(err, errNoSignature) {
		return false, nil
	}
	return err == nil, err
}

var errNoSignature = errors.New("not an HDF5 file: it lacks the signature")

// findSuperblock looks for the signature at 0, 512, 1024, 2048 …
func findSuperblock(r io.ReaderAt, size int64) (int64, error) {
	var start [len(signature)]byte
	for at := int64(0); at+int64(len(start)) <= size; at = max(512, 2*at) {
		if _, err := r.ReadAt(start[:], at); err != nil {
			return 0, err
		}
		if string(start[:]) == signature {
			return at, nil
		}
	}
	return 0, errNoSignature
}

// Open reads the header of a file.
func Open(r io.ReaderAt, size int64) (*File, error) {
	at, err := findSuperblock(r, size)
	if err != nil {
		return nil, err
	}
	f := &File{r: r, size: size, offsets: 8, lengths: 8, groups: map[uint64][]link{}, extension: undefined, driver: undefined}
	f.begin(4)
	block := make([]byte, min(128, size-at))
	if _, err := r.ReadAt(block, at); err != nil {
		return nil, err
	}
	c := &cursor{f: f, b: block, what: "superblock"}
	c.skip(len(signature))
	f.version = c.u8()
	var end uint64
	switch f.version {
	case 0, 1:
		c.skip(4)
		f.offsets, f.lengths = c.u8(), c.u8()
		if err := f.checkSizes(); err != nil {
			return nil, err
		}
		c.skip(1 + 2 + 2 + 4)
		if f.version == 1 {
			c.skip(4)
		}
		f.base = c.offset()
		c.offset()
		f.endAt = c.at
		end = c.offset()
		f.driver = c.offset()
		c.offset() // the name of the root
		f.root = c.offset()
	case 2, 3:
		f.offsets, f.lengths = c.u8(), c.u8()
		if err := f.checkSizes(); err != nil {
			return nil, err
		}
		f.open = c.u8()&5 != 0 && f.version == 3
		f.base = c.offset()
		f.extension = c.offset()
		f.endAt = c.at
		end = c.offset()
		f.root = c.offset()
		c.checksum()
	default:
		return nil, fmt.Errorf("version %d of the superblock is not known (0 to 3 are)", f.version)
	}
	if c.err != nil {
		return nil, c.err
	}
	if f.base != uint64(at) && f.base != 0 {
		return nil, errors.New("the superblock is not where it claims to be: the file is damaged")
	}
	f.moved = uint64(at) - f.base
	if f.base = uint64(at); end != undefined && (end > uint64(size) || end+f.moved > uint64(size)) {
		return nil, fmt.Errorf("the file ends after %d of %d bytes (truncated?)", size, end+f.moved)
	}
	return f, nil
}

func (f *File) checkSizes() error {
	for _, n := range []int{f.offsets, f.lengths} {
		if n != 4 && n != 8 {
			return fmt.Errorf("addresses of %d bytes and lengths of %d: the file is damaged, or not read here", f.offsets, f.lengths)
		}
	}
	return nil
}

// damaged is the error of metadata that cannot be.
func damaged(format string, args ...any) error {
	return fmt.Errorf("the file is damaged: "+format, args...)
}

// block reads n bytes of metadata at an address.
func (f *File) block(what string, address uint64, n int64) (*cursor, error) {
	at := address + f.base
	if address == undefined || at < address || n < 0 || at > uint64(f.size) || uint64(n) > uint64(f.size)-at {
		return nil, damaged("its %s is beyond its end", what)
	}
	if f.left -= n + 16; f.left < 0 {
		return nil, damaged("its structure leads in circles")
	}
	b := make([]byte, n)
	if _, err := f.r.ReadAt(b, int64(at)); err != nil {
		return nil, err
	}
	return &cursor{f: f, b: b, what: what}, nil
}

// within returns how many of n bytes follow an address, at most n.
func (f *File) within(address uint64, n int64) int64 {
	at := address + f.base
	if address == undefined || at < address || at > uint64(f.size) {
		return 0
	}
	return min(n, f.size-int64(at))
}

// cursor reads the fields of a block. The first error stays, and later fields are zero.
type cursor struct {
	f    *File
	b    []byte
	at   int
	what string
	err  error
}

func (c *cursor) take(n int) []byte {
	if c.err == nil && (n < 0 || n > len(c.b)-c.at) {
		c.err = damaged("its %s is too short", c.what)
	}
	if c.err != nil {
		return nil
	}
	c.at += n
	return c.b[c.at-n : c.at]
}

func (c *cursor) skip(n int) { c.take(n) }

// number reads n ≤ 8 bytes.
func (c *cursor) number(n int) uint64 {
	var whole [8]byte
	if n > 8 {
		n = -1
	}
	copy(whole[:], c.take(n))
	return binary.LittleEndian.Uint64(whole[:])
}

func (c *cursor) u8() int     { return int(c.number(1)) }
func (c *cursor) u16() int    { return int(c.number(2)) }
func (c *cursor) u32() uint32 { return uint32(c.number(4)) }

// offset reads an address.
func (c *cursor) offset() uint64 {
	v := c.number(c.f.offsets)
	if c.f.offsets == 4 && v == math.MaxUint32 {
		return undefined
	}
	return v
}

func (c *cursor) length() uint64 { return c.number(c.f.lengths) }

// signed checks the signature and the version of a block.
func (c *cursor) signed(signature string, versions ...int) {
	if got := c.take(4); c.err == nil && string(got) != signature {
		c.err = damaged("its %s begins with %q instead of %s", c.what, got, signature)
	}
	if v := c.u8(); c.err == nil && !isOneOf(v, versions) {
		c.err = fmt.Errorf("version %d of its %s is not known", v, c.what)
	}
}

func isOneOf(v int, all []int) bool {
	for _, known := range all {
		if v == known {
			return true
		}
	}
	return false
}

// verified is whether checksums are compared. Tests that look behind them do without.
var verified = true

// checksum compares the checksum at this place with that of the bytes before it.
func (c *cursor) checksum() {
	end := c.at
	if sum := c.u32(); c.err == nil && verified && sum != lookup3(c.b[:end]) {
		c.err = damaged("the checksum of its %s is wrong", c.what)
	}
}

// text reads a text that ends with a zero byte.
func (c *cursor) text() string {
	if c.err != nil {
		return ""
	}
	end := bytes.IndexByte(c.b[c.at:], 0)
	if end < 0 {
		c.err = damaged("a name in its %s does not end", c.what)
		return ""
	}
	text := string(c.b[c.at : c.at+end])
	c.at += end + 1
	return text
}

// lookup3 is Bob Jenkins's checksum of metadata.
func lookup3(k []byte) uint32 {
	rot := func(x uint32, n uint) uint32 { return x<<n | x>>(32-n) }
	a := 0xdeadbeef + uint32(len(k))
	b, c := a, a
	for len(k) > 12 {
		a += binary.LittleEndian.Uint32(k)
		b += binary.LittleEndian.Uint32(k[4:])
		c += binary.LittleEndian.Uint32(k[8:])
		a -= c
		a ^= rot(c, 4)
		c += b
		b -= a
		b ^= rot(a, 6)
		a += c
		c -= b
		c ^= rot(b, 8)
		b += a
		a -= c
		a ^= rot(c, 16)
		c += b
		b -= a
		b ^= rot(a, 19)
		a += c
		c -= b
		c ^= rot(b, 4)
		b += a
		k = k[12:]
	}
	if len(k) == 0 {
		return c
	}
	var rest [12]byte
	copy(rest[:], k)
	a += binary.LittleEndian.Uint32(rest[:])
	b += binary.LittleEndian.Uint32(rest[4:])
	c += binary.LittleEndian.Uint32(rest[8:])
	c ^= b
	c -= rot(b, 14)
	a ^= c
	a -= rot(c, 11)
	b ^= a
	b -= rot(a, 25)
	c ^= b
	c -= rot(b, 16)
	a ^= c
	a -= rot(c, 4)
	b ^= a
	b -= rot(a, 14)
	c ^= b
	c -= rot(b, 24)
	return c
}

// pathParts splits a path at its slashes.
func pathParts(path string) []string {
	return strings.FieldsFunc(path, func(r rune) bool { return r == '/' })
}
