// Package cdf is the engine of conditional density filtering (C-DF): it folds
// one shard after another into surrogate conditional sufficient statistics
// (SCSS), so that time and memory per shard do not grow with the stream.
//
// A [Model] says which statistics a posterior needs and how its parameters are
// drawn from them; a [Filter] runs Algorithm 1 of Qamar, Guhaniyogi and Dunson
// (arXiv:1401.3632) over it for one key, atomically per shard; a [Summary] is
// what becomes public after a shard. The package waits for nothing, logs
// nothing and reads no clock: the result of an update is a function of the
// configuration, the state before and the shard.
package cdf
