package api

import "time"

// Tree has the ancestors and descendants of an instance.
type Tree struct {
	// Ancestors, the root first; empty for a root.
	Ancestors []TreeNode `json:"ancestors"`
	Instance  TreeNode   `json:"instance"`
	// Truncated is set if the tree has more instances than were read.
	Truncated bool `json:"truncated,omitempty"`
	// Missing is set if a parent no longer has a record, so that Ancestors does not start with the
	// root.
	Missing bool `json:"missing,omitempty"`
}

// TreeNode is an instance in a tree.
type TreeNode struct {
	Instance string `json:"instance"`
	// Status is omitted if there is no record: the child has not started, or was purged.
	Status      string    `json:"status,omitempty"`
	Name        string    `json:"name,omitempty"`
	Version     string    `json:"version,omitempty"`
	ExecutionID int64     `json:"execution_id,omitempty"`
	CreatedAt   time.Time `json:"created_at,omitzero"`
	EndedAt     time.Time `json:"ended_at,omitzero"`
	// Why is its problem or failure, in one line.
	Why string `json:"why,omitempty"`
	// EventID of the event in the parent's history that scheduled it.
	EventID int64 `json:"event_id,omitempty"`
	// Detached is set if no instance waits for it.
	Detached bool `json:"detached,omitempty"`
	// Children that the current execution scheduled, in order.
	Children []TreeNode `json:"children,omitempty"`
	// MoreChildren is how many children were not read; -1 if the history was not read.
	MoreChildren int `json:"more_children,omitempty"`
}
