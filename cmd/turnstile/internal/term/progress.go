package term

import (
	"fmt"
	"github.com/turnstile-go/turnstile/internal/printable"
	"sync"
	"time"
)

// Progress is a line at a terminal that is written again and again; elsewhere a line
// every ten seconds. It is safe for concurrent use.
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

// NewProgress returns a line of progress that has not been shown yet.
func NewProgress(screen *Screen, now func() time.Time) *Progress {
	return &Progress{screen: screen, now: now, last: now()}
}

// Show writes the text in place of the one before, unless that is too new.
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
