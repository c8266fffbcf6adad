package bill

import "fmt"

// What a stack costs by the month beside what its instances do, in dollars, list prices
// of us-east-1 without free tiers (https://aws.amazon.com/cloudwatch/pricing/).
const (
	// IdleStackMonth is what a stack costs while nothing happens: docs/guide/cost.md.
	IdleStackMonth = 1.98
	// CustomMetricMonth is what each custom metric costs, for the hours in which it is
	// written: LeastMetrics in use while all is well, MostMetrics where instances are
	// stuck, messages handed back and commits lost. Each other kind of trouble is one more.
	CustomMetricMonth = 0.30
	LeastMetrics      = 10
	MostMetrics       = 16
	// DashboardMonth is what the dashboard costs, where the stack has one.
	DashboardMonth = 3.00
)

// Monthly says in a sentence what a stack costs by the month.
func Monthly() string {
	least, most := LeastMetrics*CustomMetricMonth, MostMetrics*CustomMetricMonth
	return fmt.Sprintf("The stack by the month: $%.2f idle, and in use $%.2f to $%.2f for %d to %d custom metrics, $%.2f to $%.2f in all; a dashboard is $%.2f more.",
		IdleStackMonth, least, most, LeastMetrics, MostMetrics, IdleStackMonth+least, IdleStackMonth+most, DashboardMonth)
}
