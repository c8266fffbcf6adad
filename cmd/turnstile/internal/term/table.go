package term

import (
	"fmt"
	"strings"
)

// Cell is a field of a row.
type Cell struct {
	// Text is what a person reads.
	Text string
	// Whole is what a program reads, where that is something else: a time
	// without "ago", a message that is not cut.
	Whole string
	Style Style
}

// Text is a cell without a style.
func Text(text string) Cell { return Cell{Text: text} }

// Styled is a cell in a style.
func Styled(style Style, text string) Cell { return Cell{Text: text, Style: style} }

// Table is rows of cells.
//
// A person sees a head and columns, of which the last that may be cut is cut to
// fit. Elsewhere a row is a line, its cells are separated by tabs and whole, and
// there is no head: as cut, sort and awk like it.
type Table struct {
	head []string
	rows [][]Cell
	// cut is the column that gives way, the last one by default.
	cut int
}

// NewTable returns a table with the heads of its columns.
func NewTable(head ...string) *Table { return &Table{head: head, cut: len(head) - 1} }

// Cut names the column, from 0, that gives way where a line does not fit.
func (t *Table) Cut(column int) *Table {
	t.cut = column
	return t
}

// Row adds a row.
func (t *Table) Row(cells ...Cell) { t.rows = append(t.rows, cells) }

// Len is the number of rows.
func (t *Table) Len() int { return len(t.rows) }

// gap is between two columns.
const gap = "  "

// Print writes the table.
func (t *Table) Print(s *Screen) {
	if !s.Person {
		t.lines(s)
		return
	}
	widths := t.widths(s.Columns())
	var b strings.Builder
	if len(t.head) > 0 {
		cells := make([]Cell, len(t.head))
		for i, h := range t.head {
			cells[i] = Styled(Bold, h)
		}
		line(&b, s, cells, widths)
	}
	for _, cells := range t.rows {
		line(&b, s, cells, widths)
	}
	fmt.Fprint(s, b.String())
}

// Lay writes the table in columns whoever reads it; only a person's is cut to fit.
// For what is a text more than a table.
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

// leastCut is how far the column that gives way may shrink.
const leastCut = 12

// widths returns how wide each column is. Where the line does not fit, the column
// that gives way shrinks.
func (t *Table) widths(columns int) []int {
	n := len(t.head)
	for _, cells := range t.rows {
		n = max(n, len(cells))
	}
	widths := make([]int, n)
	for i, h := range t.head {
		widths[i] = Width(h)
	}
	for _, cells := range t.rows {
		for i, c := range cells {
			widths[i] = max(widths[i], Width(c.Text))
		}
	}
	all := len(gap) * (len(widths) - 1)
	for _, w := range widths {
		all += w
	}
	if over := all - columns; columns > 0 && over > 0 && t.cut >= 0 && t.cut < len(widths) {
		widths[t.cut] = max(widths[t.cut]-over, min(widths[t.cut], leastCut))
	}
	return widths
}

func line(b *strings.Builder, s *Screen, cells []Cell, widths []int) {
	last := len(cells) - 1
	for last > 0 && cells[last].Text == "" {
		last--
	}
	for i, c := range cells[:last+1] {
		text := Clip(c.Text, widths[i])
		b.WriteString(s.In(c.Style, text))
		if i < last {
			b.WriteString(strings.Repeat(" ", widths[i]-Width(text)) + gap)
		}
	}
	b.WriteByte('\n')
}
