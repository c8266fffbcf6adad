package store

import "strings"

// MaxMarks is how many marks Record.Purges keeps: of the start, the purge and its
// message of each of the last five lives. A batch of the FIFO queue that comes
// again has ten messages at most.
const MaxMarks = 15

// AddMarks adds marks to those that a record has, each but once, and keeps the
// newest MaxMarks. A mark is a "-" and a word without one.
func AddMarks(have, marks string) string {
	for mark := range strings.SplitSeq(strings.TrimPrefix(marks, "-"), "-") {
		if mark != "" && !strings.Contains(have+"-", "-"+mark+"-") {
			have += "-" + mark
		}
	}
	for range strings.Count(have, "-") - MaxMarks {
		have = have[1+strings.IndexByte(have[1:], '-'):]
	}
	return have
}
