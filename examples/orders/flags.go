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

// toTry stands below the flags.
const toTry = `
To try:
  a card that is declined: what was done is undone
    go run ./examples/orders -input '{"card":"4242 4242 4242 0000"}'
  an instance that is stuck, for nothing here has its code
    echo '{"kind":"StartOrchestration","instance":"order-7","name":"Nobody"}' | go run ./examples/orders -keep
  and, with a project of your own and turnstile dev, one whose code has changed under it:
    docs/guide/getting-started.md
`

func parse(args []string, out io.Writer) (flags, error) {
	f := flags{order: sampleOrder(), pickUp: 2 * time.Second}
	set := flag.NewFlagSet("orders", flag.ContinueOnError)
	set.SetOutput(out)
	set.StringVar(&f.input, "input", "", "the order to fulfil, as `JSON`; what it leaves out is taken from the sample")
	set.StringVar(&f.instance, "instance", "order-1001", "instance `id`")
	set.BoolVar(&f.approve, "approve", true, "approve the order; -approve=false lets the time for it run out")
	set.DurationVar(&f.approveAfter, "approve-after", 5*time.Second, "when to approve it")
	set.BoolVar(&f.virtual, "virtual", false, "skip the waits: time is virtual and jumps to the next timer")
	set.BoolVar(&f.console, "console", false, "serve the console, take more time, and go on until Ctrl-C")
	set.StringVar(&f.addr, "addr", "", "where the console listens, as `HOST:PORT` of this machine; default "+embedded.ConsoleAddr+", or any port if that is taken")
	set.BoolVar(&f.keep, "keep", false, "go on, and take work items as JSON on standard input, one a line, until it ends")
	set.DurationVar(&f.limit, "limit", 25*time.Second, "give up waiting for the order after this time; with -keep there is no limit")
	set.DurationVar(&f.latency, "latency", 300*time.Millisecond, "how long an activity works")
	set.Usage = func() {
		fmt.Fprintln(out, "Usage of orders:")
		set.PrintDefaults()
		fmt.Fprint(out, toTry)
	}
	if err := set.Parse(args); err != nil {
		return f, err
	}
	if set.NArg() > 0 {
		return f, fmt.Errorf("%q is no flag; see -help", set.Arg(0))
	}
	if f.console {
		f.slowDown(set)
	}
	if f.input != "" {
		decoder := json.NewDecoder(strings.NewReader(f.input))
		decoder.DisallowUnknownFields() // a misspelt field would be fulfilled as the sample's
		if err := decoder.Decode(&f.order); err != nil {
			return f, fmt.Errorf("-input is not an order: %w\nexpected something like %s", err, sampleJSON())
		}
	}
	if f.virtual && f.keep {
		return f, errors.New("-virtual and -keep exclude each other: what you type takes real time, and virtual time would run ahead of it")
	}
	if f.virtual && f.console {
		return f, errors.New("-virtual and -console exclude each other: in virtual time there is nothing to watch")
	}
	if f.virtual {
		// The services work in real time, which virtual time waits for.
		f.latency = 0
	}
	return f, nil
}

// slowDown takes times at which people can follow what happens, and have their
// turn, for all flags that were not given.
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
