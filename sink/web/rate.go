package web

import (
	"container/list"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// maxClients bounds the table of clients; the one that was silent longest
// makes room for a new one.
const maxClients = 4096

// limiter holds every client to a rate of requests.
type limiter struct {
	all, heavy rate.Limit // requests per second

	mu      sync.Mutex
	clients map[string]*list.Element
	order   *list.List // of *client, the one seen last first
}

type client struct {
	address    string
	all, heavy *rate.Limiter
}

// newLimiter returns nil, which limits nothing, for a rate of 0. What computes
// (predictions, contrasts) and what guesses (logins) may come a quarter as often; both
// rates may be had twice at once.
func newLimiter(perSecond float64) *limiter {
	if perSecond <= 0 {
		return nil
	}
	return &limiter{
		all: rate.Limit(perSecond), heavy: rate.Limit(perSecond / 4),
		clients: map[string]*list.Element{}, order: list.New(),
	}
}

func burst(l rate.Limit) int { return max(1, int(math.Ceil(2*float64(l)))) }

// of returns the client at an address.
func (l *limiter) of(address string) *client {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.clients[address]; e != nil {
		l.order.MoveToFront(e)
		return e.Value.(*client) //nolint:forcetypeassert // nothing else is put there
	}
	if l.order.Len() >= maxClients {
		last := l.order.Back()
		delete(l.clients, last.Value.(*client).address) //nolint:forcetypeassert // nothing else is put there
		l.order.Remove(last)
	}
	c := &client{address, rate.NewLimiter(l.all, burst(l.all)), rate.NewLimiter(l.heavy, burst(l.heavy))}
	l.clients[address] = l.order.PushFront(c)
	return c
}

// wait takes a token of the client and returns 0, or says how long there is none.
func (l *limiter) wait(r *http.Request, heavy bool) time.Duration {
	c := l.of(clientOf(r))
	bucket := c.all
	if heavy {
		bucket = c.heavy
	}
	now := time.Now()
	ticket := bucket.ReserveN(now, 1)
	pause := ticket.DelayFrom(now)
	if pause > 0 {
		ticket.CancelAt(now)
	}
	return pause
}

// limit answers 429 to clients that ask too often.
func limit(l *limiter, next http.Handler) http.Handler {
	if l == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if unlimited(r) {
			next.ServeHTTP(w, r)
			return
		}
		if pause := l.wait(r, heavy(r)); pause > 0 {
			w.Header().Set("Retry-After", strconv.Itoa(max(1, int(math.Ceil(pause.Seconds())))))
			writeError(w, http.StatusTooManyRequests, "too_many_requests", "wait as long as Retry-After says, or raise http.rate")
			return
		}
		next.ServeHTTP(w, r)
	})
}

// heavy are requests that compute or guess.
func heavy(r *http.Request) bool {
	return r.Method == http.MethodPost || strings.HasSuffix(r.URL.EscapedPath(), "/contrast")
}

// unlimited are the paths that what watches the process asks for.
func unlimited(r *http.Request) bool {
	switch r.URL.Path {
	case "/livez", "/readyz", "/metrics":
		return true
	}
	return false
}
