package cdf

import "testing"

// A missing value of a categorical column is a level of its own, the last one,
// and its row is kept, but not one that lacks a number.
func TestMissingLevel(t *testing.T) {
	for _, first := range []bool{false, true} {
		spec := &Spec{Missing: "level", Columns: Roles{Features: []Feature{
			{Name: "c", Levels: []string{"a", "b"}, Baseline: "a"}, {Name: "x"},
		}}}
		if f := &spec.Columns.Features[0]; first {
			f.Levels, f.Baseline, f.LevelsFirst = nil, "", true
		}
		nan := NoPrediction().Mean
		b := &Batch{Rows: 5, Columns: []Column{
			{Name: "c", Type: Text, Levels: []string{"a", "b", "z"}, Code: []int32{0, 1, -1, -1, 0}},
			{Name: "x", Number: []float64{1, 2, 3, nan, 5}}, {Name: "y", Number: []float64{1, 2, 3, 4, 5}},
		}}
		d, err := newDesign(spec, b, false)
		if err != nil {
			t.Fatal(err)
		}
		want := []string{"c=b", "c=__other__", "c=__missing__", "x"}
		if len(d.names) != len(want) {
			t.Fatalf("columns %q", d.names)
		}
		for i := range want {
			if d.names[i] != want[i] {
				t.Errorf("columns %q, want %q", d.names, want)
			}
		}
		var at layout
		if err := at.bind(spec, d, b, true); err != nil {
			t.Fatal(err)
		}
		var in intake
		if err := in.admit(spec, d, &at, b, b); err != nil {
			t.Fatal(err)
		}
		var r rows
		s := newScaling(&Spec{}, d, nil)
		for i := range s.x {
			s.x[i].Scale = 1
		}
		s.y.Scale = 1
		if err := r.fill(&in, spec, d, nil, &s, false); err != nil {
			t.Fatal(err)
		}
		wantX := []float64{0, 0, 0, 1, 1, 0, 0, 2, 0, 0, 1, 3, 0, 0, 0, 5}
		if r.n != 4 || len(r.x) != len(wantX) {
			t.Fatalf("%d rows, X %v", r.n, r.x)
		}
		for i := range wantX {
			if r.x[i] != wantX[i] {
				t.Errorf("X %v, want %v", r.x, wantX)
				break
			}
		}
	}
}

// A row may name the level of missing values, as it may name that of levels that are not listed.
func TestMissingLevelByName(t *testing.T) {
	spec := &Spec{Missing: "level", Columns: Roles{Features: []Feature{{Name: "c", Levels: []string{"a", "b"}, Baseline: "a"}}}}
	b := &Batch{Rows: 3, Columns: []Column{
		{Name: "c", Type: Text, Levels: []string{missingLevel, "a"}, Code: []int32{0, -1, 1}}, {Name: "y", Number: []float64{1, 2, 3}},
	}}
	d, err := newDesign(spec, b, false)
	if err != nil {
		t.Fatal(err)
	}
	s := &d.sources[0]
	var in intake
	in.batch = b
	got, err := in.levels(nil, s, 0)
	if err != nil || got[0] != s.gap || got[1] != s.gap || got[2] != none {
		t.Errorf("columns %v, %v, want %d twice and none", got, err, s.gap)
	}
}
