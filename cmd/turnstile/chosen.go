package main

import (
	"context"
	"fmt"
	"strings"

	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/internal/printable"
)

const (
	// chosenHelp says how an instance is selected whose id nobody knows.
	chosenHelp = "In place of INSTANCE, flags select the newest instance that they find, as for list."
	// chosenLeast is how many instances are read to find it, and to tell of others.
	chosenLeast = 5
)

// chosen is the instance that a command is about: the one that is named, or the newest that
// flags select.
type chosen struct {
	selection
	// alone: others that the flags find are an error.
	alone bool
}

func (s *chosen) declare(flags *flag.FlagSet) {
	flags.StringVar(&s.status, "status", "", "select by `STATUS`: "+strings.Join(statuses(), ", "))
	flags.StringVar(&s.query.Name, "name", "", "select by `NAME` of the orchestration")
	flags.StringVar(&s.query.Words, "words", "", "select by `WORDS` of failure, problem or custom status")
	flags.StringVar(&s.where, "where", "", "select by these `CONDITIONS` on search attributes; see list")
	flags.StringVar(&s.since, "since", "", "select by start, at this `TIME` or later: "+timeForms)
	flags.StringVar(&s.until, "until", "", "select by start, before this `TIME`")
	flags.StringVar(&s.endedSince, "ended-since", "", "select by end, at this `TIME` or later")
	flags.StringVar(&s.endedUntil, "ended-until", "", "select by end, before this `TIME`")
}

// check is for what is wrong with the command line: named are the operands that name the instance.
func (s *chosen) check(c *cli, command string, named []string) error {
	switch {
	case len(named) > 0 && s.given():
		return usagef("give an instance, or flags that select one, not both: %q is an operand", named[0])
	case len(named) == 0 && !s.given():
		return usagef("%s needs INSTANCE, or flags that select it, such as --where 'customer = \"c-1\"'", command)
	}
	return s.selection.check(c.now())
}

// instance returns the id of the instance, and says which others the flags find.
func (s *chosen) instance(ctx context.Context, c *cli, cl backend.Instances, named []string) (string, error) {
	if len(named) > 0 {
		return named[0], nil
	}
	var found []client.Description
	q := s.query
	for {
		q.PageSize = chosenLeast - len(found)
		page, err := cl.List(ctx, q)
		if err != nil {
			return "", err
		}
		found = append(found, page.Instances...)
		if q.PageToken = page.NextPageToken; q.PageToken == "" || len(found) >= chosenLeast {
			break
		}
	}
	if len(found) == 0 {
		return "", notThereError{fmt.Errorf("no instance is found by%s", s.words())}
	}
	if len(found) > 1 {
		others := make([]string, 0, len(found))
		for i := range found {
			others = append(others, printable.Line(found[i].Instance))
		}
		if q.PageToken != "" {
			others = append(others, "…")
		}
		if s.alone {
			return "", fmt.Errorf("several instances are found, and nothing was sent: %s; narrow the flags, or name one", strings.Join(others, ", "))
		}
		fmt.Fprintf(c.err, "the newest of several: %s\n", strings.Join(others, ", "))
	}
	return found[0].Instance, nil
}
