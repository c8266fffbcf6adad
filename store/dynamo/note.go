package dynamo

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/store"
)

// The notes of failed attempts are stored in attributes that are used in turn, so that a note can
// be written without reading the others: the note of attempt n is in the attribute n modulo their
// number. The newest note is also stored there, so that it stays when the next one is noted.
const noteSlots = store.MaxEarlier + 1

// noteName is the attribute of the note of an attempt.
func noteName(attempt int) string { return "n" + strconv.Itoa(attempt%noteSlots) }

// noteText encodes a note for its attribute: the attempt, when the attempt before it failed, how long
// that took in milliseconds (empty if unknown), its request, the kind of its failure, and the message.
// After the request comes the actor who asked for that attempt, if there is one.
func noteText(next store.NextAttempt) string {
	next = next.Earlier()
	took := ""
	if !next.StartedAt.IsZero() {
		took = strconv.FormatInt(next.NotedAt.UnixMilli()-next.StartedAt.UnixMilli(), 10)
	}
	request := strings.Map(func(r rune) rune {
		if r == ' ' || r == '\t' {
			return -1
		}
		return r
	}, next.RequestID)
	if next.Actor != "" {
		request += "\t" + url.QueryEscape(next.Actor)
	}
	return strings.Join([]string{strconv.Itoa(next.Attempt), strconv.FormatInt(next.NotedAt.UnixMilli(), 10), took, request, next.Kind, next.Message}, " ")
}

// noteOf decodes the text of a note; the zero value if it is invalid.
func noteOf(s string) (n store.NextAttempt) {
	parts := strings.SplitN(s, " ", 6)
	if len(parts) != 6 {
		return n
	}
	attempt, err1 := strconv.Atoi(parts[0])
	noted, err2 := strconv.ParseInt(parts[1], 10, 64)
	if err1 != nil || err2 != nil {
		return n
	}
	n = store.NextAttempt{Attempt: attempt, NotedAt: time.UnixMilli(noted).UTC(), Kind: parts[4], Message: parts[5]}
	request, actor, _ := strings.Cut(parts[3], "\t")
	n.RequestID = request
	if actor, err := url.QueryUnescape(actor); err == nil {
		n.Actor = actor
	}
	if took, err := strconv.ParseInt(parts[2], 10, 64); err == nil {
		n.StartedAt = time.UnixMilli(noted - took).UTC()
	}
	return n
}

// addNotes adds the notes of the attempts before the next one. For the last of these, it also adds
// the fields that only its note has.
func addNotes(s *store.ActivityState, item attributes) {
	for attempt := max(s.Next.Attempt-store.MaxEarlier, 1); attempt <= s.Next.Attempt; attempt++ {
		switch n := noteOf(textOf(item, noteName(attempt))); {
		case n.Attempt != attempt: // The attempt was not noted, or a build noted it that keeps only the newest.
		case attempt < s.Next.Attempt:
			s.Earlier = append(s.Earlier, n)
		default:
			s.Next.StartedAt, s.Next.RequestID, s.Next.Actor = n.StartedAt, n.RequestID, n.Actor
		}
	}
}
