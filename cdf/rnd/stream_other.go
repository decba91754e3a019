//go:build !amd64 || purego

package rnd

func (s *stream) take(z *ziggurat, dst []float64) bool { return false }
