// Package scale finds at which scale the samples of a surface are best seen: how far they
// stray from it, how it bends, and how many neighbours lie between the two. With that it
// moves samples that stray onto the surface.
//
// The covariance of a sample and its k nearest has d large eigenvalues, those of the tangent
// space, and a remainder. By k, the remainder is σ² + c·T², with σ² the variance of the noise
// off the surface, T that of the neighbours along it, and c from the curvature (Little,
// Maggioni, Rosasco 2017, Multiscale geometric methods for data sets I, whose test of the
// dimension by local singular values over growing balls this turns to the noise). Where
// little noise is seen, or the remainder follows another law, as in most real data, nothing
// is moved.
package scale
