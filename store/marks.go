package store

import (
	"slices"
	"strings"
)

const (
	// MaxMarks is how many marks of starts and purges Record.Purges keeps: those
	// of the last seven lives of an id, or of a batch of ten messages and the lives
	// before it.
	MaxMarks = 15
	// MaxMessageMarks is how many it keeps of messages that stood ahead of a purge
	// in its batch, which has ten at most. They come again only as long as no later
	// batch of their group has come.
	MaxMessageMarks = 10
)

// MessageMark begins the mark of a message.
const MessageMark = "-m"

// AddMarks adds marks to those that a record has, each but once, and keeps the
// newest MaxMarks, and the newest MaxMessageMarks of messages. A mark is a "-" and
// a word without one.
func AddMarks(have, marks string) string {
	for mark := range strings.SplitSeq(strings.TrimPrefix(marks, "-"), "-") {
		if mark != "" && !strings.Contains(have+"-", "-"+mark+"-") {
			have += "-" + mark
		}
	}
	messages := strings.Count(have, MessageMark)
	if messages <= MaxMessageMarks && strings.Count(have, "-")-messages <= MaxMarks {
		return have
	}
	list := strings.Split(have, "-")[1:]
	left := map[bool]int{false: MaxMarks, true: MaxMessageMarks}
	kept := ""
	for _, mark := range slices.Backward(list) {
		ofMessage := strings.HasPrefix("-"+mark, MessageMark)
		if left[ofMessage]--; left[ofMessage] >= 0 {
			kept = "-" + mark + kept
		}
	}
	return kept
}
