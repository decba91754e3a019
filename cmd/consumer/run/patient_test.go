package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// slow is a writer that stands still while somebody holds it, and may fail.
type slow struct {
	held  chan struct{} // of one
	text  bytes.Buffer
	fails bool
}

func newSlow() *slow { return &slow{held: make(chan struct{}, 1)} }

func (s *slow) hold()    { s.held <- struct{}{} }
func (s *slow) release() { <-s.held }

func (s *slow) Write(b []byte) (int, error) {
	s.hold()
	defer s.release()
	if s.fails {
		return 0, errors.New("no space left on device")
	}
	return s.text.Write(b)
}

// TestALogThatNobodyReads: what logs goes on after a second, lines wait up to a megabyte, the others are counted and told
// of, in their place, once somebody reads; and what does not end is not waited for at the end.
func TestALogThatNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := newSlow()
		p := newPatient(to, "text", time.Second)
		log := newLogger(p, "text", slog.LevelInfo)
		log.Info("before")
		if !strings.Contains(to.text.String(), "msg=before") {
			t.Error("a line is not there when it has been said")
		}
		to.hold() // nobody reads
		began := time.Now()
		long := strings.Repeat("x", mostHeld/10)
		for i := range 20 {
			log.Info("line", "n", i, "long", long)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("twenty lines took %v", took)
		}
		if lost := p.linesLost(); lost != 11 {
			t.Errorf("%d lines are lost", lost)
		}
		to.release()
		synctest.Wait()
		log.Info("after")
		text := to.text.String()
		if n := strings.Count(text, "msg=line"); n != 9 || strings.Count(text, "lines=11") != 1 || strings.Index(text, "lines=11") > strings.Index(text, "msg=after") || strings.Index(text, "n=8") > strings.Index(text, "lines=11") {
			t.Errorf("%d lines are there\n%s", n, strings.ReplaceAll(text, long, "..."))
		}
		to.hold()
		began = time.Now()
		log.Info("last")
		if p.End() || time.Since(began) != 2*time.Second {
			t.Errorf("the end took %v", time.Since(began))
		}
		to.release()
	})
}

// TestALogThatIsFull: lines that cannot be written are counted, and told of once some can.
func TestALogThatIsFull(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		to := newSlow()
		p := newPatient(to, jsonLog, time.Second)
		to.fails = true
		for i := range 3 {
			_, _ = fmt.Fprintln(p, i)
		}
		to.fails = false
		_, _ = io.WriteString(p, "4\n")
		if !p.End() || p.linesLost() != 3 {
			t.Errorf("%d lost", p.linesLost())
		}
		if text := to.text.String(); !strings.HasPrefix(text, "4\n{") || !strings.Contains(text, `"msg":"log lines were lost","lines":3`) {
			t.Errorf("%s", text)
		}
		if _, err := p.Write([]byte("after the end")); err != nil || p.linesLost() != 4 {
			t.Errorf("%v, %d lost", err, p.linesLost())
		}
	})
}
