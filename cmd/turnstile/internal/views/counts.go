package views

import (
	"strconv"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
)

// Counts prints the number of instances of each status and, with all, the total. more has the
// statuses with more instances than were counted.
func Counts(screen *term.Screen, statuses []client.Status, counts map[client.Status]int, more map[client.Status]bool, all bool) {
	t := term.NewTable("STATUS", "INSTANCES")
	sum, open := 0, false
	for _, status := range statuses {
		n, counted := counts[status]
		if !counted && !all {
			continue
		}
		sum, open = sum+n, open || more[status]
		t.Row(statusCell(status), term.Text(countText(n, more[status])))
	}
	if all {
		t.Row(term.Styled(term.Bold, "total"), term.Text(countText(sum, open)))
	}
	t.Print(screen)
}

// countText returns a number, with a plus for "or more".
func countText(n int, more bool) string {
	if more {
		return strconv.Itoa(n) + "+"
	}
	return strconv.Itoa(n)
}
