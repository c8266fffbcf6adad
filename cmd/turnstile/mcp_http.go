package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// serveAgents answers over HTTP on a loopback address until the context ends.
func (c *cli) serveAgents(ctx context.Context, addr string, of serving) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return usagef("--http %q: an address is host:port, such as 127.0.0.1:8878", addr)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return usagef("--http %q: other machines could reach that address, and the server has no login. Listen on 127.0.0.1", addr)
	}
	agents, err := c.agentServer(of)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("%w; give another --http, or port 0 for any that is free", err)
	}
	server := &http.Server{Handler: guardAgents(agents), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, ErrorLog: log.New(io.Discard, "", 0)}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	fmt.Fprintf(c.err, "An agent connects to http://%s/. Ctrl-C ends it.\n", listener.Addr())
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	_ = server.Close() // Streams stay open as long as their clients like.
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// agentIdle is how long a session stays that asks for nothing.
const agentIdle = time.Hour

// guardAgents answers over HTTP, and refuses what a web page may have sent: under
// the name of another host, or from another origin.
func guardAgents(server *mcp.Server) http.Handler {
	answers := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{SessionTimeout: agentIdle})
	own := http.NewCrossOriginProtection()
	return own.Handler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "use an address of this machine (127.0.0.1, localhost)", http.StatusMisdirectedRequest)
			return
		}
		answers.ServeHTTP(w, r)
	}))
}
