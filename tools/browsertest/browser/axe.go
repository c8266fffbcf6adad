package browser

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/chromedp/chromedp"
)

// Axe runs axe-core, as it is installed, on what is shown. It returns what
// breaks a rule of WCAG 2.2 A or AA or a best practice: the rule, what is wrong
// and where.
func (p *Page) Axe() ([]string, error) {
	source, err := os.ReadFile(filepath.Join(p.packages, axe.folder(), "axe.min.js"))
	if err != nil {
		return nil, err
	}
	// As the developer tools do it: the page's policy is for its own scripts.
	if _, err := Eval[chromedp.Void](p, string(source)+";undefined"); err != nil {
		return nil, err
	}
	// What was changed last is drawn first: a button that has just been enabled.
	result, err := Eval[json.RawMessage](p, `new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(drawn))).then(() => axe.run(document, {
		resultTypes: ["violations"],
		runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
	})).then(r =>
		r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + v.help + ": " + n.target.join(" ") + ": " + n.failureSummary + ": " + n.html.slice(0, 200))))`)
	if err != nil {
		return nil, err
	}
	var found []string
	return found, json.Unmarshal(result, &found)
}
