// Package baselines holds the methods that the paper compares conditional
// density filtering with. Each is a [cdf.Model] for [cdf.Filter]: one Update
// per shard, and the same names of parameters as the model that it competes
// with, so that their tables line up. A parameter that a method integrates
// out is not in its Params.
//
// The length of a snapshot is what a method propagates from shard to shard.
// Methods for whole data sets keep every row in it: that is their nature.
//
// Those that sample predict with mixtures of their draws, and so score a shard
// at a greater cost than they absorb it. Where updates are timed, a struct that
// embeds the bare cdf.Model hides [cdf.Predictor] from the filter, and with it
// [cdf.Summarizer] and [cdf.Retirer].
//
// Priors are the settings of the models, so that a comparison has one prior.
// None of these methods is for production.
//
// This package is their registry; the methods for one kind of models are in the
// folder of its name.
package baselines
