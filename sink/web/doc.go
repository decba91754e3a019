// Package web is the HTTP side of a consumer: health, metrics, and the
// current posterior of any key.
//
// Any process answers any key, because answers come from the checkpoint
// store and not from the memory of the partition's owner.
package web
