// Package parquet adds Apache Parquet (.parquet) to the formats of package
// files; a program imports it for that effect alone:
//
//	import _ "github.com/orthant-go/orthant/engine/files/parquet"
//
// Read are columns of integers, floating-point numbers and booleans, those within
// structs under names like "a.b", and lists of numbers that are all of one
// length, a column for each place: all of them, or those that a path names, as in
// "x.parquet:height,width". A missing value is an error that names its row and
// column. Row groups are read one after the other, so that memory does not grow
// with the number of rows.
//
// Written are required columns of double, float or int64, named by the path or x1,
// x2, …, uncompressed: coordinates do not compress.
package parquet
