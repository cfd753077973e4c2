// Package density finds clusters of any density in a hierarchy of samples: HDBSCAN* (Campello, Moulavi and Sander 2013; Campello,
// Moulavi, Zimek and Sander 2015; McInnes and Healy 2017).
//
// The input is a minimum spanning tree of the mutual reachability distances max(core(a), core(b), d(a, b)), where core(a) is
// the distance within which a has a given number of samples. Removing its edges from the longest on leaves components, which are
// dense at that distance: [NewHierarchy] has them all, [Hierarchy.Condense] keeps those of a minimal size, [Condensed.Select]
// chooses the clusters among these, and [Hierarchy.Cut] takes those of one distance (DBSCAN*).
//
// Edges of equal weight are removed together, as the paper says. The components of a distance are the same for every minimum
// spanning tree and in every order of the samples, and so are the results, to the bit.
package density
