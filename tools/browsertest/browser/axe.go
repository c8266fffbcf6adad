package browser

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chromedp/chromedp"
)

// Axe runs axe-core, as it is installed, on what is shown. It returns what
// breaks a rule of WCAG 2.2 A or AA or a best practice: the rule, what is wrong
// and where.
func (p *Page) Axe() ([]string, error) {
	// A document that has been looked at has it already: it is half a megabyte.
	there, err := Eval[bool](p, `typeof axe === "object"`)
	if err != nil {
		return nil, err
	}
	if !there {
		source, err := os.ReadFile(filepath.Join(p.packages, axe.folder(), "axe.min.js"))
		if err != nil {
			return nil, err
		}
		// As the developer tools do it: the page's policy is for its own scripts.
		if _, err := Eval[chromedp.Void](p, string(source)+";undefined"); err != nil {
			return nil, err
		}
	}
	if err := p.Still(); err != nil {
		return nil, err
	}
	result, err := Eval[json.RawMessage](p, `axe.run(document, {
		resultTypes: ["violations"],
		runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
	}).then(r =>
		r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + v.help + ": " + n.target.join(" ") + ": " + n.failureSummary + ": " + n.html.slice(0, 200))))`)
	if err != nil {
		return nil, err
	}
	var found []string
	return found, json.Unmarshal(result, &found)
}

// Still waits until nothing moves in the page: what was changed last is drawn, a button that
// has just been enabled, and the animations and transitions that this began have ended. Those
// without an end, and those that follow what is scrolled, do not count.
func (p *Page) Still() error {
	moving, err := Eval[string](p, fmt.Sprintf(`(async () => {
	const drawn = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
	const moves = () => document.getAnimations().filter(a => a.timeline === document.timeline && a.playState !== "finished" && Number.isFinite(a.effect?.getComputedTiming().endTime));
	const end = performance.now() + %d;
	do await drawn(); while (moves().length > 0 && performance.now() < end);
	return moves().map(a => (a.transitionProperty ?? a.animationName) + " of " + (a.effect.target?.outerHTML ?? "").slice(0, 200)).join("; ");
})()`, limit.Milliseconds()))
	if err == nil && moving != "" {
		err = fmt.Errorf("the page still moves after %s: %s", limit, moving)
	}
	return err
}
