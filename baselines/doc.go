// Package baselines holds the methods that the paper compares conditional
// density filtering with. Each is a [cdf.Model] for [cdf.Filter]: one Update
// per shard, and the same names of parameters as the model that it competes
// with, so that their tables line up. A parameter that a method integrates
// out is not in its Params.
//
// The length of a snapshot is what a method propagates from shard to shard.
// Methods for whole data sets keep every row in it: that is their nature.
//
// Priors are the settings of package models, so that a comparison has one
// prior. None of these methods is for production.
package baselines
