package bill

// Item is a thing that has a price.
type Item int

// The items, in the order of a bill.
const (
	// WriteUnits and ReadUnits of DynamoDB, on demand.
	WriteUnits Item = iota
	ReadUnits
	// FIFO and Standard are SQS requests: each call, and each 64 KB of what it
	// carries that goes beyond the first.
	FIFO
	Standard
	// Schedules of EventBridge Scheduler that have fired. Making and removing them
	// is free.
	Schedules
	// Invocations of Lambda functions, and their GBSeconds: memory times duration,
	// which is rounded up to milliseconds.
	Invocations
	GBSeconds
	// LogBytes that CloudWatch takes in.
	LogBytes
	itemEnd
)

// prices are list prices of us-east-1 on demand, without free tiers and without
// discounts for volume, in dollars a million; as of November 2026. Where they are
// published:
//
//   - https://aws.amazon.com/dynamodb/pricing/on-demand/ ($0.625 and $0.125 a
//     million units since November 2024)
//   - https://aws.amazon.com/sqs/pricing/ ($0.50 and $0.40 a million requests; each
//     64 KB of a payload is one)
//   - https://aws.amazon.com/eventbridge/pricing/ ($1.00 a million invocations of
//     Scheduler)
//   - https://aws.amazon.com/lambda/pricing/ ($0.20 a million requests,
//     $0.0000133334 a GB-second on arm64)
//   - https://aws.amazon.com/cloudwatch/pricing/ ($0.50 a GB of logs taken in)
var prices = [itemEnd]float64{0.625, 0.125, 0.50, 0.40, 1.00, 0.20, 13.3334, 0.50 / 1000}

var names = [itemEnd]struct{ service, unit string }{
	{"DynamoDB", "write units"}, {"DynamoDB", "read units"}, {"SQS", "FIFO requests"}, {"SQS", "standard requests"},
	{"EventBridge Scheduler", "invocations"}, {"Lambda", "invocations"}, {"Lambda", "GB-seconds"}, {"CloudWatch Logs", "bytes"},
}

// Items returns all of them.
func Items() []Item {
	all := make([]Item, itemEnd)
	for i := range all {
		all[i] = Item(i)
	}
	return all
}

// Price of a million, in dollars.
func (i Item) Price() float64 { return prices[i] }

// Service that charges for it.
func (i Item) Service() string { return names[i].service }

// Unit in which it is counted, in the plural.
func (i Item) Unit() string { return names[i].unit }

// MemoryMB is what a function of the template has by default.
const MemoryMB = 512

// logOverhead is what CloudWatch adds to each event of a log, in bytes:
// https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutLogEvents.html
const logOverhead = 26
