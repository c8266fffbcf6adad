package term_test

import (
	"strings"
	"testing"

	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/internal/printable"
)

func printed(t *term.Table, columns int) string {
	var out strings.Builder
	screen := term.Fixed(&out, columns, term.ColoursNever, func(string) string { return "" })
	t.Print(&screen)
	return out.String()
}

// The ids of instances that name none have 32 characters, and a usual terminal has 80 columns.
func TestATableOfDefaultIDsFitsInto80Columns(t *testing.T) {
	t.Parallel()
	const id = "0f1e2d3c4b5a69788796a5b4c3d2e1f0"
	table := func() *term.Table {
		rows := term.NewTable("INSTANCE", "ORCHESTRATION", "STATUS", "STARTED (UTC)", "TOOK", "WHY").Cut(5, 1)
		rows.Row(term.Text(id), term.Text("Fulfil 1.2"), term.Text("failed"), term.Text("2029-12-31 10:00"), term.Text("30m00s"), term.Text("Charge: "+strings.Repeat("the card was declined ", 5)))
		rows.Row(term.Text(id), term.Text("Survey"), term.Text("terminated"), term.Text("11:59:57"), term.Text("3.0s…"), term.Text(""))
		return rows
	}
	want := `INSTANCE                          ORCHEST…  STATUS      STARTED (UTC)     TOOK
0f1e2d3c4b5a69788796a5b4c3d2e1f0  Fulfil …  failed      2029-12-31 10:00  30m00s
  Charge: the card was declined the card was declined the card was declined the…
0f1e2d3c4b5a69788796a5b4c3d2e1f0  Survey    terminated  11:59:57          3.0s…
`
	if got := printed(table(), 80); got != want {
		t.Errorf("it is\n%s\nwant\n%s", got, want)
	}
	for columns := 40; columns < 200; columns++ {
		for line := range strings.Lines(printed(table(), columns)) {
			if width := printable.Width(strings.TrimSuffix(line, "\n")); width > columns {
				t.Errorf("a line for %d columns has %d:\n%s", columns, width, line)
			}
		}
	}
}

func TestColumnsStandBelowEachOtherWhateverIsInThem(t *testing.T) {
	t.Parallel()
	rows := term.NewTable("A", "B")
	for _, text := range []string{"train", "🚂🚂", "✔\ufe0f done", "👍🏽 yes", "日本語", "gro\u0308ße", "🇩🇪 Berlin"} {
		rows.Row(term.Text(text), term.Text("|"))
	}
	for line := range strings.Lines(printed(rows, 80)) {
		if before, _, found := strings.Cut(line, "|"); found && printable.Width(before) != 11 {
			t.Errorf("the second column begins at column %d: %q", printable.Width(before), line)
		}
	}
}
