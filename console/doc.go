// Package console shows the instances of an application in a browser, and to programs:
// a page, and the JSON API that it stands on. Handler returns both as one
// http.Handler, to mount after a program's own login, under any path:
//
//	h, err := console.Handler(c, console.AllowHosts("ops.example.com"))
//	...
//	mux.Handle("/turnstile/", login(http.StripPrefix("/turnstile", h)))
//
// It reads and changes nothing unless AllowActions is given. It knows no users:
// whoever gets through to the handler sees every instance, and its payloads as
// far as the client's codecs open them.
//
// The API is described by openapi.json in this folder, which another tool may
// read to make a client of it.
package console
