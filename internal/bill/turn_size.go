package bill

import (
	"bytes"
	"compress/gzip"
	"strconv"
	"unicode/utf8"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// compressOver is the size from which a document is stored compressed by default, in bytes.
const compressOver = 2 << 10

// TurnSize returns the size of the item that stores a turn: its events as history.Encode writes them, and the
// other attributes (docs/design.md).
func TurnSize(turn *store.Turn) int {
	const digest = 22
	token := len(turn.Token)
	if token == 0 {
		token = 32
	}
	n := len("execution") + len(strconv.FormatInt(turn.ExecutionID, 10)) + 1 + len(turn.Instance) +
		len("event_id") + numberSize(turn.First()) + len("events") + len("token") + token + len("digest") + digest
	if turn.Messaged {
		n += len("messaged") + 1
	}
	if turn.Parked {
		n += len("parked") + 1
	}
	if len(turn.Cancelled) > 0 {
		n += len("cancelled") + len(turn.Cancelled) - 1
		for _, id := range turn.Cancelled {
			n += len(strconv.FormatInt(id, 10))
		}
	}
	if len(turn.Reasons) > 0 {
		n += len("reasons") + len(turn.EncodeReasons())
	}
	doc := history.Encode(turn.Events)
	return n + StoredSize(doc)
}

// StoredSize returns the size of a value as the table stores it: compressed if the value is larger than 2 KiB and
// compression makes it smaller.
func StoredSize(doc []byte) int {
	isText := utf8.Valid(doc)
	if isText && len(doc) <= compressOver {
		return len(doc)
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	// A bytes.Buffer never fails.
	_, _ = w.Write(doc)
	_ = w.Close()
	if isText {
		return min(z.Len(), len(doc))
	}
	return z.Len()
}

// numberSize returns the size of a positive number in DynamoDB: half a byte per digit, plus one byte; trailing
// zeros are not counted.
func numberSize(n int64) int {
	for n != 0 && n%10 == 0 {
		n /= 10
	}
	return (len(strconv.FormatInt(n, 10))+1)/2 + 1
}
