package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
)

// maxGroup is the length of a message group or deduplication id of SQS.
const maxGroup = 128

// Group returns the message group of an instance: its id where SQS takes it
// (1 to 128 characters of ASCII letters, digits and punctuation), else
// "sha256-" and the SHA-256 of the id in lower-case hex. Two instances that
// share a group only wait for each other; the instance named in the body is
// what counts. Of no instance it is SweepGroup.
func Group(instance string) string {
	if instance == "" {
		return SweepGroup
	}
	plain := instance != "" && len(instance) <= maxGroup
	for i := 0; plain && i < len(instance); i++ {
		plain = instance[i] > ' ' && instance[i] <= '~'
	}
	if plain {
		return instance
	}
	sum := sha256.Sum256([]byte(instance))
	return "sha256-" + hex.EncodeToString(sum[:])
}

// SweepGroup is the message group of a Sweep.
const SweepGroup = "turnstile-sweep"

// DedupID returns the explicit deduplication id of an item, derived from the
// fact that it stands for, not from its bytes: who sends the same fact again
// within five minutes is not heard twice, and two facts with equal content are
// both heard. It is the kind and a SHA-256 in hex, less than 128 characters.
//
// The fact is, besides the kind, the instance and
//   - StartOrchestration: the id; ExternalRaised: the id and the name
//   - CancelInstance, TerminateInstance, SuspendInstance, ResumeInstance, Wake,
//     PurgeInstance: the id, the execution and the number; FireTimer and RetryActivity: the
//     id, the execution, the event and the attempt
//   - Sweep, InstanceEvent: the id
//   - ActivityExecute: execution, scheduling event, attempt
//   - ActivityPending: execution, source event, token, attempt, and when it
//     looks again; a worker adds the delivery of the attempt
//   - completions: execution, source event and token, so that a
//     forged one can't keep out the true one
//
// and for all of them how often the item has gone round the delay queue, so
// that its resend is not swallowed.
//
// An item that should carry an id and has none (see WithID) gives "": SQS then
// takes the hash of the body.
func DedupID(i *Item) string {
	if i.Kind.CarriesID() && i.ID == "" {
		return ""
	}
	h := make(fact, 0, 256)
	h.text(i.Target())
	h.number(i.TargetExecution())
	h.text(i.ID)
	h.text(i.Name)
	number := i.Number
	if i.Kind == ActivityPending {
		number = i.NotBeforeMS // It asks again each time.
	}
	h.number(number)
	h.number(i.UpToExecution)
	h.number(i.SchedulingEventID)
	h.number(i.SourceEventID)
	attempt := i.Attempt
	if i.Kind == ActivityCompleted || i.Kind == ActivityFailed {
		attempt = 0 // Whichever attempt ended the activity: it ended once.
	}
	h.number(int64(attempt))
	h.text(i.Token)
	h.number(int64(i.Hops))
	return h.id(string(i.Kind))
}

// HopDedupID returns the deduplication id of a message that is moved from one
// queue to another, or sent again from a dead-letter queue: it is derived from
// the fact, which is DedupID of the item or "" for a body that is none, and
// from the id of the message that makes the hop, for SQS remembers the id of
// a message beyond its deletion. A hop that is made twice is one message.
func HopDedupID(dedupID, messageID string) string {
	h := fact{}
	h.text(dedupID)
	h.text(messageID)
	return h.id("hop")
}

// fact collects what identifies a send; no two lists of values have the same
// bytes.
type fact []byte

func (f *fact) text(s string) {
	f.number(int64(len(s)))
	*f = append(*f, s...)
}

func (f *fact) number(n int64) {
	*f = strconv.AppendInt(*f, n, 10)
	*f = append(*f, ' ')
}

func (f fact) id(prefix string) string {
	b := make([]byte, 0, 320)
	b = append(append(append(b, prefix...), ' '), f...)
	sum := sha256.Sum256(b)
	b = append(append(b[:0], prefix...), '-')
	return string(hex.AppendEncode(b, sum[:]))
}

// WithID returns the item with the id that it goes by: its own, or, for a kind
// that carries one and was sent without, the id of the SQS message in which it
// came. It has to be written into the body before any forward, for the next
// message has another id. Events that a start brings and that have no id get
// that of the start, "#" and their place from 0.
func (i Item) WithID(messageID string) Item {
	if !i.Kind.CarriesID() {
		return i
	}
	if i.ID == "" {
		i.ID = messageID
	}
	i.Events = slices.Clone(i.Events)
	for n := range i.Events {
		if e := &i.Events[n]; e.ID == "" {
			e.ID = i.ID + "#" + strconv.Itoa(n)
		}
	}
	return i
}
