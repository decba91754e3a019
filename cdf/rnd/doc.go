// Package rnd draws random variates from a [rand.Rand]: normal, gamma,
// inverse gamma, truncated normal, and multivariate normal in bulk; [Lanes] draw
// normals by vector instructions.
//
// Every function consumes its generator in an order that depends on its
// arguments and the generator's output only: the same generator state gives
// the same bits. Nothing is kept between calls.
package rnd
