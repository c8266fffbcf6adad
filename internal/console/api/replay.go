package api

// Replayed says whether code agrees with histories, as the command line prints it.
type Replayed struct {
	Instance string `json:"instance"`
	// Executions that were replayed.
	Executions []int64 `json:"executions"`
	Agrees     bool    `json:"agrees"`
	// Problem says where the code parts from them, and how.
	Problem string `json:"problem,omitempty"`
	// Waits says where the code waits, of executions that go on.
	Waits []CodeWaits `json:"waits,omitempty"`
}
