// Package console shows the instances of an application in a browser, and serves them
// to programs: it has a page and the JSON API that the page uses. Handler returns both
// as one http.Handler. Mount it behind your own login, under any path:
//
//	h, err := console.Handler(c, console.AllowHosts("ops.example.com"))
//	...
//	mux.Handle("/turnstile/", login(http.StripPrefix("/turnstile", h)))
//
// The console only reads unless AllowActions is given. It has no users of its own:
// everyone who can reach the handler sees every instance, and every payload that the
// client's codecs can decode.
//
// The file openapi.json in this folder describes the API; you can generate a client
// from it.
package console
