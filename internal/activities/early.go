package activities

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"
)

// An operator may have an attempt made that waits for the delay of its retry. The message by
// which it is due is on its way then, and cannot be taken back. So the operator's is a second
// one, and a claim says which of the two is done. Its token begins with the id of the
// operator's message, which says when the other is due, and goes on with the times of those
// that earlier claims of the activity have left out:
//
//	early-1700000600000-5f3c…,1700000300000
//
// A message that is left out is known by its time, because an activity that was sent again
// from its first attempt on has another attempt of the same number.

const earlyPrefix, leftPrefix = "early-", "due-"

// mostBarred bounds how many earlier messages a claim leaves out.
const mostBarred = 50

// EarlyID is the id of the message by which the attempt that is due then is made before, for
// this request.
func EarlyID(due time.Time, request string) string {
	sum := sha256.Sum256([]byte(request))
	return earlyPrefix + strconv.FormatInt(due.UnixMilli(), 10) + "-" + hex.EncodeToString(sum[:8])
}

// EarlyDue is when the attempt is due that the message with this id makes early; false for any
// other id.
func EarlyDue(id string) (time.Time, bool) {
	rest, early := strings.CutPrefix(id, earlyPrefix)
	ms, _, _ := strings.Cut(rest, "-")
	n, err := strconv.ParseInt(ms, 10, 64)
	return time.UnixMilli(n), early && err == nil
}

// EarlyClaim is the token of the claim of the message with this id, or, where that is left to
// the message which is due, of a claim for that one: nobody makes the attempt early from then
// on. before is the token of the claim that it follows.
func EarlyClaim(id string, left bool, before string) string {
	head := id
	if left {
		due, _ := EarlyDue(id)
		head = leftPrefix + strconv.FormatInt(due.UnixMilli(), 10)
	}
	bars := barred(before)
	return strings.Join(append([]string{head}, bars[:min(len(bars), mostBarred)]...), ",")
}

// IsClaimOf reports whether a claim with this token is that of the message with the id.
func IsClaimOf(token, id string) bool {
	head, _, _ := strings.Cut(token, ",")
	return head == id
}

// BarsDue reports whether the claim with this token leaves out the message that is due at this
// time, in Unix milliseconds.
func BarsDue(token string, dueMS int64) bool {
	return OfRetry(token) && slices.Contains(barred(token), strconv.FormatInt(dueMS, 10))
}

// barred are the times of the messages that a claim leaves out, the newest first.
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

// OfRetry reports whether a token is of a claim for or against an early attempt, and not one by
// which an attempt runs at most once.
func OfRetry(token string) bool {
	return strings.HasPrefix(token, earlyPrefix) || strings.HasPrefix(token, leftPrefix)
}
