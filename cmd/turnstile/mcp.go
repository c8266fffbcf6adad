package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	flag "github.com/spf13/pflag"

	"github.com/turnstile-go/turnstile/client"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/advice"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/backend"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/mcpserver"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/plain"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/program"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/remote"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/term"
	"github.com/turnstile-go/turnstile/cmd/turnstile/internal/views"
	"github.com/turnstile-go/turnstile/docs"
	"github.com/turnstile-go/turnstile/history"
	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/printable"
)

func mcpCommand() *command {
	return &command{
		name: "mcp", also: []string{"agent", "agents", "llm"}, most: 0,
		short: "serve instances to an agent, by the Model Context Protocol",
		long: paragraph(
			"Speaks the Model Context Protocol on standard input and output until the client closes",
			"it: an agent that you register it with can list and describe instances, show histories",
			"and timelines, and say why an instance is stuck. It reads with your credentials, opens",
			"sealed payloads with your keys, and sends what it reads to the agent. It changes nothing",
			"unless actions are allowed: raise_event, wake, cancel, terminate, redrive, rerun, suspend",
			"and resume, each with a dry run. It neither starts nor purges instances.",
			"With --project it builds the code of a folder, and replays histories against it, as replay",
			"does. The documentation is there too, as resources and by the tool read_docs.",
			"--http serves over HTTP instead, to programs of this machine.",
			"docs/guide/agents.md says how to register it."),
		examples: []string{
			"turnstile mcp --stack turnstile --http 127.0.0.1:8878",
			"turnstile mcp --stack turnstile",
			"turnstile mcp --local --allow-actions --actor agent-of-ada --project /home/ada/shop",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			actions := flags.Bool("allow-actions", false, "add the tools that raise, wake, end, suspend and redrive; default it reads only")
			addr := flags.String("http", "", "serve over HTTP on this loopback `ADDRESS`, host:port, where port 0 is any that is free")
			project := flags.String("project", "", "add the tool replay, which builds and runs the main package ./local in this `FOLDER`, or another one there")
			c.settings.declareActor(flags)
			return func(ctx context.Context, _ []string) error {
				serve := serving{actions: *actions, project: *project}
				if *addr != "" {
					return c.serveAgents(ctx, *addr, serve)
				}
				if term.IsTerminal(c.in) {
					fmt.Fprintln(c.err, "An agent starts this command, and speaks with it here; docs/guide/agents.md says how. Ctrl-C ends it.")
				}
				return c.serveAgent(ctx, serve)
			}
		},
	}
}

// serving is what an agent is given: whether it may act, and the folder of the code that it may have
// replay histories, empty for none.
type serving struct {
	actions bool
	project string
}

// serveAgent answers on standard input and output until the client closes it, or
// the context ends.
func (c *cli) serveAgent(ctx context.Context, of serving) error {
	server, err := c.agentServer(of)
	if err != nil {
		return err
	}
	err = server.Run(ctx, &mcp.IOTransport{Reader: readCloser(c.in), Writer: nopWriteCloser{c.out}})
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil // It was ended as it is meant to be.
	}
	return err
}

// agentServer makes the server.
func (c *cli) agentServer(of serving) (*mcp.Server, error) {
	opened := openedOnce{cli: c}
	var replay func(context.Context, string, []history.Export) (api.Replayed, error)
	if of.project != "" {
		replay = func(ctx context.Context, pkg string, exports []history.Export) (api.Replayed, error) {
			var notes strings.Builder
			replayed, err := replayIn(ctx, of.project, cmp.Or(pkg, program.Default), exports, &notes)
			if err != nil && notes.Len() > 0 {
				err = fmt.Errorf("%w\n%s", err, printable.Lines(notes.String()))
			}
			return replayed, err
		}
	}
	return mcpserver.New(mcpserver.Options{
		Open: opened.instances, Query: c.agentQuery, Advice: views.ProblemAdvice, Now: c.now, Version: buildOf().Version, Actions: of.actions, Replay: replay, Docs: docs.Pages,
		Explain: func(err error) string {
			opened.forget(err)
			if hint := advice.Of(err); hint != "" {
				return plain.Message(err) + "\n" + hint
			}
			return plain.Message(err)
		},
	})
}

// agentQuery reads a filter as the flags of list do; it names fields as the tool
// does.
func (c *cli) agentQuery(f mcpserver.Filter) (client.ListQuery, error) {
	s := selection{status: f.Status, since: f.Since, until: f.Until, endedSince: f.EndedSince, endedUntil: f.EndedUntil, where: f.Where}
	s.query.Name, s.query.Prefix = f.Name, f.Prefix
	s.query.Words, s.query.Version, s.query.Parent = f.Words, f.Version, f.Parent
	s.query.Schedule, s.query.Queue = f.Schedule, f.Queue
	if err := s.check(c.now()); err != nil {
		return client.ListQuery{}, errors.New(flagsOfFilter.Replace(err.Error()))
	}
	return s.query, nil
}

var flagsOfFilter = strings.NewReplacer("--status ", "status ", "--since ", "since ", "--until ", "until ", "--ended-since ", "ended_since ", "--ended-until ", "ended_until ", "--where:", "where:")

// openedOnce opens the instances at the first call of a tool, so that what is wrong
// is told there: most clients show nothing of a server that does not start.
type openedOnce struct {
	cli  *cli
	mu   sync.Mutex
	open backend.Instances
}

func (o *openedOnce) instances(ctx context.Context) (mcpserver.Instances, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.open == nil {
		cl, err := o.cli.client(ctx)
		if err != nil {
			return nil, err
		}
		o.open = cl
	}
	return o.open, nil
}

// forget has the next call open anew, where the `turnstile dev` that answered has
// ended: the next one may listen elsewhere.
func (o *openedOnce) forget(err error) {
	if _, gone := errors.AsType[*remote.UnreachableError](err); gone {
		o.mu.Lock()
		o.open = nil
		o.mu.Unlock()
	}
}

// readCloser closes what can be closed, so that a read under way ends.
func readCloser(r io.Reader) io.ReadCloser {
	if rc, ok := r.(io.ReadCloser); ok {
		return rc
	}
	return io.NopCloser(r)
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }
