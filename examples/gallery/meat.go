package main

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg/draw"
)

var meat = scenario{
	name: "meat", kind: "compressed",
	question: "How much fat is in a sample of meat, measured by light alone?",
	file:     "meat.csv.gz", topic: "meat",
	sends:    []send{{key: "meat", rows: 10}},
	findings: meatFindings, picture: meatPicture,
}

// meatLearnt is how many samples make the first part of the stream, whose
// predictions are not counted among the findings.
const meatLearnt = 100

func meatFindings(r *result) []finding {
	last := r.last("meat")
	var squares, inside, n float64
	for _, p := range r.keys["meat"] {
		if p.Rows > meatLearnt {
			rows := float64(p.Score.Rows)
			squares += rows * *p.Score.RMSE * *p.Score.RMSE
			inside += rows * *p.Score.Coverage95
			n += rows
		}
	}
	found := []finding{
		{"error of prediction after 100 samples, rms, % fat", math.Sqrt(squares / n), math.NaN(), math.NaN(), 1},
		{"of these predictions inside their 95 % interval, %", 100 * inside / n, math.NaN(), math.NaN(), 0},
		of("noise, sd, % fat", 1, last.of("sigma2"), math.Sqrt),
	}
	for _, nm := range []int{870, 930, 1020} {
		found = append(found, of("weight at "+itoa(nm)+" nm, % fat per 0.1 absorbance", 1, last.of("gamma[nm"+itoa(nm)+"]"), times(.1)))
	}
	return found
}

func meatPicture(r *result) *page {
	left := panel("wavelength, nm", "weight, % fat per 0.1 absorbance")
	f := new(fan)
	for nm := 850; nm < 1050; nm += 2 {
		f.variable(float64(nm), r.last("meat").of("gamma[nm"+itoa(nm)+"]"), times(.1))
	}
	zero := dashed(grey)
	line(left, zero, plotter.XYs{{X: 850, Y: 0}, {X: 1050, Y: 0}})
	f.draw(left, blue, solid(blue))
	frame(left, 850, 1050, -32, 32)

	right := panel("samples seen before", "error of prediction, rms of 10, % fat")
	var errors plotter.XYs
	seen := 0
	for _, p := range r.keys["meat"] {
		if p.Score.RMSE != nil {
			errors = append(errors, plotter.XY{X: float64(seen), Y: *p.Score.RMSE})
		}
		seen = p.Rows
	}
	fat, mean, squares := r.rows.number("fat"), 0., 0.
	for _, v := range fat {
		mean += v / float64(len(fat))
	}
	for _, v := range fat {
		squares += (v - mean) * (v - mean)
	}
	sd := math.Sqrt(squares / float64(len(fat)-1))
	all := dashed(black)
	line(right, all, plotter.XYs{{X: 0, Y: sd}, {X: 215, Y: sd}})
	dot := marker(vermillion, 3, draw.BoxGlyph{})
	thin := draw.LineStyle{Color: faint(vermillion, 120), Width: .8}
	line(right, thin, errors)
	dots(right, dot, errors)
	frame(right, 0, 215, 0, 14.5)
	l := solid(blue)
	return &page{
		title:  "Fat in 215 samples of meat: 100 wavelengths tell it together, none tells it alone",
		height: 265, shares: []float64{.56, .44}, panels: []*plot.Plot{left, right},
		legend: []entry{
			{label: "weight of a wavelength, 50 %, 95 %", line: &l, bands: &blue},
			{label: "error of the next ten samples", line: &thin, glyph: &dot},
			{label: "sd of all samples", line: &all},
		},
	}
}
