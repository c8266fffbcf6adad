package world

import (
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/store"
)

// Scenario is an application and its users.
type Scenario interface {
	// Working and Broken are builds of its orchestrations.
	Working() *Build
	Broken(w *World) *Build
	// Activities and Inline are what processes register.
	Activities(p *Process) *activities.Registry
	Inline(p *Process) *activities.Registry
	// Start makes clients send their first messages.
	Start(w *World)
	// Created is called for each instance that starts.
	Created(w *World, instance, name string)
	// Purge lets an operator purge an instance, or a client start one again.
	Purge(w *World)
	// Landed is called for each turn that lands, with its execution after it; Marked for each
	// record after a write.
	Landed(w *World, p *Process, x *ledger.Recorded, t *store.Turn)
	Marked(w *World, r *store.Record)
	// Program returns the random program of an orchestration, whose headers and labels are
	// known and whose transcript records everything that it received. Nil for any other
	// orchestration.
	Program(name string) *program.Program
	// IsRandom reports whether the orchestrations are random programs.
	IsRandom() bool
	// Check verifies the outcome.
	Check(w *World)
	// String describes it; Size counts its contents.
	String() string
	Size() string
}
