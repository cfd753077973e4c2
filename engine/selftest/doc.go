// Package selftest shows on the user's machine that the numerics work there: the
// kernels, the factorisations, the eigensolver, a step of a factorisation, the
// projections, the neighbours and the files, each against a reference that uses
// nothing of what is tested.
//
// Every check gives one number, a ratio: how far the result is from right, in
// units of what rounding explains, as the tests of LAPACK have it
// (‖A − LLᵀ‖ / n‖A‖ε). It passes where the ratio is at most its threshold, which
// is in the table of the check next to its formula. What has to be exact has the
// threshold 0.
//
// [Run] does all checks with one set of kernels at the instruction level of this
// process, which is chosen when a process starts (ORTHANT_ISA). The command
// "orthant selftest" starts itself once for each level.
package selftest
