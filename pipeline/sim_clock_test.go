package pipeline

import (
	"container/heap"
	"time"
)

// simClock is simulated time: what will happen, in order. What is due at one
// instant happens in the order in which it was asked for.
type simClock struct {
	now   time.Duration
	asked uint64
	due   simDue
}

type simEvent struct {
	at    time.Duration
	asked uint64
	do    func()
}

// after makes do happen when d has passed.
func (c *simClock) after(d time.Duration, do func()) {
	c.asked++
	heap.Push(&c.due, simEvent{c.now + max(0, d), c.asked, do})
}

// next goes on to what happens next. It reports false when nothing will.
func (c *simClock) next() bool {
	if len(c.due) == 0 {
		return false
	}
	e := heap.Pop(&c.due).(simEvent)
	c.now = e.at
	e.do()
	return true
}

type simDue []simEvent

func (d simDue) Len() int { return len(d) }
func (d simDue) Less(i, j int) bool {
	return d[i].at < d[j].at || d[i].at == d[j].at && d[i].asked < d[j].asked
}
func (d simDue) Swap(i, j int) { d[i], d[j] = d[j], d[i] }
func (d *simDue) Push(x any)   { *d = append(*d, x.(simEvent)) }
func (d *simDue) Pop() any {
	old := *d
	last := old[len(old)-1]
	old[len(old)-1].do = nil
	*d = old[:len(old)-1]
	return last
}
