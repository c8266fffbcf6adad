package mcpserver

import (
	"cmp"
	"context"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

type failuresInput struct {
	Name  string `json:"name,omitempty" jsonschema:"name of the orchestration"`
	Words string `json:"words,omitempty" jsonschema:"words in the failure, problem or state status"`
	Since string `json:"since,omitempty" jsonschema:"failed at this time or later: 24h or 7d (ago), yesterday, 2026-01-31, 2026-01-31T12:00:00Z; default 24h"`
	Until string `json:"until,omitempty" jsonschema:"failed before this time, written as since"`
	Where string `json:"where,omitempty" jsonschema:"conditions on search attributes, written as for list_instances"`
	Cause string `json:"cause,omitempty" jsonschema:"key of a cause from the previous answer, with the same times: list its instances"`
}

type failureList struct {
	api.FailureList
	// CausesMore is the number of causes that are not shown, and MembersMore the number of
	// instances of the cause that are not shown.
	CausesMore  int `json:"causes_more,omitempty"`
	MembersMore int `json:"members_more,omitempty"`
}

// shownMembers is the largest number of instances of a cause in an answer.
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
	for i := range out.Causes {
		out.Causes[i].Message, out.Causes[i].Example = clip(out.Causes[i].Message), clip(out.Causes[i].Example)
	}
	if in.Cause != "" && len(out.Causes) > 0 {
		of := &out.Causes[0]
		for i := range of.Members {
			of.Members[i] = bare(of.Members[i])
		}
		n, err := fit(c, of.Members, shownMembers)
		if err != nil {
			return nil, err
		}
		of.Members, out.MembersMore = of.Members[:n], len(of.Members)-n
		return out, nil
	}
	n, err := fit(c, out.Causes, len(out.Causes))
	if err != nil {
		return nil, err
	}
	out.Causes, out.CausesMore = out.Causes[:n], len(out.Causes)-n
	return out, nil
}
