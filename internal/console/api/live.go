package api

import "time"

// Messages of the live stream, server-sent events: their event field is the word
// in quotes, their data one of these types.

// LiveHello ("hello") is the first message.
type LiveHello struct {
	Now time.Time `json:"now"`
	// Live is "push" or "poll", as in About.
	Live string `json:"live"`
}

// LiveInstance ("instance") says how an instance stands now, at first and after
// each change of its record or its history.
type LiveInstance struct {
	Now      time.Time `json:"now"`
	Instance Instance  `json:"instance"`
	// LastEventID of the current execution's history; 0 where it can't be read.
	LastEventID int64 `json:"last_event_id,omitempty"`
}

// LiveGone ("gone") says that there is no such instance (any more); should it
// begin, "instance" follows.
type LiveGone struct {
	Now      time.Time `json:"now"`
	Instance string    `json:"instance"`
}

// LiveList ("list") says what has changed on the first page of a list. The first
// message, and the first after "failed", has the whole page in Changed.
type LiveList struct {
	Now time.Time `json:"now"`
	// Changed are the rows that are new or stand otherwise than before.
	Changed []Instance `json:"changed"`
	// Gone are the ids of rows that are on the page no more.
	Gone []string `json:"gone,omitempty"`
	// Order is all ids of the page, newest first.
	Order []string `json:"order"`
	// More: there is a page behind it.
	More bool `json:"more,omitempty"`
}

// LiveFailed ("failed") says that a read has failed. The stream continues, and reads
// again later: the first read that succeeds is sent, even if nothing has changed.
type LiveFailed struct {
	Now   time.Time `json:"now"`
	Error Error     `json:"error"`
}
