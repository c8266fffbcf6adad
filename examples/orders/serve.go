package main

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// serve serves a handler on a free port of this machine, and returns its address. end ends it, with all
// requests.
func serve(h http.Handler) (url string, end func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	base, cancel := context.WithCancel(context.Background())
	server := http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return base }}
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	return "http://" + listener.Addr().String() + "/", func() {
		cancel()
		_ = server.Close()
		serving.Wait()
	}, nil
}
