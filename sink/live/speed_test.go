package live

import (
	"testing"
	"time"
)

// TestSpeedOfAClockThatIsSetBack: the speed of the last ten seconds is that of the clock as it is now.
func TestSpeedOfAClockThatIsSetBack(t *testing.T) {
	var s speed
	now := time.Unix(1_700_000_000, 0)
	tell := func(each int64) float64 {
		for range 20 {
			now = now.Add(time.Second)
			s.add(now, each)
		}
		rows, _ := s.over(now)
		return rows
	}
	if rows := tell(30); rows != 30 {
		t.Errorf("%g rows per second, want 30", rows)
	}
	now = now.Add(-time.Hour)
	if rows := tell(50); rows != 50 {
		t.Errorf("after the clock was set back %g rows per second, want 50", rows)
	}
	now = now.Add(-3 * time.Second)
	if rows := tell(30); rows != 30 {
		t.Errorf("after three seconds back %g rows per second, want 30", rows)
	}
}
