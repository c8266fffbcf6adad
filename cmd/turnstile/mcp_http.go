package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// tokenVariable is the variable with the bearer token of `turnstile mcp --http`. Without it, each
// run generates a token.
const tokenVariable = "TURNSTILE_MCP_TOKEN"

// serveAgents serves over HTTP on a loopback address until the context ends. Requests need the
// bearer token, because other users of the machine can reach the address.
func (c *cli) serveAgents(ctx context.Context, addr string, of serving) error {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return usagef("--http %q: must be host:port, such as 127.0.0.1:8878", addr)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return usagef("--http is %q: other machines can reach that address, without TLS. Listen on 127.0.0.1", addr)
	}
	token := cmp.Or(c.getenv(tokenVariable), rand.Text())
	if len(token) < 16 {
		return usagef("%s has %d characters: it needs at least 16; leave it unset to generate a token for each run", tokenVariable, len(token))
	}
	agents, err := c.agentServer(of)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("%w; pass another --http address, or port 0 to choose a free port", err)
	}
	server := &http.Server{Handler: guardAgents(agents, token), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, ErrorLog: log.New(io.Discard, "", 0)}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	fmt.Fprintf(c.err, "Agents connect to http://%s/ with the header\nAuthorization: Bearer %s\nPress Ctrl-C to stop.\n", listener.Addr(), token)
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	_ = server.Close() // Shutdown would wait for open streams.
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// agentIdle is the idle timeout of a session.
const agentIdle = time.Hour

// guardAgents serves over HTTP. It rejects requests without the token, and requests that a web
// page may have sent: those for another host or from another origin.
func guardAgents(server *mcp.Server, token string) http.Handler {
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
		given, _ := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
		if subtle.ConstantTimeCompare([]byte(given), []byte(token)) != 1 {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "the Authorization header must be Bearer followed by the token that turnstile mcp printed", http.StatusUnauthorized)
			return
		}
		answers.ServeHTTP(w, r)
	}))
}
