package bill

import "fmt"

// Monthly cost of a stack apart from its instances, in dollars, at list prices of us-east-1
// without free tiers (https://aws.amazon.com/cloudwatch/pricing/).
const (
	// IdleStackMonth is the cost of a stack without traffic: docs/guide/cost.md.
	IdleStackMonth = 2.38
	// CustomMetricMonth is the cost of each custom metric, charged for the hours in which
	// it is written. LeastMetrics is the number in use while nothing fails, MostMetrics the
	// number if instances are stuck, messages are returned to their queue and commits are
	// lost. Each other kind of problem adds one.
	CustomMetricMonth = 0.30
	LeastMetrics      = 10
	MostMetrics       = 16
	// DashboardMonth is the cost of the dashboard, if the stack has one.
	DashboardMonth = 3.00
)

// Monthly describes the monthly cost of a stack in a sentence.
func Monthly() string {
	least, most := LeastMetrics*CustomMetricMonth, MostMetrics*CustomMetricMonth
	return fmt.Sprintf("The monthly cost of the stack: $%.2f idle, plus $%.2f to $%.2f for %d to %d custom metrics in use, $%.2f to $%.2f in total; a dashboard adds $%.2f.",
		IdleStackMonth, least, most, LeastMetrics, MostMetrics, IdleStackMonth+least, IdleStackMonth+most, DashboardMonth)
}
