package browser

import (
	"context"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// Hide minimizes the page's window, so that the page is hidden as it is in a
// tab that nobody looks at.
func (p *Page) Hide() error {
	return p.setWindow(browser.WindowStateMinimized, `document.visibilityState === "hidden"`)
}

// Show ends what [Page.Hide] began.
func (p *Page) Show() error {
	return p.setWindow(browser.WindowStateNormal, `document.visibilityState === "visible"`)
}

func (p *Page) setWindow(state browser.WindowState, until string) error {
	ctx, cancel := context.WithTimeout(p.ctx, limit)
	defer cancel()
	target := chromedp.FromContext(p.ctx).Target.TargetID
	window, err := chromedp.CallBrowser(ctx, browser.GetWindowForTarget, browser.GetWindowForTargetParams{TargetID: target})
	if err != nil {
		return err
	}
	_, err = chromedp.CallBrowser(ctx, browser.SetWindowBounds, browser.SetWindowBoundsParams{
		WindowID: window.WindowID, Bounds: &browser.Bounds{WindowState: state},
	})
	if err != nil {
		return err
	}
	return p.Wait(until)
}
