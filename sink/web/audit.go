package web

import (
	"log/slog"
	"net/http"
	"sync"
	"time"
)

const (
	auditPause  = time.Minute      // between two lines about one client's refusals
	auditLook   = 10 * time.Second // between two looks at what has not been told
	mostAudited = 256              // clients whose refusals are counted apart
	others      = "others"         // stands for the clients beyond them
)

// offence is what somebody was refused for.
type offence int

const (
	wrongLogin offence = iota
	wrongToken
)

// audit logs who came in, who left and who was refused. Refusals are what strangers can cause
// without end: the first of a client has a line at once, and those after it have one line
// a minute at most, with their number. So there are at most mostAudited+2 lines of them a minute.
type audit struct {
	log *slog.Logger
	now func() time.Time

	mu    sync.Mutex
	known map[offender]*refusals
}

type offender struct {
	client string
	what   offence
}

// refusals are those of one offender that have no line yet.
type refusals struct {
	count int
	since time.Time // the first of them
	told  time.Time // the last line
}

func newAudit(log *slog.Logger) *audit {
	return &audit{log: log.With(slog.Bool("audit", true)), now: time.Now, known: map[offender]*refusals{}}
}

func (a *audit) came(r *http.Request, token string) {
	a.log.Info("login accepted", who(r, token)...)
}

func (a *audit) left(r *http.Request, token string) {
	a.log.Info("logout", who(r, token)...)
}

// who names a client, and its token where that has a name.
func who(r *http.Request, token string) []any {
	attrs := []any{slog.String("client", addressOf(r))}
	if token != "" {
		attrs = append(attrs, slog.String("token", token))
	}
	return attrs
}

// refused counts a refusal, and tells the first one of its client.
func (a *audit) refused(r *http.Request, what offence) {
	a.mu.Lock()
	defer a.mu.Unlock()
	who, now := offender{clientOf(r), what}, a.now()
	f := a.known[who]
	if f == nil && len(a.known) >= mostAudited {
		who.client = others
		f = a.known[who]
	}
	if f != nil {
		if f.count++; f.count == 1 {
			f.since = now
		}
		return
	}
	f = &refusals{count: 1, since: now}
	a.known[who] = f
	a.tell(who, f, now)
}

// look tells what has waited for a minute, and forgets who has refrained for as long.
func (a *audit) look() {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.now()
	for who, f := range a.known {
		switch {
		case now.Sub(f.told) < auditPause:
		case f.count > 0:
			a.tell(who, f, now)
		default:
			delete(a.known, who)
		}
	}
}

// tellAll tells what has no line yet, before the process ends.
func (a *audit) tellAll() {
	a.mu.Lock()
	defer a.mu.Unlock()
	for who, f := range a.known {
		if f.count > 0 {
			a.tell(who, f, a.now())
		}
	}
}

// tell writes the line of what was counted.
func (a *audit) tell(who offender, f *refusals, now time.Time) {
	attrs := []any{slog.String("client", who.client), slog.Int("count", f.count), slog.Time("since", f.since)}
	if who.what == wrongLogin {
		a.log.Warn("login refused", attrs...)
	} else {
		a.log.Warn("token refused", attrs...)
	}
	f.count, f.told = 0, now
}
