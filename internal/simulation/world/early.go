package world

import (
	"fmt"
)

// FireID is the id by which operators fire a timer early: the n-th of them, for the first or
// the second time.
func FireID(event int64, n, again int) string { return fmt.Sprintf("fire-%d-%d-%d", event, n, again) }

// FiredBy is the event of the timer that an id of FireID fires; 0 for any other id.
func FiredBy(id string) (event int64) {
	var n, again int
	if _, err := fmt.Sscanf(id, "fire-%d-%d-%d", &event, &n, &again); err != nil {
		return 0
	}
	return event
}
