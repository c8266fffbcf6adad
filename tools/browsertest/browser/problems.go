package browser

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
)

// violations says on the console what the page's content security policy
// refused; the browser's own words on it do not always come.
const violations = `addEventListener("securitypolicyviolation", e =>
	console.error("content security policy: " + e.violatedDirective + " refused " + e.blockedURI + " at " + e.sourceFile + ":" + e.lineNumber))`

// Problems are what went wrong in the page up to now: errors and warnings on
// its console, errors that nothing caught, answers that were no success, what
// the content security policy refused. Those that were allowed are left out.
func (p *Page) Problems() []string {
	// The answer comes behind all that the page reported before.
	unanswered := call(p, runtime.Evaluate, runtime.EvaluateParams{Expression: "0"})
	p.mu.Lock()
	defer p.mu.Unlock()
	problems := slices.Clone(p.problems)
	if unanswered != nil {
		problems = append(problems, fmt.Sprintf("the page does not answer: %v: %v", unanswered, context.Cause(p.ctx)))
	}
	return slices.DeleteFunc(problems, func(problem string) bool {
		return slices.ContainsFunc(p.allowed, func(parts []string) bool {
			return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(problem, part) })
		})
	})
}

// Allow leaves the problems that contain all of the parts out, earlier ones too.
func (p *Page) Allow(part string, more ...string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.allowed = append(p.allowed, append([]string{part}, more...))
}

// Requests are what the page has asked for up to now.
func (p *Page) Requests() []Request {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.requests)
}

func (p *Page) observe(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *inspector.EventTargetCrashed:
		p.crashed(ErrCrashed)
	case *runtime.EventConsoleAPICalled:
		if kind := string(e.Type); kind == "error" || kind == "warning" || kind == "assert" {
			p.problems = append(p.problems, "console."+kind+": "+words(e.Args))
		}
	case *runtime.EventExceptionThrown:
		d := e.ExceptionDetails
		text := d.Text
		if d.Exception != nil {
			text += " " + d.Exception.Description
		}
		p.problems = append(p.problems, fmt.Sprintf("not caught: %s (%s:%d)", text, d.URL, d.LineNumber+1))
	case *log.EventEntryAdded:
		if asksForIcon(e.Entry.URL) {
			return
		}
		if level := e.Entry.Level; level == log.EntryLevelError || level == log.EntryLevelWarning {
			p.problems = append(p.problems, fmt.Sprintf("%s %s: %s (%s)", e.Entry.Source, level, e.Entry.Text, e.Entry.URL))
		}
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, Request{Method: e.Request.Method, URL: e.Request.URL, Type: string(e.Type)})
	}
}

// asksForIcon reports whether the browser made the request for itself. A full
// Chromium asks the root of the host for /favicon.ico when a document links no
// icon; the headless shell does not. The page asked for nothing.
func asksForIcon(address string) bool {
	u, err := url.Parse(address)
	return err == nil && u.Path == "/favicon.ico"
}

func words(args []*runtime.RemoteObject) string {
	texts := make([]string, len(args))
	for i, arg := range args {
		if texts[i] = arg.Description; texts[i] == "" {
			texts[i] = strings.Trim(string(arg.Value), `"`)
		}
	}
	return strings.Join(texts, " ")
}
