package api

// Replayed is whether the code agrees with histories, as the command line prints it.
type Replayed struct {
	Instance string `json:"instance"`
	// Executions is how many executions were replayed.
	Executions []int64 `json:"executions"`
	Agrees     bool    `json:"agrees"`
	// Problem is where and how the code disagrees with them.
	Problem string `json:"problem,omitempty"`
	// Waits is where the code waits, for executions that have not ended.
	Waits []CodeWaits `json:"waits,omitempty"`
}
