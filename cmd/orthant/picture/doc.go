// Package picture draws what the command finds, embeddings as points in one, two, three or
// more coordinates, and curves, as PNG, SVG or PDF.
//
// A [Page] is what one file shows: a title over [Panel]s.
package picture
