package history_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/turnstile-go/turnstile/history"
)

// The format decoded by encoding/json instead: slow, and too simple to have the same bugs
// as the decoder.
type plainEvent struct {
	EventID       int64  `json:"event_id"`
	Kind          string `json:"kind"`
	AtMS          int64  `json:"at_ms"`
	SourceEventID int64  `json:"source_event_id"`
	Name          string `json:"name"`
	Version       string `json:"version"`
	Instance      string `json:"instance"`
	ForkOf        string `json:"fork_of"`
	Label         string `json:"label"`

	Input  json.RawMessage `json:"input"`
	Output json.RawMessage `json:"output"`
	Result json.RawMessage `json:"result"`
	Data   json.RawMessage `json:"data"`
	Value  json.RawMessage `json:"value"`

	InputBase64  []byte `json:"input_base64"`
	OutputBase64 []byte `json:"output_base64"`
	ResultBase64 []byte `json:"result_base64"`
	DataBase64   []byte `json:"data_base64"`
	ValueBase64  []byte `json:"value_base64"`

	Codec        string         `json:"codec"`
	FireAtMS     int64          `json:"fire_at_ms"`
	DurationMS   int64          `json:"duration_ms"`
	Op           string         `json:"op"`
	Inline       bool           `json:"inline"`
	ExplicitID   bool           `json:"explicit_id"`
	OnParentEnd  string         `json:"on_parent_end"`
	UseExisting  bool           `json:"use_existing"`
	WithPrevious bool           `json:"with_previous"`
	Retry        *history.Retry `json:"retry"`
	SenderID     string         `json:"sender_id"`
	Reason       string         `json:"reason"`
	Forced       string         `json:"forced"`
	Details      *plainFailure  `json:"details"`
	StartedAtMS  int64          `json:"started_at_ms"`
	Attempt      int            `json:"attempt"`
	RequestID    string         `json:"request_id"`
	Actor        string         `json:"actor"`

	ExecutionID       int64           `json:"execution_id"`
	StartID           string          `json:"start_id"`
	Secret            string          `json:"secret"`
	ParentInstance    *string         `json:"parent_instance"`
	ParentExecutionID int64           `json:"parent_execution_id"`
	ParentID          int64           `json:"parent_id"`
	ParentToken       string          `json:"parent_token"`
	SenderIDs         []string        `json:"sender_ids"`
	States            json.RawMessage `json:"states"`
	CustomBase64      []byte          `json:"states_base64"`

	SearchAttributes history.SearchAttributes `json:"search_attributes"`

	Headers       map[string]string `json:"headers"`
	Origin        *plainOrigin      `json:"origin"`
	FairnessGroup string            `json:"fairness_group"`
}

type plainOrigin struct {
	Instance    string  `json:"instance"`
	ExecutionID int64   `json:"execution_id"`
	EventID     int64   `json:"event_id"`
	First       int64   `json:"first_execution_id"`
	FirstOf     string  `json:"first_instance"`
	Forked      int64   `json:"forked_execution_id"`
	Carried     []int64 `json:"carried"`

	CarriedInstances []string `json:"carried_instances"`
}

func (p *plainOrigin) origin() *history.Origin {
	if p == nil {
		return nil
	}
	o := &history.Origin{Instance: p.Instance, ExecutionID: p.ExecutionID, EventID: p.EventID, FirstExecutionID: p.First, FirstInstance: p.FirstOf, ForkedExecutionID: p.Forked}
	for i := 0; i+1 < len(p.Carried); i += 2 {
		o.Carried = append(o.Carried, history.Carried{EventID: p.Carried[i], ExecutionID: p.Carried[i+1]})
	}
	for i, of := range p.CarriedInstances {
		o.Carried[i].Instance = of
	}
	return o
}

