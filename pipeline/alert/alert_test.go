package alert

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/credence-stream/credence/cdf/quantity"
)

func one(bound, clear float64, n int64) []quantity.Alert {
	return []quantity.Alert{{Name: "a", When: "P(x > 0) > .9", Bound: bound, Clear: clear, For: n}}
}

// told writes down what alerts make of figures: + rises, - falls, . neither.
func told(alerts []quantity.Alert, figures ...float64) string {
	var b strings.Builder
	var states []State
	for _, v := range figures {
		var events []Event
		states, events = Step(states, alerts, []float64{v})
		switch {
		case len(events) == 0:
			b.WriteByte('.')
		case events[0].Raised:
			b.WriteByte('+')
		default:
			b.WriteByte('-')
		}
	}
	return b.String()
}

func TestAnAlertRisesAndFalls(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		n       int64
		figures []float64
		want    string
	}{
		{1, []float64{.95, .95, .85, .79, .95}, "+..-+"},                                 // between clear and bound nothing happens
		{1, []float64{.9, .900001, .8, .799}, ".+.-"},                                    // both bounds are exclusive
		{3, []float64{.95, .95, .95, .95}, "..+."},                                       // only once
		{3, []float64{.95, .95, .9, .95, .95, .95}, ".....+"},                            // the count begins anew
		{3, []float64{.95, .95, nan, .95, .95, .95}, ".....+"},                           // also where nothing is known
		{2, []float64{.95, .95, .7, .95, .7, .85, .7, .7, .95, .95}, ".+.....-.+"},       // to fall it takes as many
		{2, []float64{.95, .7, .95, .95, .7, nan, .7, .7, .7, .95}, "...+...-.."},        //
		{2, []float64{.95, .95, .95, .95, .5, .5, .5, .5, .95, .95, .95}, ".+...-...+."}, //
	} {
		if got := told(one(.9, .8, c.n), c.figures...); got != c.want {
			t.Errorf("for %d, %v: %s, want %s", c.n, c.figures, got, c.want)
		}
	}
}

// plain is Step by the whole past of the figures, for one alert.
func plain(a *quantity.Alert, past []float64) (raised bool) {
	from := 0
	for i := range past {
		if int64(i-from+1) < a.For {
			continue
		}
		all := true
		for _, v := range past[i-int(a.For)+1 : i+1] {
			all = all && (!raised && v > a.Bound || raised && v < a.Clear)
		}
		if all {
			raised, from = !raised, i+1
		}
	}
	return raised
}

func TestStepsAreTheWholePast(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		alerts := one(.6, .4, 1+rng.Int64N(4))
		var states []State
		var past []float64
		for range 60 {
			v := rng.Float64()
			if rng.IntN(10) == 0 {
				v = math.NaN()
			}
			past = append(past, v)
			before := fmt.Sprint(states)
			after, _ := Step(states, alerts, []float64{v})
			if fmt.Sprint(states) != before {
				t.Fatal("the states before were changed")
			}
			back, ok := Read(Append(nil, after))
			if !ok || !reflect.DeepEqual(back, after) {
				t.Fatalf("%v is read back as %v", after, back)
			}
			states = back
			if got, want := len(Raised(states)) == 1, plain(&alerts[0], past); got != want {
				t.Fatalf("after %v: raised is %v", past, got)
			}
		}
	}
}

func TestAnAlertThatIsGoneFalls(t *testing.T) {
	raised, _ := Step(nil, one(.9, .8, 1), []float64{.95})
	changed := one(.91, .8, 1)
	after, events := Step(raised, changed, []float64{.95})
	if len(events) != 2 || events[0].Raised || events[0].Withdrawn != removed || !events[1].Raised || len(after) != 1 {
		t.Errorf("%+v, %+v", after, events)
	}
	if after, events = Step(raised, nil, nil); len(after) != 0 || len(events) != 1 {
		t.Errorf("%+v, %+v", after, events)
	}
	if events = Withdraw(raised, Deleted); len(events) != 1 || events[0].Withdrawn != Deleted || events[0].Word() != "cleared" {
		t.Errorf("%+v", events)
	}
}

func TestDamagedStates(t *testing.T) {
	states := []State{{"a", 1, 2, true}, {"b", 3, 4, false}}
	b := Append(nil, states)
	for n := range b {
		if _, ok := Read(b[:n]); ok {
			t.Errorf("%d bytes of %d are taken", n, len(b))
		}
	}
	for _, bad := range [][]byte{append(b, 0), {0xff, 0xff, 0xff, 0xff, 0xf}, {1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}} {
		if _, ok := Read(bad); ok {
			t.Errorf("%v is taken", bad)
		}
	}
}
