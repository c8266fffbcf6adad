package codec

import (
	"fmt"

	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/store"
)

// SealChange returns the change of a record as it is stored, a copy. A record
// has one mark for its custom status, its output and the details of its
// failure: a change that touches one of them has to hold all that the record
// will have. *SealError.
func (s *Set) SealChange(instance string, c *store.RecordChange) (*store.RecordChange, error) {
	if s == nil || c == nil {
		return c, nil
	}
	c = copied(c)
	where := func() string { return recordPlace(instance) }
	if c.Create != nil {
		c.Create = copied(c.Create)
		mark, err := s.sealAll(where, recordPayloads(c.Create))
		c.Create.Codec = mark
		return c, err
	}
	if c.CustomStatus == nil && c.Output == nil && c.Failure == nil {
		return c, nil
	}
	var values []payload
	if c.CustomStatus != nil {
		c.CustomStatus = copied(c.CustomStatus)
		values = append(values, payload{value: c.CustomStatus, what: "the custom status"})
	}
	if c.Output != nil {
		c.Output = copied(c.Output)
		values = append(values, payload{value: c.Output, what: "the output"})
	}
	if c.Failure != nil && *c.Failure != nil {
		failure := copied(*c.Failure)
		c.Failure = &failure
		values = append(values, payload{value: &failure.Details, what: "the failure's details"})
	}
	mark, err := s.sealAll(where, values)
	c.Codec = &mark
	return c, err
}

// OpenRecord opens the payloads of a record that was read, in place. With an
// error the record stays sealed. *UnknownError, *DamagedError.
func (s *Set) OpenRecord(r *store.Record) error {
	if r.Codec == "" {
		return nil
	}
	opened := *r
	if err := s.openAll(func() string { return recordPlace(r.Instance) }, r.Codec, recordPayloads(&opened)); err != nil {
		return err
	}
	opened.Codec = ""
	*r = opened
	return nil
}

// recordPayloads returns what of a record is sealed, in copies of what it
// points to.
func recordPayloads(r *store.Record) []payload {
	values := []payload{{value: &r.CustomStatus, what: "the custom status"}, {value: &r.Output, what: "the output"}}
	if r.Failure != nil && len(r.Failure.Details) > 0 {
		r.Failure = copied[history.Failure](r.Failure)
		values = append(values, payload{value: &r.Failure.Details, what: "the failure's details"})
	}
	return values
}

func recordPlace(instance string) string { return fmt.Sprintf("the record of instance %q", instance) }

// SealHeartbeat returns a heartbeat as it is stored. *SealError.
func (s *Set) SealHeartbeat(key store.ActivityKey, b store.Heartbeat) (store.Heartbeat, error) {
	mark, err := s.sealAll(func() string { return heartbeatPlace(key) }, []payload{{value: &b.Details, what: "the details"}})
	b.Codec = mark
	return b, err
}

// OpenHeartbeat returns a heartbeat that was read with plain details.
// *UnknownError, *DamagedError.
func (s *Set) OpenHeartbeat(key store.ActivityKey, b store.Heartbeat) (store.Heartbeat, error) {
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
