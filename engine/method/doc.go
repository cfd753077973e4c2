// Package method has the methods, a plain struct of parameters each, and their table. A zero
// field means the default that its tag documents. What a method chooses at each of the four
// steps, and what it needs, is in its row (see [Row]); package engine runs it.
//
// Methods are made by name with [New] and set by text with [Set], or written as structs:
//
//	method.NEML{Neighbors: 15, Dim: 2}
package method
