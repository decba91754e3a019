package pipeline

// pace bounds the work that waits at a partition's lanes by the time that it
// takes: a barrier, and a revoke, waits behind all of it. Each lane has at least
// one record, and more as far as they take about one checkpoint interval.
type pace struct {
	interval float64 // seconds
	records  []int   // at each lane
	cost     float64 // of a record in seconds, rather too high; < 0: not yet known
}

func newPace(cfg machineConfig) pace {
	return pace{interval: cfg.interval, records: make([]int, cfg.lanes), cost: -1}
}

// admits reports whether a lane may be given one more record, and counts it.
func (p *pace) admits(lane int) bool {
	if n := p.records[lane]; n > 0 && (p.cost < 0 || float64(n+1)*p.cost > p.interval) {
		return false
	}
	p.records[lane]++
	return true
}

// done tells that a lane is through with a record, and how long its update took;
// 0: there was none, which says nothing of what the next one costs. The cost
// follows a slow record at once, and fast ones by and by.
func (p *pace) done(lane int, seconds float64) {
	p.records[lane]--
	if seconds == 0 {
		return
	}
	p.cost = max(seconds, p.cost+(seconds-p.cost)/16)
}

// back tells that an admitted record was not given to its lane.
func (p *pace) back(lane int) { p.records[lane]-- }

// reset forgets what waits, for the lanes are gone.
func (p *pace) reset() { clear(p.records) }
