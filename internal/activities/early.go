package activities

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An operator may start an attempt early, while it waits for the delay of its retry. The message of the retry is on its
// way by then and cannot be deleted. So the operator's message is a second one, and a claim says which of the two runs
// the attempt. The token of the claim begins with the id of the operator's message, which contains the time at which the
// other message is due. The due times of messages that earlier claims of the activity have barred follow:
//
//	early-1700000600000-5f3c…,1700000300000
//
// A barred message is identified by its due time and not by its attempt number, because an activity that was sent again
// from its first attempt has several attempts with the same number.

const earlyPrefix, leftPrefix = "early-", "due-"

// mostBarred is the maximum number of earlier messages that a claim bars.
const mostBarred = 50

// EarlyID returns the id of the message that runs, for this request, an attempt before it is due.
func EarlyID(due time.Time, request string) string {
	sum := sha256.Sum256([]byte(request))
	return earlyPrefix + strconv.FormatInt(due.UnixMilli(), 10) + "-" + hex.EncodeToString(sum[:8])
}

// EarlyDue returns when the attempt of an early message is due; false if the id is not that of an early message.
func EarlyDue(id string) (time.Time, bool) {
	rest, early := strings.CutPrefix(id, earlyPrefix)
	ms, _, _ := strings.Cut(rest, "-")
	n, err := strconv.ParseInt(ms, 10, 64)
	return time.UnixMilli(n), early && err == nil
}

// EarlyClaim returns the token of the claim of the message with this id. With left, the token leaves the attempt to the
// due message, and no early message can run it from then on. before is the token of the previous claim.
func EarlyClaim(id string, left bool, before string) string {
	head := id
	if left {
		due, _ := EarlyDue(id)
		head = leftPrefix + strconv.FormatInt(due.UnixMilli(), 10)
	}
	bars := barred(before)
	return strings.Join(append([]string{head}, bars[:min(len(bars), mostBarred)]...), ",")
}

// IsClaimOf reports whether a claim with this token belongs to the message with this id.
func IsClaimOf(token, id string) bool {
	head, _, _ := strings.Cut(token, ",")
	return head == id
}

// BarsDue reports whether the claim with this token bars the message that is due at this time, in Unix milliseconds.
func BarsDue(token string, dueMS int64) bool {
	return OfRetry(token) && slices.Contains(barred(token), strconv.FormatInt(dueMS, 10))
}

// barred returns the due times of the messages that a claim bars, the newest first.
func barred(token string) []string {
	if !OfRetry(token) {
		return nil
	}
	all := strings.Split(token, ",")
	due, early := EarlyDue(all[0])
	if !early {
		return all[1:]
	}
	all[0] = strconv.FormatInt(due.UnixMilli(), 10)
	return all
}

// OfRetry reports whether a token belongs to a claim for or against an early attempt, and not to the claim of an
// at-most-once attempt.
func OfRetry(token string) bool {
	return strings.HasPrefix(token, earlyPrefix) || strings.HasPrefix(token, leftPrefix)
}
