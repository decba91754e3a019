package try

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What the report says to try next is asked for by its flags, says of what its effects are, and leaves nothing to try.
func TestWhatToTryNext(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	var b strings.Builder
	b.WriteString("area,price\n")
	for range 600 {
		area := 20 + 180*r.Float64()
		fmt.Fprintf(&b, "%.1f,%.2f\n", area, math.Exp(7+.01*area+.5*r.NormFloat64()))
	}
	file := filepath.Join(t.TempDir(), "flats.csv")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	report := func(change func(*trial)) string {
		x := begin(t, file, func(t *trial) { t.listen = ""; change(t) })
		<-x.done
		if x.result != nil {
			t.Fatal(x.result)
		}
		return x.out.String()
	}
	first := report(func(t *trial) { t.ask.Wish.Response = "price" })
	next := regexp.MustCompile(`\nWhat to try next: .* with log\(price\) in place of price, .*: --formula ['"](.*)['"]\n`).FindStringSubmatch(first)
	if next == nil || !strings.Contains(first, "in units of price.") {
		t.Fatal(first)
	}
	second := report(func(t *trial) { t.ask.Wish.Response, t.ask.Wish.Formula = "", next[1] })
	if !strings.Contains(second, "What was learnt about log(price), ") || !strings.Contains(second, "in units of log(price): +0.1 multiplies price by 1.105.") ||
		!strings.Contains(second, "  log(price) rises with area: +0.0") || strings.Contains(second, "What to try next") {
		t.Error(second)
	}
}
