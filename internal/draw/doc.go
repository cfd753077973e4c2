// Package draw makes the pictures of the reports and of the command: curves over
// linear or logarithmic axes as SVG, scatter plots of embeddings as SVG or PNG,
// montages of images as PNG, and the colours and round numbers that all pictures
// share.
//
// The SVG takes its colours from classes, so that one page can show it by day
// and by night: "axis", "grid", "curve", "dot", "leader" and, for the colours
// themselves, "c0" to "c15".
package draw
