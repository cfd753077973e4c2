// Package arrow adds Apache Arrow's files (.arrow and .feather, which is the same
// since its version 2) to the formats of package files; a program imports it for
// that effect alone:
//
//	import _ "github.com/orthant-go/orthant/engine/files/arrow"
//
// Both the file and the stream format are read, recognised by their first bytes, with
// LZ4 and zstd inside. Read are columns of integers, floating-point numbers and
// booleans, and lists of numbers that are all of one length, a column for each
// place: all of them, or those that a path names, as in "x.arrow:height,width". A
// missing value is an error that names its row and column. Record batches are read
// one after the other, so that memory does not grow with the number of rows.
//
// Written is the file format, uncompressed, with columns of double, float or
// int64, named by the path or x1, x2, ….
package arrow
