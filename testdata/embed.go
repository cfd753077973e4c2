// Package testdata has the one real data set that comes with the sources: WDBC, breast tumours
// by 30 measurements (UCI, CC BY 4.0; see README.md in the same folder).
package testdata

import _ "embed" // the files below are texts of the program

// WDBC are the samples with a header, WDBCLabels their classes: 1 is malignant.
//
//go:embed wdbc.csv
var WDBC []byte

// WDBCLabels are the classes of WDBC, one a line below a header.
//
//go:embed wdbc.labels.csv
var WDBCLabels []byte
