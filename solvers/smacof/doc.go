// Package smacof finds coordinates whose distances approximate given dissimilarities: metric and non-metric
// multidimensional scaling by majorisation (de Leeuw and Heiser 1980; Borg and Groenen 2005, chapters 8 and 9).
//
// [Minimize] lowers the stress of a configuration X,
//
//	σ(X) = Σ w_ij (d̂_ij − d_ij(X))²,
//
// by Guttman transforms V⁺B(X)X. The targets d̂ are the dissimilarities themselves, or a monotone function of them.
// [Among] places new objects among fixed ones by the same criterion. All results have the same bits for any number of threads.
package smacof
