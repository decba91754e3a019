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
	if p := l.product * x; Holds(p) {
		l.product = p
	} else {
		l.carry(x)
	}
}

// Product and Keep are for a loop that multiplies by itself, as long as it Holds: where the product is in memory each row waits until
// the one before is written.
func (l *LogProduct) Product() float64 { return l.product }

// Keep takes the product in the place of the one that Product returned.
func (l *LogProduct) Keep(product float64) { l.product = product }

// Holds reports whether Mul goes on with such a product, and not with a new one.
func Holds(product float64) bool { return product < 1e150 && product > 1e-150 }

// carry apart from Mul lets that be inlined.
//
//go:noinline
func (l *LogProduct) carry(x float64) {
	l.sum += math.Log(l.product)
	l.product = x
}

// Log returns the sum of the logarithms.
func (l *LogProduct) Log() float64 { return l.sum + math.Log(l.product) }
