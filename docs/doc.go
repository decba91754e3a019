// Package docs carries the documents, for programs that show them.
package docs
