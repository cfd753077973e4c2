// Package projections finds the nearest points of the sets that subset selection and
// selective factorisation are built on, exactly and without sorting:
//
//	Simplex, SimplexSparse   {z ≥ 0, Σz = s}
//	Quadratic                min dᵀz + (δ/2)‖z‖² on the unit simplex
//	Groups.Project           {Σᵢ ‖aᵢ‖_p ≤ τ}, p = ∞ or 2, over groups aᵢ of a matrix
//	Groups.Shrink            min ½‖b − a‖² + t Σᵢ ‖bᵢ‖_p
//
// Every solution is one threshold, or one number a group, that solves a piecewise
// linear convex equation. Newton's method walks up to it from below and ends after
// finitely many steps, each a pass over the numbers: expected O(n) for n of them.
// Groups are scanned in parallel; their results do not depend on the number of
// threads.
package projections
