// Command normal writes the assembly of cdf/normal.
package main

import "github.com/credence-stream/credence/cdf/lin/gen/asm"

func main() { asm.Generated(mixed, atPoints, widePoints, steps, wideCurve, narrowCurve, beyond) }
