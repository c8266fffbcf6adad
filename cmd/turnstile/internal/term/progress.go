package term

import (
	"fmt"
	"github.com/turnstile-go/turnstile/internal/printable"
	"sync"
	"time"
)

// Progress is a line that is rewritten on a terminal; elsewhere it is a new line every ten seconds.
// It is safe for concurrent use.
type Progress struct {
	mu     sync.Mutex
	screen *Screen
	now    func() time.Time
	shown  bool
	last   time.Time
}

const (
	repaint     = 100 * time.Millisecond
	plainRepeat = 10 * time.Second
)

// NewProgress returns a progress line, which is not shown yet.
func NewProgress(screen *Screen, now func() time.Time) *Progress {
	return &Progress{screen: screen, now: now, last: now()}
}

// Show replaces the shown text, unless that is too recent.
func (p *Progress) Show(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if p.screen.Person {
		if now.Sub(p.last) < repaint && p.shown {
			return
		}
		p.last, p.shown = now, true
		fmt.Fprintf(p.screen, "\r\x1b[K%s", printable.Clip(text, p.screen.Columns()-1))
		return
	}
	if now.Sub(p.last) >= plainRepeat {
		p.last = now
		fmt.Fprintln(p.screen, text)
	}
}

// Line writes a line that stays.
func (p *Progress) Line(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
	fmt.Fprintln(p.screen, text)
}

// End clears the line.
func (p *Progress) End() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

func (p *Progress) clear() {
	if p.shown {
		fmt.Fprint(p.screen, "\r\x1b[K")
		p.shown = false
	}
}
