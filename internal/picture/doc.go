// Package picture draws what the command finds: embeddings as points in one, two, three
// or more coordinates, curves, images side by side and profiles, as PNG, SVG, PDF, or as a
// page of HTML in which one can move.
//
// A [Page] is what one file shows: a title over [Panel]s. A page of HTML is one file and
// names no address outside it.
package picture
