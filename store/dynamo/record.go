package dynamo

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// Record returns the item of an instance record, as a start writes it.
func (e *Encoder) Record(r *store.Record) (attributes, error) {
	a := make(attributes, 24)
	a["instance"] = text(r.Instance)
	a["execution_id"] = number(r.ExecutionID)
	setText(a, "start_id", r.StartID)
	setText(a, "reserved", reservedText(r.Reserved))
	if r.Purged {
		a["purged"] = flag()
		setTime(a, "free_at", r.FreeAt)
		return a, nil
	}
	setText(a, "name", r.Name)
	setText(a, "version", r.Version)
	setText(a, "status", string(r.Status))
	setTime(a, "created_at", r.CreatedAt)
	setTime(a, "updated_at", r.UpdatedAt)
	setTime(a, "ended_at", r.EndedAt)
	setTime(a, "looped_at", r.LoopedAt)
	setNumber(a, "first_execution", r.FirstExecution)
	setNumber(a, "pruned", r.Pruned)
	setText(a, "states_codec", r.StatesCodec)
	setText(a, "codec", r.Codec)
	setText(a, "suspect", r.Suspect)
	setText(a, "fairness_group", r.FairnessGroup)
	setText(a, "dispatched", r.Dispatched)
	setText(a, "unreported", r.Unreported)
	setNumber(a, "stamp", r.Stamp)
	setNumber(a, "forked", r.Forked)
	if len(r.States) > 0 {
		a["states"] = e.compressor.value(r.States)
	}
	if len(r.Output) > 0 {
		a["output"] = e.compressor.value(r.Output)
	}
	for name, v := range map[string]any{"failure": toFailure(r.Failure), "parent": (*parentJSON)(r.Parent), "problem": r.Problem, "suspension": r.Suspension, "awaits": r.Awaits, "origin": r.Origin, "earlier_starts": r.EarlierStarts, "forks": r.Forks, "skipped": r.Skipped} {
		s, err := jsonText(v)
		if err != nil {
			return nil, fmt.Errorf("store: record of instance %q: %s: %w", r.Instance, name, err)
		}
		setText(a, name, s)
	}
	setSearch(a, r.SearchAttributes)
	shard := e.shard(r.Instance)
	a["all_shard"] = text(shard)
	a["status_shard"] = text(string(r.Status) + "#" + shard)
	a["name_shard"] = text(r.Name + "#" + shard)
	a["list_key"] = text(r.ListKey())
	return a, nil
}

// shard returns the index shard of an instance, "0" to Shards-1.
func (e *Encoder) shard(instance string) string {
	h := fnv.New32a()
	h.Write([]byte(instance))
	return strconv.FormatUint(uint64(h.Sum32()%uint32(e.shards)), 10)
}

func setText(a attributes, name, s string) {
	if s != "" {
		a[name] = text(s)
	}
}

func setNumber(a attributes, name string, n int64) {
	if n != 0 {
		a[name] = number(n)
	}
}

func setTime(a attributes, name string, t time.Time) {
	if !t.IsZero() {
		a[name] = number(t.UnixMilli())
	}
}

