package dynamo

import (
	"strconv"
	"strings"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Encoder encodes turns and records as items. It makes no requests, so a cost meter can use it without
// a client.
type Encoder struct {
	compressor compressor
	shards     int
}

// NewEncoder returns the encoder of a store with this configuration.
func NewEncoder(config Config) *Encoder {
	config = config.withDefaults()
	over := config.CompressOver
	if over < 0 || over > mustCompress {
		over = mustCompress
	}
	return &Encoder{compressor: compressor{over: over}, shards: config.Shards}
}

// mustCompress is the size above which a value is always compressed, whatever the configuration,
// because the rest of the item needs room.
const mustCompress = MaxItem - 8<<10

// Item is one item of the history table.
type Item struct {
	Attributes attributes
	// Size as DynamoDB counts it.
	Size int
	// first is the item's first event; token and digest are those of its turn.
	first         int64
	token, digest string
}

// First returns the event id of the item's first event: its slot.
func (it *Item) First() int64 { return it.first }

func executionKey(instance string, executionID int64) string {
	b := make([]byte, 0, 20+len(instance))
	b = strconv.AppendInt(b, executionID, 10)
	b = append(b, '#')
	return string(append(b, instance...))
}

// Turn returns the items in which a valid turn is stored, in order: one item, or several if the
// turn exceeds MaxItem. Error: *store.TooLargeError if one event is too large for an item.
func (e *Encoder) Turn(t *store.Turn) ([]Item, error) {
	doc := history.Encode(t.Events)
	digest := t.Digest(doc)
	items, err := e.split(nil, t, t.Events, doc, digest)
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

// partSize is the most that part, parts and turn add to an item.
const partSize = len("part") + len("parts") + len("turn") + 3*12

// split appends the item of a run of events, whose document is doc. If the item is too large, split
// divides the run into as many shorter runs as its size requires, and appends an item for each.
func (e *Encoder) split(items []Item, t *store.Turn, events []history.Event, doc []byte, digest string) ([]Item, error) {
	size := e.compressor.estimate(doc)
	if size <= MaxItem*11/10 || len(events) == 1 {
		it := e.item(t, events, doc, digest, len(items) == 0)
		if it.Size+partSize <= MaxItem {
			items = append(items, it)
			if sum := sizeOf(items); sum > MaxTransaction {
				// The rest of the turn need not be compressed to detect that.
				id, what, n := t.Largest()
				return nil, &store.TooLargeError{Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: id, What: what, EventSize: n,
					CommitSize: sum, Limit: "4 MB a transaction"}
			}
			return items, nil
		}
		size = it.Size
	}
	if len(events) == 1 {
		return nil, &store.TooLargeError{
			Instance: t.Instance, ExecutionID: t.ExecutionID, EventID: events[0].EventID,
			What: payloadName(&events[0]), EventSize: size, CommitSize: size, Limit: "400 KB an item",
		}
	}
	const aim = MaxItem * 9 / 10
	var err error
	for _, run := range cut(events, size/aim+1) {
		if items, err = e.split(items, t, run, history.Encode(run), digest); err != nil {
			return nil, err
		}
	}
	return items, nil
}

func sizeOf(items []Item) (sum int) {
	for i := range items {
		sum += items[i].Size
	}
	return sum
}

// cut divides two or more events into n runs (at least 2, at most one per event) of about equal
// size. A run ends before an event that would make it exceed its share by more than it falls short
// without that event.
func cut(events []history.Event, n int) [][]history.Event {
	n = min(max(n, 2), len(events))
	total := 0
	for i := range events {
		total += aboutSize(&events[i])
	}
	runs := make([][]history.Event, 0, n)
	begin, sum := 0, 0
	for i := range events[:len(events)-1] {
		sum += aboutSize(&events[i])
		behind, missing := len(events)-i-1, n-len(runs)-1
		share := total / n * (len(runs) + 1)
		if missing > 0 && (sum+aboutSize(&events[i+1])/2 >= share || behind == missing) {
			runs = append(runs, events[begin:i+1])
			begin = i + 1
		}
	}
	return append(runs, events[begin:])
}

func aboutSize(e *history.Event) int { return 100 + len(e.Payload) }

func payloadName(e *history.Event) string {
	t := store.Turn{Events: []history.Event{*e}}
	_, what, _ := t.Largest()
	return what
}

func (e *Encoder) item(t *store.Turn, events []history.Event, doc []byte, digest string, head bool) Item {
	a := make(attributes, 8)
	a["execution"] = text(executionKey(t.Instance, t.ExecutionID))
	slot := events[0].EventID
	a["event_id"] = number(slot)
	a["events"] = e.compressor.value(doc)
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
		if len(t.Reasons) > 0 {
			a["reasons"] = text(t.EncodeReasons())
		}
	}
	return Item{Attributes: a, Size: ItemSize(a), first: slot, token: t.Token, digest: digest}
}

// own reports whether the item found in its slot was written by the same append.
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
