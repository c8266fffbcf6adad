package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"unicode/utf8"
)

const (
	// answerBytes limits the total size of the lists in an answer, to save the agent's context.
	answerBytes = 48 << 10
	// mostBytes limits the size of an answer, including values that are not lists, such as a payload.
	mostBytes = 96 << 10
	// foldOver is the size in bytes above which payloads are omitted, unless the agent asks
	// for them.
	foldOver = 2048
	// foldListed is foldOver for lists of instances.
	foldListed = 512
	// clipListed is the size in bytes above which texts in lists are cut.
	clipListed = 500
	// shownWaiting is the largest number of pending operations in an answer.
	shownWaiting = 30
)

// fit returns the number of items to show: at most limit, and only as many as fit into the rest of
// answerBytes, but at least one.
func fit[T any](c *call, items []T, limit int) (int, error) {
	for i := range items[:min(limit, len(items))] {
		text, err := json.Marshal(items[i])
		if err != nil {
			return 0, err
		}
		if c.listed += len(text); c.listed > answerBytes && i > 0 {
			return i, nil
		}
	}
	return min(limit, len(items)), nil
}

// fitLast returns the number of items to show from the end of the list.
func fitLast[T any](c *call, items []T, limit int) (int, error) {
	backwards := slices.Clone(items)
	slices.Reverse(backwards)
	return fit(c, backwards, limit)
}

// clip cuts a text to clipListed bytes.
func clip(text string) string {
	end := clipListed
	if len(text) <= end {
		return text
	}
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// cut cuts a text to mostBytes and adds a line that says so.
func cut(text string) string {
	if len(text) <= mostBytes {
		return text
	}
	end := mostBytes - 200
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return fmt.Sprintf("%s\n[The answer was cut after %d of %d bytes. Request less, or use the turnstile command.]", text[:end], end, len(text))
}

// within returns given, or otherwise if given is 0. It returns an error unless given is 0 to most.
func within(name string, given, most, otherwise int) (int, error) {
	switch {
	case given == 0:
		return otherwise, nil
	case given < 0 || given > most:
		return 0, fmt.Errorf("%s %d: must be 1 to %d", name, given, most)
	}
	return given, nil
}
