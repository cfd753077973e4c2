// Package selftest shows on the user's machine that the numerics work there: the
// kernels, the factorisations, the eigensolver, a step of a factorisation, the
// projections, the neighbours and the files. Each is checked against a reference that uses
// nothing of the tested code.
//
// Every check gives one number, a ratio: the error of the result, in
// units of the error that rounding explains, as in the tests of LAPACK
// (‖A − LLᵀ‖ / n‖A‖ε). It passes if the ratio is at most its threshold, which
// is in the table of the check next to its formula. Results that must be exact have the
// threshold 0.
//
// [Run] does all checks with one set of kernels at the instruction level of this
// process, which is chosen when a process starts (ORTHANT_ISA). The command
// "orthant selftest" starts itself once for each level.
package selftest
