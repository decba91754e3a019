// Package lin holds the few dense kernels the models need, without
// allocation in steady state: the triangular factor of a growing matrix, its
// bidiagonal form, symmetric eigenvalues, Cholesky factors and their solves.
//
// Vectors are float64 slices. Matrices are row-major unless a function says
// column-major. A packed factor of order n is the upper triangle row by row:
// row i holds the columns i..n-1, n(n+1)/2 numbers in all.
//
// Which algorithm runs depends on the sizes only, never on the values. Products
// of matrices, the passes of reductions, reflections and rotations are chains of fused multiply-adds, the
// same with every set of instructions (strip.go, panel.go, reflect.go, rotations.go). Elsewhere products are rounded before they are
// added, so that no fused multiply-add of another processor changes the bits of
// a factor.
package lin
