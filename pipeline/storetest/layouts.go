package storetest

import (
	"errors"
	"reflect"

	"github.com/credence-stream/credence/pipeline"
)

var layoutCases = []testCase{{
	"layout",
	"a layout that two runs change at once is that of one of them, and workers see it at their next claim",
	func(s *subject) {
		l := s.layout()
		if l.Partitions != -1 || l.Past != nil || l.Moving != nil {
			s.t.Errorf("an empty store has the layout %+v", l)
		}
		s.pins(4, 4)
		was := s.layout()
		m := &pipeline.Moving{ID: "m", From: 4, To: 12, Step: pipeline.MoveGrow, Era: pipeline.Era{ID: "m", Partitions: []pipeline.Stretch{
			{From: 1, To: 20, Keys: 3, Gaps: []pipeline.Gap{{From: 2, To: 5}}, Configured: []pipeline.Configured{{Fingerprint: "f", Core: "c", Limits: `{"rows":1}`}}}, {},
		}}}
		moving := pipeline.Layout{Partitions: pipeline.Rescales, Moving: m}
		s.lays(was, moving, nil)
		s.lays(was, pipeline.Layout{Partitions: 5}, pipeline.ErrFenced)
		s.pins(12, pipeline.Rescales)
		if got := s.layout(); !reflect.DeepEqual(got, moving) {
			s.t.Errorf("the layout is %+v, want %+v", got, moving)
		}
		done := pipeline.Layout{Partitions: 12, Past: []pipeline.Era{m.Era}}
		s.lays(s.layout(), done, nil)
		s.lays(moving, was, pipeline.ErrFenced)
		s.pins(4, 12)
		if got := s.layout(); !reflect.DeepEqual(got, done) {
			s.t.Errorf("the layout is %+v, want %+v", got, done)
		}
		if err := s.Admin.Unpin(s.ctx(), part.Topic); err != nil {
			s.t.Fatal(err)
		}
		s.pins(7, 7)
	},
}, {
	"import marks",
	"a mark that an import has taken back from a topic without a count must not stay behind as a count that is that of no topic",
	func(s *subject) {
		was := s.layout()
		mark := &pipeline.Importing{ID: "i", File: "s.arrows", Since: 1795660589280}
		importing := pipeline.Layout{Partitions: pipeline.Rescales, Importing: mark}
		s.lays(was, importing, nil)
		s.pins(4, pipeline.Rescales)
		if got := s.layout(); !reflect.DeepEqual(got, importing) {
			s.t.Errorf("the layout is %+v, want %+v", got, importing)
		}
		other := pipeline.Layout{Partitions: pipeline.Rescales, Importing: &pipeline.Importing{ID: "j", File: mark.File, Since: mark.Since}}
		s.lays(other, was, pipeline.ErrFenced)
		s.lays(importing, was, nil)
		if got := s.layout(); !reflect.DeepEqual(got, was) {
			s.t.Errorf("taken back, the layout is %+v, was %+v", got, was)
		}
		s.pins(4, 4)
	},
}, {
	"begun",
	"where the partition count is lost, whatever is left of any partition says that keys may be elsewhere",
	func(s *subject) {
		begun := func(n, want int) {
			s.t.Helper()
			if got, err := s.Store.Begun(s.ctx(), part.Topic, n); err != nil || got != want {
				s.t.Errorf("of %d partitions %d have states, error %v; want %d", n, got, err, want)
			}
		}
		most := int(part.ID) + 1
		begun(0, 0)
		begun(most+700, 0)
		s.claim("a") // and nothing is saved
		begun(most, 0)
		s.save("a", put(-1, 10, "k", "ten"))
		begun(most, 1)
		begun(most-1, 0)
		begun(most+700, 1)
		if err := s.Admin.Clear(s.ctx(), lease("b"), s.meta()); err != nil {
			s.t.Fatal(err)
		}
		begun(most, 0)
	},
}, {
	"amend",
	"states that move must not look like progress in the log, nor be written by who lost the partition",
	func(s *subject) {
		s.claim("a")
		s.save("a", put(-1, 10, "k", "ten", "l", "ten", "m", big("x")))
		s.amends("a", put(10, 10, "k", "", "l", "eleven", "n", big("y")), nil)
		s.amends("a", put(10, 10, "n", big("y")), nil)
		s.holds("a", 10, "k", "")
		s.holds("a", 10, "l", "eleven")
		s.holds("a", 10, "n", big("y"))
		s.audits(pipeline.Audit{Counted: 3, Held: 3, Listed: 3})
		if m := s.meta(); m.Watermark != 10 || m.Keys != 3 {
			s.t.Errorf("amended: %+v", m)
		}
		s.amends("b", put(10, 10, "l", "zombie"), pipeline.ErrFenced)
		s.amends("a", put(9, 9, "l", "stale"), pipeline.ErrFenced)
		s.holds("a", 10, "l", "eleven")
		if err := s.Layouts.Amend(s.ctx(), lease("a"), put(10, 11, "l", "further")); err == nil {
			s.t.Error("an amendment moves the watermark")
		}
	},
}}

func (s *subject) layout() pipeline.Layout {
	s.t.Helper()
	l, err := s.Layouts.Layout(s.ctx(), part.Topic)
	if err != nil {
		s.t.Fatal(err)
	}
	return l
}

func (s *subject) lays(was, is pipeline.Layout, want error) {
	s.t.Helper()
	if err := s.Layouts.SetLayout(s.ctx(), part.Topic, was, is); !errors.Is(err, want) {
		s.t.Errorf("layout %+v instead of %+v: error %v, want %v", is, was, err, want)
	}
}

func (s *subject) pins(n, want int) {
	s.t.Helper()
	if got, err := s.Store.Pin(s.ctx(), part.Topic, n); err != nil || got != want {
		s.t.Errorf("pinned at %d and error %v, want %d", got, err, want)
	}
}

func (s *subject) amends(token string, c pipeline.Checkpoint, want error) {
	s.t.Helper()
	if err := s.Layouts.Amend(s.ctx(), lease(token), c); !errors.Is(err, want) {
		s.t.Errorf("amend by %s at %d: error %v, want %v", token, c.From, err, want)
	}
}
