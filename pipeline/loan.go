package pipeline

// loan is the memory that the records of one fetch lie in, until it is given back
// for a later fetch to write over. Whoever holds one of the records counts: a
// record from its fetch until it was applied, and the machine for the one that the
// next checkpoint names. A dead letter takes its record's bytes along, and what a
// claim was given up with may still be read by its lanes: there it is never given
// back, and collected like other memory. One goroutine uses it.
type loan struct {
	holders int
	free    func()
}

// lend makes what was fetched a loan, if it is to be given back.
func lend(f *Fetched) {
	if f.Free == nil {
		return
	}
	l := &loan{len(f.Records), f.Free}
	for i := range f.Records {
		f.Records[i].loan = l
	}
}

// hold adds a holder.
func (l *loan) hold() {
	if l != nil {
		l.holders++
	}
}

// leave takes a holder away.
func (l *loan) leave() {
	if l == nil {
		return
	}
	if l.holders--; l.holders == 0 {
		l.free()
	}
}
