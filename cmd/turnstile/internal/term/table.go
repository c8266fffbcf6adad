package term

import (
	"fmt"
	"github.com/turnstile-go/turnstile/internal/printable"
	"slices"
	"strings"
)

// Cell is a field of a row.
type Cell struct {
	// Text is shown to a person.
	Text string
	// Whole is printed for a program, if it differs: a time without "ago", a message that is not cut.
	Whole string
	Style Style
}

// Text is a cell without a style.
func Text(text string) Cell { return Cell{Text: text} }

// Styled is a cell in a style.
func Styled(style Style, text string) Cell { return Cell{Text: text, Style: style} }

// Table is rows of cells.
//
// On a terminal it has a header, and columns that fit the screen: one column is shortened. If that is the last one and
// the others leave it too little space, its text is on a separate line below each row. Elsewhere a row is a line of
// complete cells, separated by tabs, without a header, so that cut, sort and awk can process it.
type Table struct {
	head []string
	rows [][]Cell
	// gives are the columns that may be shortened, in order; by default the last one.
	gives []int
}

// NewTable returns a table with the headers of its columns.
func NewTable(head ...string) *Table { return &Table{head: head, gives: []int{len(head) - 1}} }

// Cut sets the columns, numbered from 0, that are shortened one after the other if a line does not fit.
func (t *Table) Cut(columns ...int) *Table {
	t.gives = columns
	return t
}

// Row adds a row.
func (t *Table) Row(cells ...Cell) { t.rows = append(t.rows, cells) }

// Len returns the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// gap is the space between two columns.
const gap = "  "

// Print writes the table.
func (t *Table) Print(s *Screen) {
	if !s.Person {
		t.lines(s)
		return
	}
	widths, under := t.widths(s.Columns())
	var b strings.Builder
	if len(t.head) > 0 {
		cells := make([]Cell, len(t.head))
		for i, h := range t.head {
			cells[i] = Styled(Bold, h)
		}
		t.line(&b, s, without(cells, under), without(widths, under))
	}
	for _, cells := range t.rows {
		t.line(&b, s, without(cells, under), without(widths, under))
		if under >= 0 && under < len(cells) && cells[under].Text != "" {
			b.WriteString(gap + s.In(cells[under].Style, printable.Clip(cells[under].Text, s.Columns()-len(gap))) + "\n")
		}
	}
	fmt.Fprint(s, b.String())
}

// without returns the elements except one; -1 for all of them.
func without[T any](all []T, one int) []T {
	if one < 0 || one >= len(all) {
		return all
	}
	return slices.Delete(slices.Clone(all), one, one+1)
}

// Lay always writes the table in columns, but cuts it to fit only on a terminal. It is for tables that are read as a
// text.
func (t *Table) Lay(s *Screen) {
	laid := *s
	laid.Person = true
	t.Print(&laid)
}

// lines writes it for programs.
func (t *Table) lines(s *Screen) {
	var b strings.Builder
	for _, cells := range t.rows {
		for i, c := range cells {
			if i > 0 {
				b.WriteByte('\t')
			}
			text := c.Text
			if c.Whole != "" {
				text = c.Whole
			}
			b.WriteString(strings.Map(func(r rune) rune {
				if r == '\t' || r == '\n' {
					return ' '
				}
				return r
			}, text))
		}
		b.WriteByte('\n')
	}
	fmt.Fprint(s, b.String())
}

const (
	// leastCut is the minimum width of the shortened column, below which its text is put under the row.
	leastCut = 12
	// leastOther is the minimum width of any other shortened column.
	leastOther = 6
)

// widths returns the width of each column, and which one is put under the row; -1 for none.
func (t *Table) widths(columns int) (widths []int, under int) {
	n := len(t.head)
	for _, cells := range t.rows {
		n = max(n, len(cells))
	}
	widths, under = make([]int, n), -1
	for i, h := range t.head {
		widths[i] = printable.Width(h)
	}
	for _, cells := range t.rows {
		for i, c := range cells {
			widths[i] = max(widths[i], printable.Width(c.Text))
		}
	}
	over := len(gap)*(n-1) - columns
	for _, w := range widths {
		over += w
	}
	if columns <= 0 || over <= 0 {
		return widths, -1
	}
	shrink := func(column, least int) {
		by := min(over, max(widths[column]-least, 0))
		widths[column] -= by
		over -= by
	}
	gives := slices.DeleteFunc(slices.Clone(t.gives), func(i int) bool { return i < 0 || i >= n })
	for k, i := range gives {
		switch {
		case k > 0:
			shrink(i, leastOther)
		case i < n-1 || n == 1 || widths[i]-over >= leastCut:
			shrink(i, leastCut)
		default:
			under = i
			over -= widths[i] + len(gap)
		}
	}
	for over > 0 { // No column is left to shorten.
		widest, at := leastOther, -1
		for i, w := range widths {
			if i != under && w > widest {
				widest, at = w, i
			}
		}
		if at < 0 {
			break
		}
		shrink(at, max(leastOther, widest-over))
	}
	return widths, under
}

func (t *Table) line(b *strings.Builder, s *Screen, cells []Cell, widths []int) {
	last := len(cells) - 1
	for last > 0 && cells[last].Text == "" {
		last--
	}
	for i, c := range cells[:last+1] {
		text := printable.Clip(c.Text, widths[i])
		b.WriteString(s.In(c.Style, text))
		if i < last {
			b.WriteString(strings.Repeat(" ", widths[i]-printable.Width(text)) + gap)
		}
	}
	b.WriteByte('\n')
}
