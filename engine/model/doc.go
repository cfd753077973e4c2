// Package model holds fitted methods. A [Model] can be saved and loaded, and gives new samples coordinates
// or labels. A model comes from a fit by package engine (Result.Model, Factorization.Model and
// Clustering.Model), or from a file, which needs no method and no training data:
//
//	m, err := model.Load(file)
//	y, err := m.Transform(ctx, x, method.Options{})
//
// [Model.Transform] and [Model.Predict] map one matrix. For several, [Model.Prepare] builds the index of
// the training samples once, and the returned [Transformer] maps block after block
// ([Transformer.Apply]), or any number of rows from a source to a sink in constant memory
// ([Transformer.Stream]). The coordinates of a sample depend neither on the other samples nor on the
// number of threads.
//
// Of the options (package method) Backend, Threads, Memory, Progress and Explain apply; the others are for
// fits and have no effect.
//
// docs/model-format.md describes the file. It holds only numbers, nothing in it is executed, and a damaged
// file is refused.
package model
