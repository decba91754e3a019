package draft

import (
	"regexp"
	"slices"
	"strings"
)

// Names say much about columns. They are compared word by word: store_id,
// storeId and "Store ID" are the words store and id.

var (
	responseWords = []string{"y", "response", "target", "outcome", "label"}
	idWords       = []string{"id", "uuid", "guid", "index", "row", "rownum", "rowid", "nr", "no", "number", "serial", "key"}
	groupWords    = []string{
		"group", "code", "store", "shop", "site", "school", "county", "region", "unit", "subject", "patient", "user",
		"customer", "client", "product", "item", "sku", "category", "class", "zip", "department", "station", "sensor",
		"device", "machine", "team", "hospital", "district", "location", "state", "country", "city", "id",
	}
	// measureWords say of integers that they are amounts, as of mpg.city.
	measureWords = []string{
		"mpg", "price", "cost", "income", "revenue", "sales", "rate", "population", "pop", "count", "total", "area", "distance", "km", "miles",
		"hours", "days", "years", "age", "size", "weight", "height", "score", "visits",
	}
	timeWords = []string{
		"t", "time", "timestamp", "date", "year", "quarter", "month", "week", "day", "step", "period", "epoch", "tick",
	}
	exposureWords = []string{
		"exposure", "population", "pop", "offset", "area", "hours", "days", "years", "km", "miles", "distance", "trials", "visits",
		"visitors", "impressions", "persons", "risk", "volume", "length", "duration",
	}
)

var seam = regexp.MustCompile(`([a-z0-9])([A-Z])`)

// has reports whether a name has one of the words.
func has(name string, words []string) bool {
	name = seam.ReplaceAllString(name, "$1 $2")
	parts := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r < 0x80
	})
	return slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(words, part) })
}
