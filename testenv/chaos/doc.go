// Package chaos holds the test that kills, freezes and rolls back everything
// that Credence is made of while a stream runs, and compares every state and
// every output with those of an undisturbed run.
package chaos
