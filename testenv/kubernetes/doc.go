// Package kubernetes reads deploy/kubernetes with the types of Kubernetes itself. It is a
// module of its own, so that what programs link and go.mod names stay what they are.
package kubernetes
