package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/turnstile-go/turnstile/embedded"
	"github.com/turnstile-go/turnstile/examples/orders/orders"
)

type flags struct {
	input        string
	order        orders.Order
	instance     string
	approve      bool
	approveAfter time.Duration
	virtual      bool
	console      bool
	addr         string
	keep         bool
	limit        time.Duration
	latency      time.Duration
	pickUp       time.Duration // how long a parcel waits for the carrier
}

// toTry is printed after the flags.
const toTry = `
To try:
    a declined card: completed steps are undone
    go run ./examples/orders -input '{"card":"4242 4242 4242 0000"}'
    a stuck instance, because no process here has its code
    echo '{"kind":"StartOrchestration","instance":"order-7","name":"Nobody"}' | go run ./examples/orders -keep
    an instance whose code has changed while it runs, in your own project with turnstile dev:
    docs/guide/getting-started.md
`

func parse(args []string, out io.Writer) (flags, error) {
	f := flags{order: sampleOrder(), pickUp: 2 * time.Second}
	set := flag.NewFlagSet("orders", flag.ContinueOnError)
	set.SetOutput(out)
	set.StringVar(&f.input, "input", "", "the order to fulfil, as `JSON`; missing fields have the values of the sample order")
	set.StringVar(&f.instance, "instance", "order-1001", "instance `id`")
	set.BoolVar(&f.approve, "approve", true, "approve the order; with -approve=false the approval times out")
	set.DurationVar(&f.approveAfter, "approve-after", 5*time.Second, "when to approve the order")
	set.BoolVar(&f.virtual, "virtual", false, "skip waits: time is virtual and jumps to the next timer")
	set.BoolVar(&f.console, "console", false, "serve the console and the page of the customer, run more slowly, and continue until Ctrl-C")
	set.StringVar(&f.addr, "addr", "", "address of the console, as `HOST:PORT` of this machine; default "+embedded.ConsoleAddr+", or any free port if that is in use")
	set.BoolVar(&f.keep, "keep", false, "keep running, and read work items as JSON from standard input, one per line")
	set.DurationVar(&f.limit, "limit", 25*time.Second, "stop waiting for the order after this time; there is no limit with -keep or -console")
	set.DurationVar(&f.latency, "latency", 300*time.Millisecond, "duration of each activity")
	set.Usage = func() {
		fmt.Fprintln(out, "Usage of orders:")
		set.PrintDefaults()
		fmt.Fprint(out, toTry)
	}
	if err := set.Parse(args); err != nil {
		return f, err
	}
	if set.NArg() > 0 {
		return f, fmt.Errorf("%q is not a flag; see -help", set.Arg(0))
	}
	if f.console {
		f.slowDown(set)
	}
	if f.input != "" {
		decoder := json.NewDecoder(strings.NewReader(f.input))
		decoder.DisallowUnknownFields() // A misspelt field would silently keep the sample's value.
		if err := decoder.Decode(&f.order); err != nil {
			return f, fmt.Errorf("-input is not an order: %w\nexpected something like %s", err, sampleJSON())
		}
	}
	if f.virtual && f.keep {
		return f, errors.New("-virtual and -keep exclude each other: you type in real time, and virtual time would not wait")
	}
	if f.virtual && f.console {
		return f, errors.New("-virtual and -console exclude each other: in virtual time there is nothing to watch")
	}
	if f.virtual {
		// The services run in real time, and virtual time would wait for them.
		f.latency = 0
	}
	return f, nil
}

// slowDown sets durations that people can follow, and in which they can act, for all flags that
// were not given.
func (f *flags) slowDown(set *flag.FlagSet) {
	f.order.ApproveWithin, f.order.RemindEvery = "3m", "15s"
	f.pickUp = 8 * time.Second
	given := map[string]bool{}
	set.Visit(func(one *flag.Flag) { given[one.Name] = true })
	if !given["latency"] {
		f.latency = 1500 * time.Millisecond
	}
	if !given["approve-after"] {
		f.approveAfter = 45 * time.Second
	}
}

func sampleOrder() orders.Order {
	return orders.Order{
		ID: "1001", Customer: "Ada", Card: "4242 4242 4242 4242",
		Lines:         []orders.Line{{SKU: "teapot", Quantity: 1, Price: 3900}, {SKU: "cup", Quantity: 4, Price: 650}},
		ApproveWithin: "12s", RemindEvery: "2s",
	}
}

func sampleJSON() string {
	b, err := json.Marshal(sampleOrder())
	if err != nil {
		return err.Error()
	}
	return string(b)
}
