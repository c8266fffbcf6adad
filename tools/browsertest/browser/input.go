package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Click waits for an element that a person could click, and clicks it: it fits
// the CSS selector, shows the text (its own, or that of its label; "" for any),
// is enabled, and nothing covers it. If the page has moved it away under the pointer, it is
// clicked again, as a person would.
func (p *Page) Click(selector, text string) error {
	for try := 1; ; try++ {
		at, err := p.point(selector, text)
		if err != nil {
			return err
		}
		if _, err := Eval[bool](p, fmt.Sprintf(watchClick, quoted(selector), quoted(text))); err != nil {
			return err
		}
		if err := p.do(chromedp.MouseClickXY(at[0], at[1])); err != nil {
			return err
		}
		if hit, err := Eval[bool](p, "window.clickHit?.() ?? true"); err != nil || hit || try == mostClicks {
			return err
		}
	}
}

const mostClicks = 3

// watchClick has window.clickHit() say whether the next click meets an element: it was pressed on
// that, and either released there, or the element is gone by then, or holds the pointer. A new document
// has no such function.
const watchClick = `((selector, text) => {
	window.clickWatch?.abort();
	const signal = (window.clickWatch = new AbortController()).signal, options = {capture: true, signal};
	const on = (t) => t instanceof Element && [...document.querySelectorAll(selector)].find((e) => {
		const own = (e.getAttribute("aria-label") ?? e.innerText ?? e.value ?? "").trim();
		return (!text || own === text || (e.innerText ?? "").trim() === text) && (e.contains(t) || t.contains(e) && t.matches("label"));
	});
	let pressed = null, held = false, clicked = false;
	addEventListener("pointerdown", (e) => { pressed ??= on(e.target); }, options);
	addEventListener("gotpointercapture", () => { held = true; }, options);
	addEventListener("click", (e) => { clicked ||= pressed && (pressed.contains(e.target) || !!on(e.target)); }, options);
	window.clickHit = () => !!pressed && (clicked || held || !pressed.isConnected);
	return true;
})(%s, %s)`

// Hover moves the pointer onto an element; see [Page.Click] for which one.
func (p *Page) Hover(selector, text string) error {
	at, err := p.point(selector, text)
	if err != nil {
		return err
	}
	return call(p, input.DispatchMouseEvent, input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved, X: at[0], Y: at[1]})
}

func (p *Page) point(selector, text string) ([]float64, error) {
	find := fmt.Sprintf(clickable, quoted(selector), quoted(text))
	if err := p.Wait(find + " !== null"); err != nil {
		return nil, fmt.Errorf("nothing to click: %q with the text %q: %w", selector, text, err)
	}
	// It may move while the page comes up: it has to stand for two pictures.
	return Eval[[]float64](p, fmt.Sprintf(`(async () => {
		const find = () => %s, drawn = () => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
		for (let before = find();;) {
			await drawn();
			const now = find();
			if (now && String(now) === String(before)) return now;
			before = now;
		}
	})()`, find))
}

const clickable = `((selector, text) => {
	for (const e of document.querySelectorAll(selector)) {
		const own = (e.getAttribute("aria-label") ?? e.innerText ?? e.value ?? "").trim();
		if (text && own !== text && (e.innerText ?? "").trim() !== text || e.matches(":disabled")) continue;
		e.scrollIntoView({block: "nearest", inline: "nearest", behavior: "instant"});
		for (const r of e.getClientRects()) {
			const x = r.x + r.width / 2, y = r.y + r.height / 2;
			const top = document.elementFromPoint(x, y);
			if (r.width && r.height && top && (e.contains(top) || top.contains(e) && top.matches("label"))) return [x, y];
		}
	}
	return null;
})(%s, %s)`

// Type types text where the focus is.
func (p *Page) Type(text string) error {
	for _, r := range text {
		if err := p.key(r, 0); err != nil {
			return err
		}
	}
	return nil
}

// Press presses a key where the focus is: "Enter", "Escape", "ArrowDown", "j",
// with the modifiers "Control+", "Shift+", "Alt+" and "Meta+" before it.
func (p *Page) Press(key string) error {
	held := chromedp.ModifierNone
	for name, modifier := range modifiers {
		if rest, found := strings.CutPrefix(key, name+"+"); found {
			key = rest
			held |= modifier
		}
	}
	if named, found := keys[key]; found {
		key = named
	}
	r, size := utf8.DecodeRuneInString(key)
	if size != len(key) {
		return fmt.Errorf("there is no key %q", key)
	}
	return p.key(r, held)
}

