package main

// Parquet is a format that a program has to ask for; so is Arrow, in
// formats_arrow.go.
import _ "github.com/orthant-go/orthant/engine/files/parquet"
