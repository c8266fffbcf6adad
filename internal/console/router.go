package console

import (
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strings"

	"github.com/turnstile-go/turnstile/internal/console/api"
	"github.com/turnstile-go/turnstile/internal/near"
)

// route is a path of the API, with its request and its response.
type route struct {
	method string
	// pattern is the path after base; {name} stands for one encoded segment.
	pattern string
	// summary describes it in one sentence.
	summary string
	// query has the parameters that it takes, each once.
	query []param
	// acts is set if it changes something. The route then exists only if actions are allowed.
	acts bool
	endpoint
}

// param is a parameter of a query.
type param struct {
	name string
	// kind is "string", "integer" or "time".
	kind  string
	about string
}

// endpoint serves a route.
type endpoint struct {
	// takes and returns are the types of the bodies, nil if there is none or it is not JSON.
	takes, returns reflect.Type
	serve          func(*request) error
}

// request is a request with the variables of its path and the parameters of its
// query, decoded.
type request struct {
	*http.Request
	w     http.ResponseWriter
	vars  map[string]string
	query url.Values
}

// reads returns an endpoint that takes no body.
func reads[Out any](f func(*request) (Out, error)) endpoint {
	return endpoint{returns: reflect.TypeFor[Out](), serve: func(r *request) error {
		out, err := f(r)
		if err != nil {
			return err
		}
		return write(r.w, http.StatusOK, out)
	}}
}

// takes returns an endpoint with a JSON body of at most limit bytes.
func takes[In, Out any](limit int64, f func(*request, In) (Out, error)) endpoint {
	return endpoint{takes: reflect.TypeFor[In](), returns: reflect.TypeFor[Out](), serve: func(r *request) error {
		var in In
		if err := decode(r, limit, &in); err != nil {
			return err
		}
		out, err := f(r, in)
		if err != nil {
			return err
		}
		return write(r.w, http.StatusOK, out)
	}}
}

// maxRequest is the maximum size of a request body, in bytes: a payload and the JSON around it.
const maxRequest = 1 << 20

func (h *handler) serveAPI(w http.ResponseWriter, r *http.Request, path string) {
	w.Header().Set("Cache-Control", "no-store")
	found, vars, err := h.match(r.Method, path)
	if err == nil {
		err = h.guard.allow(r, &found)
	}
	if err == nil && h.actor != nil && r.Header.Get(ActorHeader) != "" {
		err = api.Errorf(api.CodeInvalid, "the header %s is set, but this console determines the actor itself: leave it out", ActorHeader)
	}
	if err == nil {
		err = found.checkQuery(r.URL.Query())
	}
	if err == nil {
		err = found.serve(&request{Request: r, w: w, vars: vars, query: r.URL.Query()})
	}
	if err != nil {
		h.fail(w, err)
	}
}

// match returns the route of an encoded path, and the variables in it.
func (h *handler) match(method, path string) (route, map[string]string, error) {
	var others []string
	for _, found := range h.routes {
		vars, fits := found.vars(path)
		switch {
		case !fits:
		case found.method == method || found.method == http.MethodGet && method == http.MethodHead:
			return found, vars, nil
		default:
			others = append(others, found.method)
		}
	}
	if len(others) > 0 {
		return route{}, nil, api.Errorf(api.CodeMethodNotAllowed, "%s takes %s, not %s", clip(path, 100), strings.Join(others, ", "), clip(method, 20))
	}
	return route{}, nil, api.Errorf(api.CodeNoSuchRoute, "the API has no %q", clip(base+path, 100))
}

func (r *route) vars(path string) (vars map[string]string, fits bool) {
	want, got := strings.Split(r.pattern, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return nil, false
	}
	vars = map[string]string{}
	for i, segment := range want {
		if !strings.HasPrefix(segment, "{") {
			if segment != got[i] {
				return nil, false
			}
			continue
		}
		value, err := url.PathUnescape(got[i])
		if err != nil {
			return nil, false
		}
		// Browsers and servers remove the segments "." and "..", so these get a "~" in front, and
		// so does a segment that begins with "~".
		vars[strings.Trim(segment, "{}")] = strings.TrimPrefix(value, "~")
	}
	return vars, true
}

// checkQuery refuses unknown and repeated parameters.
func (r *route) checkQuery(v url.Values) error {
	names := make([]string, len(r.query))
	for i := range r.query {
		names[i] = r.query[i].name
	}
	for name, values := range v {
		switch {
		case !slices.Contains(names, name) && len(names) == 0:
			return api.Errorf(api.CodeInvalid, "%s takes no parameters, but the request has %q", r.pattern, clip(name, 50))
		case !slices.Contains(names, name):
			return api.Errorf(api.CodeInvalid, "%s has no parameter %q: it takes %s", r.pattern, clip(name, 50), strings.Join(names, ", "))
		case len(values) > 1:
			return api.Errorf(api.CodeInvalid, "the parameter %s is given %d times", name, len(values))
		}
	}
	return nil
}

// decode reads the JSON body of a request.
func decode(r *request, limit int64, into any) error {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return api.Errorf(api.CodeInvalid, "the body must be JSON: send it with Content-Type: application/json")
	}
	d := json.NewDecoder(http.MaxBytesReader(r.w, r.Body, limit))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			return api.Errorf(api.CodeInvalid, "the body has data after its JSON value")
		}
		return nil
	}
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return api.Errorf(api.CodeTooLarge, "the body is larger than %d bytes", tooLarge.Limit)
	}
	return api.Errorf(api.CodeInvalid, "the body cannot be read: %s%s", clip(strings.TrimPrefix(err.Error(), "json: "), 300), near.Field(err, into))
}

// maxAnswer is the maximum size of a JSON response, in bytes.
const maxAnswer = 32 << 20

// write sends a JSON response.
func write(w http.ResponseWriter, status int, v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if len(text) > maxAnswer {
		return api.Errorf(api.CodeTooLarge, "the response has %d bytes, and the limit is %d: request less at a time", len(text), maxAnswer)
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	// If the reader has gone, no one needs the response.
	_, _ = w.Write(append(text, '\n'))
	return nil
}

// clip shortens a text for a message, at a character boundary.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
