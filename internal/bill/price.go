package bill

// Item is something that has a price.
type Item int

// The items, in the order of a bill.
const (
	// WriteUnits and ReadUnits of DynamoDB, on demand.
	WriteUnits Item = iota
	ReadUnits
	// FIFO and Standard are SQS requests: one for each call, and one for each 64 KB of its
	// payload after the first.
	FIFO
	Standard
	// Schedules of EventBridge Scheduler that have fired. Creating and deleting them is
	// free.
	Schedules
	// Invocations of Lambda functions, and their GBSeconds: memory times duration, which is
	// rounded up to milliseconds.
	Invocations
	GBSeconds
	// LogBytes are the bytes that CloudWatch ingests.
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

// Items returns all items.
func Items() []Item {
	all := make([]Item, itemEnd)
	for i := range all {
		all[i] = Item(i)
	}
	return all
}

// Price returns the price of a million units, in dollars.
func (i Item) Price() float64 { return prices[i] }

// Service returns the service that charges for the item.
func (i Item) Service() string { return names[i].service }

// Unit returns the name of the unit in which it is counted, in the plural.
func (i Item) Unit() string { return names[i].unit }

// MemoryMB is the default memory of a function of the template.
const MemoryMB = 512

// logOverhead is the number of bytes that CloudWatch adds to each log event:
// https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_PutLogEvents.html
const logOverhead = 26
