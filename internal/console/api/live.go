package api

import "time"

// The messages of the live stream are server-sent events. The event field is the word in quotes,
// and the data is one of these types.

// LiveHello ("hello") is the first message.
type LiveHello struct {
	Now time.Time `json:"now"`
	// Live is "push" or "poll", as in About.
	Live string `json:"live"`
}

// LiveInstance ("instance") is the state of an instance. It is sent first, and after each change of
// the record or the history.
type LiveInstance struct {
	Now      time.Time `json:"now"`
	Instance Instance  `json:"instance"`
	// LastEventID of the current execution's history; 0 if the history cannot be read.
	LastEventID int64 `json:"last_event_id,omitempty"`
}

// LiveGone ("gone") means that the instance does not exist, or no longer exists. If it starts
// later, "instance" follows.
type LiveGone struct {
	Now      time.Time `json:"now"`
	Instance string    `json:"instance"`
}

// LiveList ("list") has the changes on the first page of a list. The first message, and the first
// after "failed", has the whole page in Changed.
type LiveList struct {
	Now time.Time `json:"now"`
	// Changed are the rows that are new or have changed.
	Changed []Instance `json:"changed"`
	// Gone are the ids of rows that are no longer on the page.
	Gone []string `json:"gone,omitempty"`
	// Order has all ids of the page, newest first.
	Order []string `json:"order"`
	// More is set if another page follows.
	More bool `json:"more,omitempty"`
}

// LiveFailed ("failed") means that a read has failed. The stream continues and reads again later.
// The first successful read is sent, even if nothing has changed.
type LiveFailed struct {
	Now   time.Time `json:"now"`
	Error Error     `json:"error"`
}
