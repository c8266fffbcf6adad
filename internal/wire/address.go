package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
)

// maxGroup is the maximum length of a message group or deduplication id of SQS.
const maxGroup = 128

// Group returns the message group of an instance: its id if SQS accepts it (1 to 128
// characters of ASCII letters, digits and punctuation), otherwise "sha256-" and the
// SHA-256 of the id in lower-case hex. Two instances that share a group only wait for
// each other, because the instance named in the body decides. Without an instance it
// returns SweepGroup.
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

// DedupID returns the explicit deduplication id of an item. It is derived from the fact
// that the item reports, not from its bytes: SQS drops the same fact if it is sent again
// within five minutes, and delivers two facts with equal content. It is the kind and a
// SHA-256 in hex, less than 128 characters.
//
// Apart from the kind, the fact consists of the instance and
//   - StartOrchestration: the id; ExternalRaised: the id and the name
//   - CancelInstance, TerminateInstance, SuspendInstance, ResumeInstance, Wake,
//     PurgeInstance: the id, the execution and the number; FireTimer and RetryActivity: the
//     id, the execution, the event and the attempt
//   - Sweep, InstanceEvent: the id
//   - ActivityExecute: execution, scheduling event, attempt
//   - ActivityPending: execution, source event, token, attempt, and the time of its next
//     check; a worker adds the delivery of the attempt
//   - completions: execution, source event and token, so that a forged completion cannot
//     suppress the true one
//
// and for all of them the number of times that the item went through the delay queue, so
// that SQS does not drop its resend.
//
// DedupID returns "" for an item that should have an id and has none (see WithID): SQS
// then uses the hash of the body.
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
		number = i.NotBeforeMS // Each check is a fact of its own.
	}
	h.number(number)
	h.number(i.UpToExecution)
	h.number(i.SchedulingEventID)
	h.number(i.SourceEventID)
	attempt := i.Attempt
	if i.Kind == ActivityCompleted || i.Kind == ActivityFailed {
		attempt = 0 // No matter which attempt ended the activity, it ended once.
	}
	h.number(int64(attempt))
	h.text(i.Token)
	h.number(int64(i.Hops))
	return h.id(string(i.Kind))
}

// HopDedupID returns the deduplication id of a message that is moved from one queue to
// another, or sent again from a dead-letter queue. It is derived from the fact, which is
// the DedupID of the item or "" if the body is not an item, and from the id of the
// message that is moved, because SQS remembers a deduplication id after the message is
// deleted. A move that is repeated gives one message.
func HopDedupID(dedupID, messageID string) string {
	h := fact{}
	h.text(dedupID)
	h.text(messageID)
	return h.id("hop")
}

// fact collects the values that identify a message. Different lists of values have
// different bytes.
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

// WithID returns the item with an id: its own or, if a kind that carries an id was sent
// without one, the id of the SQS message that delivered it. The id must be written into
// the body before the item is forwarded, because the next message has another id. Events
// of a start that have no id get the id of the start, "#" and their index from 0.
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
