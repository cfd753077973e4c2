// Package formats brings the formats of files that a program has to ask for: Parquet, and with the tag "arrow"
// Arrow.
package formats

import _ "github.com/orthant-go/orthant/engine/files/parquet"
