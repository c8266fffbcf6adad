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
	// chosenHelp explains how to select an instance without its id.
	chosenHelp = "Without INSTANCE, the selecting flags, which work as in list, choose the newest matching instance."
	// chosenLeast is the number of instances to read, so that other matches can be named.
	chosenLeast = 5
)

// chosen selects the instance of a command: the one that an operand names, or the newest one
// that the flags match.
type chosen struct {
	selection
	// alone makes several matches an error.
	alone bool
}

func (s *chosen) declare(flags *flag.FlagSet) {
	flags.StringVar(&s.status, "status", "", "select by `STATUS`: "+strings.Join(statuses(), ", "))
	flags.StringVar(&s.query.Name, "name", "", "select by `NAME` of the orchestration")
	flags.StringVar(&s.query.Words, "words", "", "select by `WORDS` in the failure, problem or state status")
	flags.StringVar(&s.where, "where", "", "select by `CONDITIONS` on search attributes; see list")
	flags.StringVar(&s.since, "since", "", "select instances started at `TIME` or later: "+timeForms)
	flags.StringVar(&s.until, "until", "", "select instances started before `TIME`")
	flags.StringVar(&s.endedSince, "ended-since", "", "select instances ended at `TIME` or later")
	flags.StringVar(&s.endedUntil, "ended-until", "", "select instances ended before `TIME`")
}

// check returns a usage error if the command line is invalid. named are the operands with the
// instance.
func (s *chosen) check(c *cli, command string, named []string) error {
	switch {
	case len(named) > 0 && s.given():
		return usagef("give an instance or flags that select one, not both: %q is an operand", named[0])
	case len(named) == 0 && !s.given():
		return usagef("%s needs INSTANCE, or flags that select it, such as --where 'customer = \"c-1\"'", command)
	}
	return s.selection.check(c.now())
}

// open checks the command line, and returns the client and the id of the instance.
func (s *chosen) open(ctx context.Context, c *cli, command string, named []string) (backend.Instances, string, error) {
	if err := s.check(c, command, named); err != nil {
		return nil, "", err
	}
	cl, err := c.client(ctx)
	if err != nil {
		return nil, "", err
	}
	instance, err := s.instance(ctx, c, cl, named)
	return cl, instance, err
}

// instance returns the id of the instance, and prints the other instances that the flags match.
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
		return "", notThereError{fmt.Errorf("no instance matches%s", s.words())}
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
			return "", fmt.Errorf("nothing was sent, because several instances match: %s; narrow the flags, or name an instance", strings.Join(others, ", "))
		}
		fmt.Fprintf(c.err, "several instances match, and this is the newest: %s\n", strings.Join(others, ", "))
	}
	return found[0].Instance, nil
}
