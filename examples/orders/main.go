// Command orders runs the sample application in this process, with nothing but Go, and shows every
// turn as it is committed.
//
//	go run ./examples/orders                      an order, approved and shipped
//	go run ./examples/orders -console             the same in a browser, with the page of the customer, slowly, until Ctrl-C
//	go run ./examples/orders -approve=false       without an approval: everything is undone
//	go run ./examples/orders -virtual             the same without the waits
//	go run ./examples/orders -input '{"id":"7"}'  an order of your own
//	go run ./examples/orders -keep                keep running, and read work items from standard input
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout)
	stop()
	os.Exit(code)
}
