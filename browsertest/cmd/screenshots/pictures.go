package main

import (
	"github.com/turnstile-go/turnstile/browsertest/browser"
	"github.com/turnstile-go/turnstile/internal/demo"
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
	{name: "instances", address: "#/instances", view: wide, shows: shown(demo.Completed)},
	{name: "order", address: "#/instances/" + demo.Waiting, view: wide, shows: shown("Approved")},
	{name: "stuck", address: "#/instances/" + demo.Nondeterminism, view: wide, shows: shown("CheckRows")},
	{name: "dead-letters", address: "#/dead-letters", view: wide, shows: "true"},
}

func shown(text string) string {
	return `document.body.innerText.includes("` + text + `")`
}
