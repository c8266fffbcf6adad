package world

import (
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/simulation/ledger"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/store"
)

// Scenario is an application and those who use it.
type Scenario interface {
	// Working and broken are builds of its orchestrations.
	Working() *Build
	Broken(w *World) *Build
	// Activities and inline are what processes register.
	Activities(p *Process) *activities.Registry
	Inline(p *Process) *activities.Registry
	// Begin lets clients send what they send.
	Begin(w *World)
	// Created is told of each instance that begins.
	Created(w *World, instance, name string)
	// Purge lets somebody purge an instance, or start one again.
	Purge(w *World)
	// Landed is told of each turn that lands, and of the execution as it stands then;
	// marked of each record as it follows a write.
	Landed(w *World, p *Process, x *ledger.Recorded, t *store.Turn)
	Marked(w *World, r *store.Record)
	// Program returns the random program that an orchestration is: its headers and labels are
	// known, and its transcript tells all that it took. Nil for another orchestration.
	Program(name string) *program.Program
	// IsRandom reports whether the orchestrations are random programs.
	IsRandom() bool
	// Check judges the outcome.
	Check(w *World)
	// String describes it; size counts what there is in it.
	String() string
	Size() string
}
