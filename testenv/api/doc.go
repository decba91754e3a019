//go:build unix

// Package api tests the HTTP API of a running consumer against its OpenAPI
// document, with requests that schemathesis makes from it. It has no code
// outside tests.
package api
