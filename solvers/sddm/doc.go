// Package sddm solves symmetric diagonally dominant systems: Laplacians of graphs, singular as
// they are, Laplacians with a nonnegative diagonal added, and matrices with positive entries off the diagonal.
//
//	s, err := sddm.New(ctx, a, sddm.Options{})
//	found, err := s.Solve(ctx, x, 1) // x holds the right-hand side, and then the solution
//
// It is the method of conjugate gradients, preconditioned by the diagonal, where a trial shows that this is enough, and
// otherwise by an approximate Cholesky factor, which replaces the clique of each eliminated vertex by a sampled tree
// (Kyng and Sachdeva 2016; Gao, Kyng and Spielman 2023). Neither fills, so graphs without small separators,
// of which no machine holds the exact factor, take time and memory little more than proportional to their edges.
package sddm
