package world

import (
	"context"
	"log/slog"
	"time"

	"github.com/turnstile-go/turnstile/host"
	"github.com/turnstile-go/turnstile/internal/activities"
	"github.com/turnstile-go/turnstile/internal/queue"
	"github.com/turnstile-go/turnstile/internal/simulation/program"
	"github.com/turnstile-go/turnstile/store"
)

// quiet is a watcher that ignores everything.
type quiet struct{}

func quietly(*World) Watcher { return quiet{} }

func (quiet) Writes(*Write)                                                                   {}
func (quiet) Meets(*Write)                                                                    {}
func (quiet) Landed(*Write)                                                                   {}
func (quiet) Answered(*Write, error)                                                          {}
func (quiet) Reads(*Process, string, []store.Turn, error)                                     {}
func (quiet) Describes(*Process, *store.Record)                                               {}
func (quiet) Lists(*Process, []store.Record)                                                  {}
func (quiet) Hides(*Invocation, string, int64)                                                {}
func (quiet) WritesPart(*Process, *store.Commit)                                              {}
func (quiet) ReadsPart(*Process, string, int64)                                               {}
func (quiet) Deletes(string, int64)                                                           {}
func (quiet) PutsAnswer(*Process, *store.Answer, *store.Answer, *store.Answer)                {}
func (quiet) ReadsAnswer(*Process, *store.Answer)                                             {}
func (quiet) StartsSend(*Process, string)                                                     {}
func (quiet) Sends(*Process, *Queue, *queue.Outgoing)                                         {}
func (quiet) Takes(*Process, *Queue, *queue.Outgoing)                                         {}
func (quiet) Accepted(*Process, string)                                                       {}
func (quiet) Schedules(*Process, string)                                                      {}
func (quiet) Scheduled(*Process, string)                                                      {}
func (quiet) Publishes(*Process, *host.InstanceEvent)                                         {}
func (quiet) CallsBus(*Process, bool)                                                         {}
func (quiet) Expires(string, queue.Message)                                                   {}
func (quiet) Receives(*Invocation)                                                            {}
func (quiet) Dies(*Invocation)                                                                {}
func (quiet) OutOfTime(*Invocation)                                                           {}
func (quiet) Returned(*Invocation, map[string]bool)                                           {}
func (quiet) Acknowledged(*Invocation, Delivered)                                             {}
func (quiet) Counts(*Process, host.Counter, string, int)                                      {}
func (quiet) Logs(*Process, *slog.Record, []string)                                           {}
func (quiet) AttemptStarts(*Process, *program.Work, *activities.Info)                         {}
func (quiet) AttemptEnds(*Process, *activities.Info)                                          {}
func (quiet) Works(*Process)                                                                  {}
func (quiet) Beats(*Process, store.ActivityKey, store.Heartbeat)                              {}
func (quiet) Notified(*Process, store.ActivityKey, *store.ActivityState, bool)                {}
func (quiet) Stops(*Process, store.ActivityKey, string)                                       {}
func (quiet) HasBeaten(context.Context, *Process, *activities.Info)                           {}
func (quiet) FailsFinally(*Process, *activities.Info)                                         {}
func (quiet) ChangesLimit(*Process, string, store.Claim)                                      {}
func (quiet) LimitChanged(*Process, *Invocation, string, store.Claim, store.Claim, time.Time) {}
func (quiet) NotifiedOfLimit(*Process, string, store.Claim)                                   {}
func (quiet) Shows(*Process, *Queue, string)                                                  {}
func (quiet) HandsOut(*Queue, []queue.Message, []queue.Message)                               {}
func (quiet) Redrives(string)                                                                 {}
func (quiet) AsksToWait(*Process, *activities.Info, time.Duration)                            {}
func (quiet) End()                                                                            {}
