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
		short: "serve the Model Context Protocol to an agent",
		long: paragraph(
			"Serves the Model Context Protocol on standard input and output until the client closes them.",
			"An agent can list and describe instances, read histories and timelines, and find out why an",
			"instance is stuck. The server reads with your credentials, decodes payloads with your keys, and",
			"sends what it reads to the agent. It changes nothing unless actions are allowed: raise_event, send_update,",
			"wake, cancel, terminate, redrive, restart, suspend and resume, each with a dry run. It cannot",
			"start or purge instances. With --project it builds the code in a folder and replays histories",
			"against it, like replay. The documentation is available as resources and with the tool",
			"read_docs. With --http it serves over HTTP instead, to programs on this machine that send the",
			"bearer token that it prints; set TURNSTILE_MCP_TOKEN to choose the token.",
			"See docs/guide/agents.md for how to register it."),
		examples: []string{
			"turnstile mcp --stack turnstile --http 127.0.0.1:8878",
			"turnstile mcp --stack turnstile",
			"turnstile mcp --local --allow-actions --actor agent-of-ada --project /home/ada/shop",
		},
		declare: func(c *cli, flags *flag.FlagSet) action {
			actions := flags.Bool("allow-actions", false, "add the tools that change instances: raise, wake, end, suspend, redrive and restart; by default the server only reads")
			addr := flags.String("http", "", "serve over HTTP on this loopback `ADDRESS`, host:port, where port 0 chooses a free port")
			project := flags.String("project", "", "add the tool replay, which builds and runs the main package ./local, or another package, in this `FOLDER`")
			c.settings.declareActor(flags)
			return func(ctx context.Context, _ []string) error {
				serve := serving{actions: *actions, project: *project}
				if *addr != "" {
					return c.serveAgents(ctx, *addr, serve)
				}
				if term.IsTerminal(c.in) {
					fmt.Fprintln(c.err, "An agent should start this command and use its standard input and output; see docs/guide/agents.md. Press Ctrl-C to stop.")
				}
				return c.serveAgent(ctx, serve)
			}
		},
	}
}

// serving configures the server: whether an agent may act, and the folder with the code against
// which it may replay histories, empty for none.
type serving struct {
	actions bool
	project string
}

// serveAgent serves on standard input and output until the client closes them or the context
// ends.
func (c *cli) serveAgent(ctx context.Context, of serving) error {
	server, err := c.agentServer(of)
	if err != nil {
		return err
	}
	err = server.Run(ctx, mcpserver.Lines(readCloser(c.in), nopWriteCloser{c.out}))
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil // The client or the user ended it.
	}
	return err
}

// agentServer returns the MCP server.
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

// agentQuery parses a filter like the flags of list. Its errors use the tool's names of fields.
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

// openedOnce opens the backend at the first call of a tool, so that the agent sees an error: most
// MCP clients hide the output of a server that does not start.
type openedOnce struct {
	cli  *cli
	mu   sync.Mutex
	open backend.Instances
}

func (o *openedOnce) instances(ctx context.Context) (backend.Instances, error) {
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

// forget makes the next call open the backend again if the `turnstile dev` of the last call has
// ended, because the next one may listen on another address.
func (o *openedOnce) forget(err error) {
	if _, gone := errors.AsType[*remote.UnreachableError](err); gone {
		o.mu.Lock()
		o.open = nil
		o.mu.Unlock()
	}
}

// readCloser returns r itself if it can be closed, so that closing ends a pending read.
func readCloser(r io.Reader) io.ReadCloser {
	if rc, ok := r.(io.ReadCloser); ok {
		return rc
	}
	return io.NopCloser(r)
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }
