// Package stock reserves goods for orders.
package stock

import "errors"

// ErrShort means that less is available than an order needs.
var ErrShort = errors.New("not enough in stock")

// Line is one line of an order. The same SKU may be on several lines.
type Line struct {
	SKU      string
	Quantity int
	Gift     string
}
