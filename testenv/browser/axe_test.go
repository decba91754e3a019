//go:build unix

package browser

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/chromedp"
)

// axeWidths are the windows in which every view is looked at: a phone, a tablet and two screens.
var axeWidths = []int64{380, 768, 1280, 1600}

// evaluate runs a statement whose value does not matter.
func evaluate(expression string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](expression, chromedp.EvalAwaitPromise)
}

// accessible runs axe-core over the page: a serious or critical violation
// fails the test.
func (b *tab) accessible() {
	b.t.Helper()
	if b.axe == "" {
		text, err := os.ReadFile(filepath.Join(source(b.t), "node_modules", "axe-core", "axe.min.js"))
		if err != nil {
			b.t.Fatal(err)
		}
		b.axe = string(text)
	}
	if !value[bool](b, `!!window.axe`) {
		b.do(evaluate(b.axe + "; undefined"))
	}
	// Only of violations all nodes are looked at.
	found := value[[]string](b, `axe.run({resultTypes: ['violations']}).then(r => r.violations.filter(v => v.impact === 'serious' || v.impact === 'critical')
		.map(v => v.impact + ' ' + v.id + ': ' + v.help + '\n  ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 200) + ' ' + n.failureSummary).join('\n  ')))`)
	if len(found) > 0 {
		b.t.Errorf("axe-core on %s:\n%s", value[string](b, `location.pathname + location.search`), strings.Join(found, "\n"))
	}
}