type plainFailure struct {
	Kind      string          `json:"kind"`
	Message   string          `json:"message"`
	Code      string          `json:"code"`
	Source    string          `json:"source"`
	Instance  string          `json:"instance"`
	Attempt   int             `json:"attempt"`
	Retryable bool            `json:"retryable"`
	Stack     string          `json:"stack"`
	Details   json.RawMessage `json:"details"`
	Base64    []byte          `json:"details_base64"`
}

func plainDecode(data []byte) ([]history.Event, error) {
	var doc struct {
		V      int          `json:"v"`
		Events []plainEvent `json:"events"`
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, err
	}
	if doc.V != 1 {
		return nil, fmt.Errorf("version %d", doc.V)
	}
	var events []history.Event
	for _, p := range doc.Events {
		events = append(events, p.event())
	}
	return events, nil
}

func (p *plainEvent) event() history.Event {
	e := history.Event{
		EventID: p.EventID, AtMS: p.AtMS, SourceEventID: p.SourceEventID, Name: p.Name, Version: p.Version,
		Instance: p.Instance, ForkOf: p.ForkOf, Label: p.Label, Codec: p.Codec, FireAtMS: p.FireAtMS, DurationMS: p.DurationMS, Op: p.Op,
		Inline: p.Inline, ExplicitID: p.ExplicitID, OnParentEnd: p.OnParentEnd, UseExisting: p.UseExisting, WithPrevious: p.WithPrevious, Retry: p.Retry, SenderID: p.SenderID, Reason: p.Reason,
		Forced: p.Forced, StartedAtMS: p.StartedAtMS, Attempt: p.Attempt, RequestID: p.RequestID, Actor: p.Actor,
	}
	for _, k := range history.Kinds() {
		if k.String() == p.Kind {
			e.Kind = k
		}
	}
	e.Payload = firstOf(p.Input, p.Output, p.Result, p.Data, p.Value,
		p.InputBase64, p.OutputBase64, p.ResultBase64, p.DataBase64, p.ValueBase64)
	if f := p.Details; f != nil {
		e.Failure = &history.Failure{
			Kind: f.Kind, Message: f.Message, Code: f.Code, Source: f.Source, Instance: f.Instance,
			Attempt: f.Attempt, Retryable: f.Retryable, Stack: f.Stack, Details: firstOf(f.Details, f.Base64),
		}
	}
	if e.Kind == history.OrchestrationStarted || e.Kind == history.ParentAttached || e.Kind == history.OrchestrationRedriven {
		e.Start = &history.Start{
			ExecutionID: p.ExecutionID, StartID: p.StartID, Secret: p.Secret, SenderIDs: p.SenderIDs, States: firstOf(p.States, p.CustomBase64),
			SearchAttributes: p.SearchAttributes, Headers: p.Headers, Origin: p.Origin.origin(), FairnessGroup: p.FairnessGroup,
		}
		if p.ParentInstance != nil {
			e.Start.Parent = &history.Parent{Instance: *p.ParentInstance, ExecutionID: p.ParentExecutionID, EventID: p.ParentID, Token: p.ParentToken}
		}
	}
	return e
}

func firstOf(payloads ...[]byte) []byte {
	for _, p := range payloads {
		if p != nil {
			return p
		}
	}
	return nil
}

func TestDecodeReadsWhatEncodingJSONReads(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		// Only strings that encoding/json can hold; the round-trip test covers other
		// bytes.
		events := rapid.SliceOfN(anyEvent(rapid.String()), 0, 6).Draw(t, "events")
		data := history.Encode(events)
		got, err := history.Decode(data)
		if err != nil {
			t.Fatalf("%v in %s", err, data)
		}
		want, err := plainDecode(data)
		if err != nil {
			t.Fatalf("encoding/json: %v in %s", err, data)
		}
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("%s\n got %+v\nwant %+v", data, got, want)
		}
	})
}

func BenchmarkDecodeByEncodingJSON(b *testing.B) {
	events := chain(1000)
	data := history.Encode(events)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := plainDecode(data); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(events))*float64(b.N)/b.Elapsed().Seconds(), "events/s")
}
