// Package models holds the models that a stream can carry, one per file
// group, and the registry that finds them by the name a configuration uses.
package models
