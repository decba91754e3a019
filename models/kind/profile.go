package kind

// Profile is what a sample of rows showed, as far as a kind needs it.
type Profile struct {
	Response struct {
		Name        string // as it is shown to people
		Binary      bool   // 0 and 1 only
		Count       bool   // whole numbers from 0 on that look like counts
		Least, Most float64
		Distinct    string // how many different values
	}
	Features int      // columns that could be features
	Groups   []string // columns that name groups, as they are shown to people
	Clock    string   // the column that says when, "" for none
}

// Suggestion is what a kind makes of a profile. The zero value says that it
// does not fit.
type Suggestion struct {
	Use string // what the kind would be for, "" where it should not be named
	Why string // why it is the one to choose, "" where nothing speaks for it
	By  Reason // how much Why weighs
}

// Reason says what a suggestion goes by. Of several kinds the one with the
// weightiest reason is drafted, of equals the first in the registry.
type Reason int

// The reasons, the weightiest last.
const (
	ByDefault  Reason = iota // fits any response
	ByColumns                // what the other columns are
	ByResponse               // what the response is
)

// Fit is what least squares say of a sample, on columns that are centred and scaled.
type Fit struct {
	Free    int     // rows less coefficients, the intercept's too
	Squares float64 // of the residuals, their sum
	Noise   float64 // variance of the rows
	// Largest and Intercept are the most that the square of a coefficient, and of the
	// intercept, is expected to be: of the estimate and its standard error.
	Largest, Intercept float64
}
