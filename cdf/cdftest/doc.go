// Package cdftest holds the contract that every model must pass, as one
// exported function, and two small models that pass it: [Line], a closed form
// with everything a filter can use, and [Levels], a Gibbs sampler whose groups
// appear as the stream goes. Both are cheap, so tests of other packages may
// use them where any model will do.
package cdftest
