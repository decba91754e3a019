// Package quantity reads the expressions of publish.quantities and alerts: linear forms
// of published variables, a monotone function of one, and comparisons.
//
//	comparison = sum (">" | ">=" | "<" | "<=") sum
//	sum        = ["+" | "-"] product {("+" | "-") product}
//	product    = factor {("*" | "/") factor}
//	factor     = number | name | function "(" sum ")" | "(" sum ")"
//	function   = "exp" | "log" | "sqrt"
//	name       = word ["[" anything "]"] | "`" anything "`" | `"` anything `"`
//
// At most one factor of a product is not a number, and a divisor is one. A function of
// variables may be multiplied and shifted by numbers, and stands in no sum with
// other variables: only then its quantiles follow from those of what is in it.
package quantity

import (
	"math"
	"slices"
)

// The bounds of an expression.
const (
	MaxBytes = 1000
	maxTerms = 64
	maxDepth = 20
)

// Function is applied to a linear form. All are increasing.
type Function string

// The functions; Identity is none.
const (
	Identity Function = ""
	Exp      Function = "exp"
	Log      Function = "log"
	Sqrt     Function = "sqrt"
)

// At returns the function at x, NaN where it is not defined.
func (f Function) At(x float64) float64 {
	switch f {
	case Exp:
		return math.Exp(x)
	case Log:
		return math.Log(x)
	case Sqrt:
		return math.Sqrt(x)
	}
	return x
}

// Term is a variable and its factor.
type Term struct {
	Variable string
	Weight   float64
}

// Form is Shift + Scale*Function(Const + sum of Weight*Variable). Without a
// function Shift is 0 and Scale 1. Variables are there once, in the order in
// which they are named.
type Form struct {
	Const        float64
	Terms        []Term
	Function     Function
	Shift, Scale float64
}

// constant returns the form without variables.
func constant(v float64) Form { return Form{Const: v, Scale: 1} }

func (f *Form) isConstant() bool { return len(f.Terms) == 0 }

// At returns the form's value where its linear part has the value x.
func (f *Form) At(x float64) float64 {
	if f.Function == Identity {
		return x
	}
	return f.Shift + float64(f.Scale*f.Function.At(x))
}

// times multiplies the form by a number.
func (f *Form) times(v float64) {
	if f.Function != Identity {
		f.Shift, f.Scale = f.Shift*v, f.Scale*v
		return
	}
	f.Const *= v
	for i := range f.Terms {
		f.Terms[i].Weight *= v
	}
}

// plus adds another form to this one and reports whether the sum is a form.
func (f *Form) plus(o *Form) bool {
	switch {
	case o.isConstant() && f.Function != Identity:
		f.Shift += o.Const
	case f.isConstant() && o.Function != Identity:
		c := f.Const
		*f = *o
		f.Shift += c
	case f.Function != Identity || o.Function != Identity:
		return false
	default:
		f.Const += o.Const
		for _, t := range o.Terms {
			i := slices.IndexFunc(f.Terms, func(mine Term) bool { return mine.Variable == t.Variable })
			if i < 0 {
				f.Terms = append(f.Terms, t)
			} else {
				f.Terms[i].Weight += t.Weight
			}
		}
	}
	return true
}

// tidy drops variables that cancel.
func (f *Form) tidy() {
	f.Terms = slices.DeleteFunc(f.Terms, func(t Term) bool { return t.Weight == 0 })
}

func (f *Form) finite() bool {
	ok := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	for _, t := range f.Terms {
		if !ok(t.Weight) {
			return false
		}
	}
	return ok(f.Const) && ok(f.Shift) && ok(f.Scale)
}

// Positive returns the linear form that is positive where and only where this one
// is; ok is false where the form has one sign whatever its variables are.
func (f Form) Positive() (linear Form, ok bool) {
	f.Terms = slices.Clone(f.Terms)
	return f, f.positive() == ""
}

// positive turns the form into a linear one that is positive where and only where it
// is; why says that it always or never is.
func (f *Form) positive() (why string) {
	if f.Function == Identity {
		return ""
	}
	if f.Scale == 0 {
		return "has no variable"
	}
	// Scale*fn(x) > -Shift, that is fn(x) above or below a bound.
	bound := -f.Shift / f.Scale
	switch {
	case f.Function == Exp && bound <= 0, f.Function == Sqrt && bound < 0:
		return "has the same answer whatever the variables are"
	case f.Function == Exp:
		bound = math.Log(bound)
	case f.Function == Log:
		bound = math.Exp(bound)
	default:
		bound *= bound
	}
	sign := math.Copysign(1, f.Scale)
	f.Function, f.Shift, f.Scale = Identity, 0, 1
	f.Const -= bound
	f.times(sign)
	return ""
}
