package term

import (
	"io"

	xterm "golang.org/x/term"
)

// narrowest is the minimum width of a layout.
const narrowest = 40

// Screen is the destination of output.
type Screen struct {
	io.Writer
	// Person is set if a person reads it at a terminal, so that it is laid out to fit.
	Person bool
	// Colour is set if it is shown in colours.
	Colour bool
	// columns returns the current width of the terminal; nil if there is none.
	columns func() int
}

// Colours is when to use colours.
type Colours string

// When to use colours: on a terminal, unless NO_COLOR (https://no-color.org) is set or TERM is
// "dumb"; always; never.
const (
	ColoursAuto   Colours = "auto"
	ColoursAlways Colours = "always"
	ColoursNever  Colours = "never"
)

// New returns the screen of a writer: for a person if it is a terminal.
func New(w io.Writer, colours Colours, getenv func(string) string) Screen {
	s := Screen{Writer: w}
	if file, isFile := fileOf(w); isFile && xterm.IsTerminal(int(file.Fd())) {
		s.Person = true
		s.columns = func() int {
			n, _, err := xterm.GetSize(int(file.Fd()))
			if err != nil {
				return 0
			}
			return n
		}
	}
	s.paint(colours, getenv)
	return s
}

// IsTerminal reports whether a reader or a writer is a terminal.
func IsTerminal(of any) bool {
	file, isFile := fileOf(of)
	return isFile && xterm.IsTerminal(int(file.Fd()))
}

// Fixed returns the screen of a terminal with this number of columns.
func Fixed(w io.Writer, columns int, colours Colours, getenv func(string) string) Screen {
	s := Screen{Writer: w, Person: true, columns: func() int { return columns }}
	s.paint(colours, getenv)
	return s
}

func (s *Screen) paint(colours Colours, getenv func(string) string) {
	switch colours {
	case ColoursAlways:
		s.Colour = true
	case ColoursNever:
	default:
		s.Colour = s.Person && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
	}
}

// Columns returns the number of columns of a line; 0 for no limit.
func (s *Screen) Columns() int {
	if s.columns == nil {
		return 0
	}
	n := s.columns()
	if n <= 0 {
		return 80
	}
	return max(n, narrowest)
}

// Style is the style of a text.
type Style string

// The styles. The text contains everything that the colours express.
const (
	Plain  Style = ""
	Bold   Style = "1"
	Dim    Style = "2"
	Red    Style = "31"
	Green  Style = "32"
	Yellow Style = "33"
	Blue   Style = "34"
	Cyan   Style = "36"
)

// In returns the text in a style, if colours are on.
func (s *Screen) In(style Style, text string) string {
	if !s.Colour || style == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[0m"
}
