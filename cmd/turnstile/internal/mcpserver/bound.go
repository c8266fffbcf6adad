package mcpserver

import (
	"encoding/json"
	"fmt"
)

const (
	// answerBytes bounds what a list in an answer takes of an agent's context.
	answerBytes = 48 << 10
	// foldOver is the size in bytes over which payloads are left out, unless they are
	// asked for.
	foldOver = 2048
	// foldListed is that size in a list of instances.
	foldListed = 512
	// shownWaiting is how many open operations are shown.
	shownWaiting = 30
)

// fit returns how many of the items are shown: limit at most, and as many as have
// answerBytes; one always.
func fit[T any](items []T, limit int) (int, error) {
	size := 0
	for i := range items[:min(limit, len(items))] {
		text, err := json.Marshal(items[i])
		if err != nil {
			return 0, err
		}
		if size += len(text); size > answerBytes && i > 0 {
			return i, nil
		}
	}
	return min(limit, len(items)), nil
}

// within returns a number that was given, or the default for 0.
func within(name string, given, most, otherwise int) (int, error) {
	switch {
	case given == 0:
		return otherwise, nil
	case given < 0 || given > most:
		return 0, fmt.Errorf("%s %d: 1 to %d", name, given, most)
	}
	return given, nil
}
