package main

import (
	"errors"

	"github.com/turnstile-go/turnstile/internal/demo"
	"github.com/turnstile-go/turnstile/tools/browsertest/browser"
)

// picture is a view of the console, and how it is looked at.
type picture struct {
	name, address string
	view          browser.View
	// shows is an expression that is true when the picture may be taken.
	shows string
	// then is done before it is taken; nil for nothing.
	then func(*browser.Page) error
}

func (p picture) file(dark bool) string {
	if dark {
		return p.name + "-dark.png"
	}
	return p.name + "-light.png"
}

var wide = browser.View{Width: 1280, Height: 720}

var pictures = []picture{
	{name: "instances", address: "#/instances?roots=yes", view: wide, shows: live},
	{name: "order", address: "#/instances/" + demo.Waiting, view: wide, shows: drawn + ` && ` + shown("Waits for"), then: unfold},
	{name: "stuck", address: "#/instances/" + demo.Nondeterminism, view: browser.View{Width: 1280, Height: 620}, shows: drawn},
	{name: "dead-letters", address: "#/dead-letters", view: wide, shows: shown("unknown_instance")},
}

// drawn is true when a timeline is drawn at its width, below the input, and live.
const drawn = `document.querySelector(".connection.live") !== null && document.querySelector(".tl-chart")?.clientWidth > 500 && document.querySelector(".tab-body .ends") !== null`

// unfold unfolds the children of a timeline.
func unfold(p *browser.Page) error {
	return errors.Join(p.Click(".tl-fold", "Expand"), p.Wait(`document.querySelector(".tl-fold[aria-expanded=true]")`))
}

// live is true when changes are shown as they happen.
const live = `document.querySelector(".connection.live") !== null && document.querySelector("[data-row]") !== null`

func shown(text string) string {
	return `document.body.innerText.includes("` + text + `")`
}
