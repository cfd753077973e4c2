// Package method defines the methods, each a plain struct of parameters, and their table. A zero
// field means the default documented in its tag. The row of a method has its choice for each of the four
// steps, and its requirements (see [Row]); package engine runs it.
//
// Methods are made by name with [New] and set by text with [Set], or written as structs:
//
//	method.NEML{Neighbors: 15, Dim: 2}
package method
