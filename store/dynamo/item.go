package dynamo

import (
	"strconv"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Encoder makes items of turns and records. It makes no requests: what meters
// costs can use it without a client.
type Encoder struct {
	compressor compressor
	shards     int
}

// NewEncoder returns the encoder of a store with that configuration.
func NewEncoder(config Config) *Encoder {
	config = config.withDefaults()
	return &Encoder{compressor: compressor{over: config.CompressOver}, shards: config.Shards}
}

// Item is one item of the history table.
type Item struct {
	Attributes attributes
	// Size as DynamoDB counts it.
	Size int
	// first event of the item; token and digest of its turn.
	first         int64
	token, digest string
}

func executionKey(instance string, executionID int64) string {
	b := make([]byte, 0, 20+len(instance))
	b = strconv.AppendInt(b, executionID, 10)
	b = append(b, '#')
	return string(append(b, instance...))
}

// Turn returns the items that a valid turn is stored as, in order: one, or
// several if it is over MaxItem. *store.TooLargeError if one event is.
func (e *Encoder) Turn(t *store.Turn) ([]Item, error) {
	doc := history.Encode(t.Events)
	digest := t.Digest(doc)
	if it := e.item(t, t.Events, doc, digest, true, false); it.Size <= MaxItem {
		return []Item{it}, nil
	}
	items, err := e.split(nil, t, t.Events, digest)
	if err != nil || len(items) == 1 {
		return items, err
	}
	for i := range items {
		it := &items[i]
		it.Attributes["part"] = number(int64(i + 1))
		it.Attributes["parts"] = number(int64(len(items)))
		it.Attributes["turn"] = number(t.First())
		it.Size = ItemSize(it.Attributes)
	}
	return items, nil
}

// partSize is what part, parts and turn may add to an item.
const partSize = len("part") + len("parts") + len("turn") + 3*12

// split halves a run of events until each half fits an item, and appends the
// items.
func (e *Encoder) split(items []Item, t *store.Turn, events []history.Event, digest string) ([]Item, error) {
	it := e.item(t, events, history.Encode(events), digest, len(items) == 0, true)
	if it.Size+partSize <= MaxItem {
		return append(items, it), nil
	}
	if len(events) == 1 {
		return nil, &store.TooLargeError{
			Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: events[0].EventID,
			What: payloadName(&events[0]), EventSize: it.Size, CommitSize: it.Size, Limit: "400 KB an item",
		}
	}
	half := middle(events)
	items, err := e.split(items, t, events[:half], digest)
	if err != nil {
		return nil, err
	}
	return e.split(items, t, events[half:], digest)
}

// middle returns where to cut a run of two or more events into halves of about
// equal size.
func middle(events []history.Event) int {
	const envelope = 100
	total := 0
	for i := range events {
		total += envelope + len(events[i].Payload)
	}
	sum := 0
	for i := range events[:len(events)-1] {
		sum += envelope + len(events[i].Payload)
		if sum >= total/2 {
			return i + 1
		}
	}
	return len(events) - 1
}

func payloadName(e *history.Event) string {
	t := store.Turn{Events: []history.Event{*e}}
	_, what, _ := t.Largest()
	return what
}

func (e *Encoder) item(t *store.Turn, events []history.Event, doc []byte, digest string, head, compressed bool) Item {
	a := make(attributes, 8)
	a["execution"] = text(executionKey(t.Instance, t.ExecutionID))
	a["event_id"] = number(events[0].EventID)
	a["events"] = e.compressor.value(doc, compressed)
	a["token"] = text(t.Token)
	a["digest"] = text(digest)
	if head {
		if t.Messaged {
			a["messaged"] = flag()
		}
		if t.Parked {
			a["parked"] = flag()
		}
		if len(t.Cancelled) > 0 {
			a["cancelled"] = text(joinIDs(t.Cancelled))
		}
	}
	return Item{Attributes: a, Size: ItemSize(a), first: events[0].EventID, token: t.Token, digest: digest}
}

// own reports whether the item found in the slot of it was written by the
// same append.
func (it *Item) own(found attributes) bool {
	return textOf(found, "token") == it.token && textOf(found, "digest") == it.digest
}

func joinIDs(ids []int64) string {
	b := make([]byte, 0, 8*len(ids))
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, id, 10)
	}
	return string(b)
}

func splitIDs(s string) ([]int64, error) {
	if s == "" {
		return nil, nil
	}
	ids := make([]int64, 0, strings.Count(s, ",")+1)
	for f := range strings.SplitSeq(s, ",") {
		id, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}
