package redis

import (
	"maps"
	"strconv"
	"testing"
)

func TestBeats(t *testing.T) {
	onBackends(t, testBeats)
	testBeats(t, openCluster(t))
}

func testBeats(t *testing.T, b backend) {
	s := b.store(t, "beats")
	for i, want := range []map[string]string{{"a": "1"}, {"a": "1", "b": "2"}, {"a": "3", "b": "2"}} {
		member := "a"
		if i == 1 {
			member = "b"
		}
		got, err := s.Beat(t.Context(), member, strconv.Itoa(i+1))
		if err != nil || !maps.Equal(got, want) {
			t.Fatalf("beats %v, %v, want %v", got, err, want)
		}
	}
	if err := s.Forget(t.Context(), "b"); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Beat(t.Context(), "", "9"); err != nil || !maps.Equal(got, map[string]string{"a": "3"}) {
		t.Fatalf("beats %v, %v", got, err)
	}
}
