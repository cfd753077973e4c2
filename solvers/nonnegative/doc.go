// Package nonnegative finds nonnegative factors of symmetric matrices. [Maximize] finds
// max tr(UᵀCU) under U ≥ 0, UᵀU = I, by projected gradients or multiplicative updates with a
// [Signed] operator. [FitNMMS] finds the factors of nonnegative multidimensional scaling.
// [Round] makes the result of both exactly feasible.
package nonnegative
