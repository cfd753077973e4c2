// Package descriptors ends a process that may open too few files with one line. Go's runtime would end it
// by a dump as soon as a package that some format needs opens a file or waits, which several do before main. This
// package is made ready before them, as it imports nothing that needs them: whoever imports it is
// checked.
package descriptors
