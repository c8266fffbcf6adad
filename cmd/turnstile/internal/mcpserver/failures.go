package mcpserver

import (
	"cmp"
	"context"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

type failuresInput struct {
	Name  string `json:"name,omitempty" jsonschema:"name of the orchestration"`
	Words string `json:"words,omitempty" jsonschema:"words that the failure, problem or custom status has"`
	Since string `json:"since,omitempty" jsonschema:"failed at this time or later: 24h or 7d (ago), yesterday, 2026-01-31, 2026-01-31T12:00:00Z; default 24h"`
	Until string `json:"until,omitempty" jsonschema:"failed before this time, written as since"`
	Where string `json:"where,omitempty" jsonschema:"conditions on search attributes, as list_instances takes them"`
	Cause string `json:"cause,omitempty" jsonschema:"key of a cause in the answer before, with the same times: list its instances"`
}

type failureList struct {
	api.FailureList
	// CausesMore are causes that are not shown, MembersMore instances of the cause.
	CausesMore  int `json:"causes_more,omitempty"`
	MembersMore int `json:"members_more,omitempty"`
}

// shownMembers is how many instances of a cause are shown.
const shownMembers = 50

func (s *server) failures(ctx context.Context, c *call, in failuresInput) (any, error) {
	q, err := s.Query(Filter{Name: in.Name, Words: in.Words, Since: cmp.Or(in.Since, "24h"), Until: in.Until, Where: in.Where})
	if err != nil {
		return nil, err
	}
	found, err := c.Failures(ctx, q, in.Cause)
	if err != nil {
		return nil, err
	}
	out := failureList{FailureList: found}
	if in.Cause != "" && len(out.Causes) > 0 {
		of := &out.Causes[0]
		for i := range of.Members {
			of.Members[i] = bare(of.Members[i])
		}
		n, err := fit(of.Members, shownMembers)
		if err != nil {
			return nil, err
		}
		of.Members, out.MembersMore = of.Members[:n], len(of.Members)-n
		return out, nil
	}
	n, err := fit(out.Causes, len(out.Causes))
	if err != nil {
		return nil, err
	}
	out.Causes, out.CausesMore = out.Causes[:n], len(out.Causes)-n
	return out, nil
}
