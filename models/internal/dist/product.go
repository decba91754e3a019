package dist

import (
	"math"
)

// LogProduct sums logarithms by multiplying the numbers, which takes one
// logarithm for many of them. The zero value is not ready: use NewLogProduct.
type LogProduct struct{ product, sum float64 }

// NewLogProduct returns the sum of no logarithms.
func NewLogProduct() LogProduct { return LogProduct{product: 1} }

// Mul adds log x, x > 0.
func (l *LogProduct) Mul(x float64) {
	if p := l.product * x; p < 1e150 && p > 1e-150 {
		l.product = p
	} else {
		l.carry(x)
	}
}

// carry apart from Mul lets that be inlined.
//
//go:noinline
func (l *LogProduct) carry(x float64) {
	l.sum += math.Log(l.product)
	l.product = x
}

// Log returns the sum of the logarithms.
func (l *LogProduct) Log() float64 { return l.sum + math.Log(l.product) }
