//go:build race

package modeltest

func init() { race = true }
