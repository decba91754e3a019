//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
)

// row is one line of the table. Larger ratios are better in each: of times
// ratio is alternative / ours, of rates ours / alternative.
type row struct {
	Item        string `json:"item"`
	Ours        figure `json:"ours"`
	Alternative figure `json:"alternative"`
	Ratio       figure `json:"ratio"`
	Target      figure `json:"target"` // of Ratio
	OK          bool   `json:"ok"`     // Ratio reaches Target
	Unit        string `json:"unit"`
	// Goal says that Alternative is a figure to reach, which nobody measured.
	Goal bool `json:"goal,omitempty"`
	// What a clock on the wall says where the figures above are processor time.
	WallOurs        figure `json:"wall_ours"`
	WallAlternative figure `json:"wall_alternative"`
	WallRatio       figure `json:"wall_ratio"`
	How             string `json:"how"`
}

// figure is a number or, as NaN, none: null.
type figure float64

var none = figure(math.NaN())

func (f figure) known() bool { return !math.IsNaN(float64(f)) && !math.IsInf(float64(f), 0) }

func (f figure) MarshalJSON() ([]byte, error) {
	if !f.known() {
		return []byte("null"), nil
	}
	return json.Marshal(float64(f))
}

func (f *figure) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*f = none
		return nil
	}
	return json.Unmarshal(text, (*float64)(f))
}

func (f figure) String() string {
	if !f.known() {
		return ""
	}
	if f >= 1000 {
		return fmt.Sprintf("%.0f", float64(f))
	}
	return fmt.Sprintf("%.3g", float64(f))
}

// unit says in what a row counts.
type unit struct {
	name  string
	scale float64 // units in one second for times; of one unit per second for rates
	rate  bool
}

func micros(per string) unit { return unit{name: "us/" + per, scale: 1e6} }
func millis(per string) unit { return unit{name: "ms/" + per, scale: 1e3} }
func nanos(per string) unit  { return unit{name: "ns/" + per, scale: 1e9} }

var gflops = unit{name: "GF/s", scale: 1e-9, rate: true}

// of returns a time per piece of work as the unit has it.
func (u unit) of(seconds float64) figure {
	if u.rate {
		return figure(u.scale / seconds)
	}
	return figure(u.scale * seconds)
}

// ratio returns how much better ours is.
func (u unit) ratio(ours, alternative figure) figure {
	if u.rate {
		return ours / alternative
	}
	return alternative / ours
}

// compared is a row of two figures of the unit.
func compared(item string, u unit, ours, alternative, target figure, how string) row {
	r := row{Item: item, Ours: ours, Alternative: alternative, Ratio: u.ratio(ours, alternative), Target: target, Unit: u.name, How: how,
		WallOurs: none, WallAlternative: none, WallRatio: none}
	r.OK = r.Ratio >= r.Target // false without a ratio
	return r
}

// paced is a row of two paces.
func paced(item string, u unit, ours, alternative pace, target figure, how string) row {
	r := compared(item, u, u.of(ours.cpu), u.of(alternative.cpu), target, how)
	r.WallOurs, r.WallAlternative = u.of(ours.wall), u.of(alternative.wall)
	r.WallRatio = u.ratio(r.WallOurs, r.WallAlternative)
	return r
}

// aimed is a row whose alternative is a figure to reach.
func aimed(item string, u unit, ours, goal figure, how string) row {
	r := compared(item, u, ours, goal, 1, how)
	r.Goal, r.How = true, how+"; the alternative is the goal"
	return r
}

// lacking is a row whose alternative cannot be had. It is loud.
func lacking(item string, u unit, ours pace, target figure, why error) row {
	fmt.Fprintf(os.Stderr, "\n*** NOT MEASURED: %s: %v ***\n\n", item, why)
	return paced(item, u, ours, unknown, target, fmt.Sprintf("not measured: %v", why))
}