func decodeRecord(a attributes) (store.Record, error) {
	r := store.Record{
		Instance: textOf(a, "instance"), ExecutionID: numberOf(a, "execution_id"), StartID: textOf(a, "start_id"),
		Reserved: reservedOf(a), Purged: flagOf(a, "purged"), FreeAt: timeOf(a, "free_at"),
	}
	if r.Purged {
		return r, nil
	}
	r.Name, r.Version, r.Status = textOf(a, "name"), textOf(a, "version"), store.Status(textOf(a, "status"))
	r.CreatedAt, r.UpdatedAt, r.EndedAt = timeOf(a, "created_at"), timeOf(a, "updated_at"), timeOf(a, "ended_at")
	r.LoopedAt = timeOf(a, "looped_at")
	r.FirstExecution, r.Pruned, r.Stamp = numberOf(a, "first_execution"), numberOf(a, "pruned"), numberOf(a, "stamp")
	r.Forked = numberOf(a, "forked")
	r.StatesCodec, r.Codec = textOf(a, "states_codec"), textOf(a, "codec")
	r.Suspect, r.Dispatched = textOf(a, "suspect"), textOf(a, "dispatched")
	r.Unreported = textOf(a, "unreported")
	r.FairnessGroup = textOf(a, "fairness_group")
	var err error
	fail := func(name string, err error) (store.Record, error) {
		return store.Record{}, fmt.Errorf("store: record of instance %q cannot be read: attribute %s: %w", r.Instance, name, err)
	}
	if r.States, err = bytesOf(a, "states"); err != nil {
		return fail("states", err)
	}
	if r.Output, err = bytesOf(a, "output"); err != nil {
		return fail("output", err)
	}
	if r.SearchAttributes, err = searchOf(a); err != nil {
		return fail("search attributes", err)
	}
	var f *failureJSON
	var p *parentJSON
	for name, v := range map[string]any{"failure": &f, "parent": &p, "problem": &r.Problem, "suspension": &r.Suspension, "awaits": &r.Awaits, "origin": &r.Origin, "earlier_starts": &r.EarlierStarts, "forks": &r.Forks, "skipped": &r.Skipped} {
		if err = fromJSON(a, name, v); err != nil {
			return fail(name, err)
		}
	}
	r.Failure, r.Parent = f.failure(), (*history.Parent)(p)
	return r, nil
}

func timeOf(a attributes, name string) time.Time {
	if a[name] == nil {
		return time.Time{}
	}
	return time.UnixMilli(numberOf(a, name)).UTC()
}

// reservedText returns a reservation as "<number> <start id>", empty for none.
func reservedText(v store.Reservation) string {
	if v.ExecutionID == 0 {
		return ""
	}
	return strconv.FormatInt(v.ExecutionID, 10) + " " + v.StartID
}

func reservedOf(a attributes) (v store.Reservation) {
	n, start, _ := strings.Cut(textOf(a, "reserved"), " ")
	v.ExecutionID, _ = strconv.ParseInt(n, 10, 64) // 0 if the record has none.
	v.StartID = start
	return v
}

// jsonText returns the JSON of a pointer or a list, empty for nil.
func jsonText(v any) (string, error) {
	b, err := json.Marshal(v)
	if err != nil || string(b) == "null" {
		return "", err
	}
	return string(b), nil
}

func fromJSON(a attributes, name string, v any) error {
	s := textOf(a, name)
	if s == "" {
		return nil
	}
	return json.Unmarshal([]byte(s), v)
}

// parentJSON is history.Parent as it is stored in the table.
type parentJSON history.Parent

type parentFields struct {
	Instance    string `json:"instance"`
	ExecutionID int64  `json:"execution_id"`
	EventID     int64  `json:"event_id"`
	AtMS        int64  `json:"at_ms,omitempty"`
	Token       string `json:"token"`
}

func (p *parentJSON) MarshalJSON() ([]byte, error) {
	return json.Marshal((*parentFields)(p))
}

func (p *parentJSON) UnmarshalJSON(b []byte) error { return json.Unmarshal(b, (*parentFields)(p)) }

// failureJSON is history.Failure as it is stored in the table. Details are a string, because their
// bytes must not change.
type failureJSON struct {
	Kind      string `json:"kind,omitempty"`
	Message   string `json:"message"`
	Code      string `json:"code,omitempty"`
	Source    string `json:"source,omitempty"`
	Instance  string `json:"instance,omitempty"`
	Attempt   int    `json:"attempt,omitempty"`
	Retryable bool   `json:"retryable,omitempty"`
	Stack     string `json:"stack,omitempty"`
	Details   string `json:"details,omitempty"`
}

func toFailure(f *history.Failure) *failureJSON {
	if f == nil {
		return nil
	}
	return &failureJSON{f.Kind, f.Message, f.Code, f.Source, f.Instance, f.Attempt, f.Retryable, f.Stack, string(f.Details)}
}

func (f *failureJSON) failure() *history.Failure {
	if f == nil {
		return nil
	}
	h := &history.Failure{Kind: f.Kind, Message: f.Message, Code: f.Code, Source: f.Source, Instance: f.Instance, Attempt: f.Attempt, Retryable: f.Retryable, Stack: f.Stack}
	if f.Details != "" {
		h.Details = []byte(f.Details)
	}
	return h
}
