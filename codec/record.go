package codec

import (
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// EncodeChange returns the change of a record in its stored form, as a copy. Output and the details
// of the failure share a codec name, so a change of one of them must contain both as the record will
// have them. The error is a [*EncodeError].
func (s *Set) EncodeChange(instance string, c *store.RecordChange) (*store.RecordChange, error) {
	if s == nil || c == nil {
		return c, nil
	}
	c = copied(c)
	where := func() string { return recordPlace(instance) }
	if c.Create != nil {
		c.Create = copied(c.Create)
		statesCodec, err := s.encodeAll(where, recordStates(&c.Create.States))
		if err != nil {
			return c, err
		}
		mark, err := s.encodeAll(where, recordEnd(&c.Create.Output, &c.Create.Failure))
		c.Create.StatesCodec, c.Create.Codec = statesCodec, mark
		return c, err
	}
	if c.States != nil {
		c.States = copied(c.States)
		mark, err := s.encodeAll(where, recordStates(c.States))
		if err != nil {
			return c, err
		}
		c.StatesCodec = &mark
	}
	if c.Output == nil && c.Failure == nil {
		return c, nil
	}
	output, failure := new([]byte), new(*history.Failure)
	if c.Output != nil {
		c.Output = copied(c.Output)
		output = c.Output
	}
	if c.Failure != nil {
		c.Failure = copied(c.Failure)
		failure = c.Failure
	}
	mark, err := s.encodeAll(where, recordEnd(output, failure))
	c.Codec = &mark
	return c, err
}

// DecodeRecord decodes the payloads of a stored record, in place. If it returns an error, an
// [*UnknownError] or a [*DamagedError], the record is unchanged.
func (s *Set) DecodeRecord(r *store.Record) error {
	if r.StatesCodec == "" && r.Codec == "" {
		return nil
	}
	opened, where := *r, func() string { return recordPlace(r.Instance) }
	if err := s.openAll(where, r.StatesCodec, recordStates(&opened.States)); err != nil {
		return err
	}
	if err := s.openAll(where, r.Codec, recordEnd(&opened.Output, &opened.Failure)); err != nil {
		return err
	}
	opened.StatesCodec, opened.Codec = "", ""
	*r = opened
	return nil
}

func recordStates(states *[]byte) []payload { return []payload{{value: states, what: "the states"}} }

// recordEnd returns the encoded payloads with which an instance ends. It copies the failure.
func recordEnd(output *[]byte, failure **history.Failure) []payload {
	values := []payload{{value: output, what: "the output"}}
	if f := *failure; f != nil && len(f.Details) > 0 {
		*failure = copied(f)
		values = append(values, payload{value: &(*failure).Details, what: "the failure's details"})
	}
	return values
}

func recordPlace(instance string) string { return fmt.Sprintf("the record of instance %q", instance) }

// EncodeHeartbeat returns a heartbeat in its stored form. The error is a [*EncodeError].
func (s *Set) EncodeHeartbeat(key store.ActivityKey, b store.Heartbeat) (store.Heartbeat, error) {
	mark, err := s.encodeAll(func() string { return heartbeatPlace(key) }, []payload{{value: &b.Details, what: "the details"}})
	b.Codec = mark
	return b, err
}

// DecodeHeartbeat returns a stored heartbeat with decoded details. The error is an [*UnknownError] or
// a [*DamagedError].
func (s *Set) DecodeHeartbeat(key store.ActivityKey, b store.Heartbeat) (store.Heartbeat, error) {
	opened := b
	if err := s.openAll(func() string { return heartbeatPlace(key) }, b.Codec, []payload{{value: &opened.Details, what: "the details"}}); err != nil {
		return b, err
	}
	opened.Codec = ""
	return opened, nil
}

func heartbeatPlace(key store.ActivityKey) string {
	return fmt.Sprintf("the last heartbeat of activity %d of instance %q execution %d", key.EventID, key.Instance, key.ExecutionID)
}
