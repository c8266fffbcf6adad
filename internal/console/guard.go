package console

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/turnstile-go/turnstile/internal/console/api"
)

// guard refuses requests that a page of another site may have caused.
type guard struct {
	// named are the hosts that the mounting program allows, in lower case, with
	// or without a port.
	named   map[string]bool
	actions bool
}

// ActionHeader is required in every POST request, with any value. A page of another site cannot
// send it without permission, which the console never grants.
const ActionHeader = "Turnstile-Action"

// ActorHeader is on whose behalf a POST acts, for the histories, if the program does not determine
// the actor ([WithActor]). Its value is not checked.
const ActorHeader = "Turnstile-Actor"

func newGuard(hosts []string, actions bool) (guard, error) {
	g := guard{named: map[string]bool{}, actions: actions}
	for _, h := range hosts {
		name, port := splitHost(h)
		if name == "" || strings.ContainsAny(name, "/@ *?#") || port != "" && strings.Trim(port, "0123456789") != "" {
			return guard{}, fmt.Errorf("console: AllowHosts(%q): a host must be a name or an address, with or without a port, and without a scheme, path or wildcard", h)
		}
		g.named[join(name, port)] = true
	}
	return g, nil
}

// splitHost splits a host into its name, in lower case and without brackets, and its port.
func splitHost(host string) (name, port string) {
	name, port, err := net.SplitHostPort(host)
	if err != nil {
		name, port = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]"), ""
	}
	return strings.ToLower(strings.TrimSuffix(name, ".")), port
}

func join(name, port string) string {
	if port == "" {
		return name
	}
	return net.JoinHostPort(name, port)
}

func isLoopback(name string) bool {
	ip := net.ParseIP(name)
	return name == "localhost" || ip != nil && ip.IsLoopback()
}

// allowed reports whether the program allows the host.
func (g *guard) allowed(host string) bool {
	name, port := splitHost(host)
	return g.named[name] || g.named[join(name, port)]
}

// host refuses a request for a host that is not allowed.
func (g *guard) host(r *http.Request) error {
	name, _ := splitHost(r.Host)
	if isLoopback(name) || g.allowed(r.Host) {
		return nil
	}
	err := api.Errorf(api.CodeHostNotAllowed, "this console does not accept requests for host %q", clip(r.Host, 100))
	err.Advice = "Use an address of the console's machine (127.0.0.1, localhost), or allow the host with console.AllowHosts or `turnstile console --allow-host`."
	return err
}

// allow refuses requests from pages of other sites, and actions if none are allowed.
func (g *guard) allow(r *http.Request, to *route) error {
	if to.acts && !g.actions {
		err := api.Errorf(api.CodeReadOnly, "this console is read-only")
		err.Advice = "Allow actions with console.AllowActions or `turnstile console --allow-actions`, or use the command line."
		return err
	}
	site := r.Header.Get("Sec-Fetch-Site")
	if to.method == http.MethodGet {
		// A page of another site could not read the response, but the request would cost money.
		// Following a link is harmless.
		if site == "cross-site" || site == "same-site" {
			if r.Header.Get("Sec-Fetch-Mode") != "navigate" {
				return api.Errorf(api.CodeCrossOrigin, "the request comes from a page of a different site (Sec-Fetch-Site: %s)", site)
			}
		}
		return nil
	}
	if site != "" && site != "same-origin" {
		return api.Errorf(api.CodeCrossOrigin, "the request comes from a page of a different site (Sec-Fetch-Site: %s)", clip(site, 20))
	}
	if origin := r.Header.Get("Origin"); origin != "" && !g.sameOrigin(origin, r.Host) {
		err := api.Errorf(api.CodeCrossOrigin, "the request comes from a page of %q, but was sent to %q", clip(origin, 100), clip(r.Host, 100))
		err.Advice = "If the page is this console behind a proxy, allow its host with console.AllowHosts."
		return err
	}
	if r.Header.Get(ActionHeader) == "" {
		return api.Errorf(api.CodeCrossOrigin, "the header %s is missing: send %s: 1", ActionHeader, ActionHeader)
	}
	return nil
}

// sameOrigin reports whether an origin is that of the console's own page: the host to which the
// request was sent or, behind a proxy, a host that the program allows.
func (g *guard) sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return false
	}
	return strings.EqualFold(u.Host, host) || g.allowed(u.Host)
}

// secure sets the security headers of every response.
func secure(h http.Header) {
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
}
