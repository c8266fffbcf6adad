package program

import (
	"fmt"

	"github.com/turnstile-go/turnstile/history"
)

// searched returns the search attributes that a statement sets: its own, one that all statements of
// a round set, and one that every other statement removes.
func searched(round int, s *Statement) history.SearchAttributes {
	set := history.SearchAttributes{
		fmt.Sprintf("s%d", s.ID%10): history.SearchNumberOf(int64(s.ID)),
		"last":                      history.SearchTextOf(fmt.Sprintf("%d.%d", round, s.ID)),
		"odd":                       {},
	}
	if s.ID%2 == 1 {
		set["odd"] = history.SearchTextOf("yes")
	}
	return set
}
