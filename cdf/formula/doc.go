// Package formula reads model formulas as R, patsy and formulaic write them,
//
//	sold ~ price + promo * weather + log(visitors) + season(at, 24h, 2) + (1 | shop)
//
// and makes of a shard's columns the ones that a model takes. A formula holds no
// state: what it needs to know of the data, which columns are factors and what
// their levels are, is fixed by the key's first shard and part of its design.
//
// Parse reads the text; the Formula then is the cdf.Formula of a cdf.Spec.
package formula