// key presses a key and lets it go. The text comes with the key, as from a
// keyboard: a page that takes the key prevents the text.
func (p *Page) key(r rune, held chromedp.Modifier) error {
	var down, up *input.DispatchKeyEventParams
	for _, k := range kb.Encode(r) {
		switch k.Type {
		case kb.KeyDown:
			down = k
		case kb.KeyChar:
			if held&^chromedp.ModifierShift == 0 {
				down.Text, down.UnmodifiedText = k.Text, k.UnmodifiedText
			}
		case kb.KeyUp:
			up = k
		}
	}
	down.Type = input.DispatchKeyEventTypeKeyDown
	if down.Text == "" {
		down.Type = input.DispatchKeyEventTypeRawKeyDown
	}
	down.Modifiers |= int64(held)
	up.Modifiers |= int64(held)
	return errors.Join(call(p, input.DispatchKeyEvent, *down), call(p, input.DispatchKeyEvent, *up))
}

var modifiers = map[string]chromedp.Modifier{
	"Control": chromedp.ModifierCtrl, "Shift": chromedp.ModifierShift, "Alt": chromedp.ModifierAlt, "Meta": chromedp.ModifierMeta,
}

var keys = map[string]string{
	"Enter": kb.Enter, "Escape": kb.Escape, "Tab": kb.Tab, "Backspace": kb.Backspace, "Delete": kb.Delete, "Space": " ",
	"ArrowDown": kb.ArrowDown, "ArrowUp": kb.ArrowUp, "ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight,
	"Home": kb.Home, "End": kb.End, "PageDown": kb.PageDown, "PageUp": kb.PageUp,
}

// Text waits for an element and returns what it shows.
func (p *Page) Text(selector string) (string, error) {
	find := "document.querySelector(" + quoted(selector) + ")"
	if err := p.Wait(find); err != nil {
		return "", err
	}
	return Eval[string](p, find+".innerText")
}

// Shows waits until the page shows a text.
func (p *Page) Shows(text string) error {
	return p.Wait("document.body.innerText.includes(" + quoted(text) + ")")
}

// quoted is a string as JavaScript has it.
func quoted(s string) string {
	// A string always becomes JSON.
	text, _ := json.Marshal(s)
	return string(text)
}

func call[P, R any](p *Page, command cdp.Command[P, R], params P) error {
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	_, err := chromedp.Call(ctx, command, params)
	return err
}

// Scroll turns the wheel, or drags a finger, in the middle of the window, down
// by that many pixels (up, if negative), as fast as a person in a hurry.
func (p *Page) Scroll(pixels int) error {
	middle, err := Eval[[]float64](p, "[innerWidth / 2, innerHeight / 2]")
	if err != nil {
		return err
	}
	distance := -float64(pixels)
	return call(p, input.SynthesizeScrollGesture, input.SynthesizeScrollGestureParams{X: middle[0], Y: middle[1], YDistance: distance, Speed: 6000})
}

// Finger is where a finger is, in CSS pixels of the window.
type Finger struct{ X, Y float64 }

// Touch lets fingers go from one place to another, all together and in steps, as on
// a touch screen: one drags, two that come apart zoom in. from and to have as many.
func (p *Page) Touch(from, to []Finger) error {
	const steps = 8
	points := func(n int) (all []*input.TouchPoint) {
		for i := range from {
			id, share := float64(i), float64(n)/steps
			all = append(all, &input.TouchPoint{ID: &id, X: from[i].X + (to[i].X-from[i].X)*share, Y: from[i].Y + (to[i].Y-from[i].Y)*share})
		}
		return all
	}
	err := call(p, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true, MaxTouchPoints: int64(max(len(from), 2))})
	if err != nil {
		return err
	}
	err = call(p, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchStart, TouchPoints: points(0)})
	for n := 1; n <= steps && err == nil; n++ {
		err = call(p, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchMove, TouchPoints: points(n)})
	}
	return errors.Join(err, call(p, input.DispatchTouchEvent, input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchEnd, TouchPoints: []*input.TouchPoint{}}))
}
