package stock

import (
	"context"
	"database/sql"
	"fmt"
)

// Store is the warehouse's database.
type Store struct {
	db *sql.DB
}

// NewStore returns a store on an open database.
func NewStore(db *sql.DB) *Store {
	return &Store{db: db}
}

// Reserve takes an order's goods out of the stock, all or nothing. It returns ErrShort where something is missing.
func (s *Store) Reserve(ctx context.Context, order string, lines []Line) error {
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for i, line := range lines {
		done, err := tx.ExecContext(ctx,
			`UPDATE stock SET available = available - $1 WHERE sku = $2 AND available >= $1`,
			line.Quantity, line.SKU)
		if err != nil {
			return fmt.Errorf("reserve %s: %w", line.SKU, err)
		}
		if n, err := done.RowsAffected(); err != nil {
			return err
		} else if n == 0 {
			return fmt.Errorf("%w: %s", ErrShort, line.SKU)
		}
		if err := note(ctx, tx, order, i, line); err != nil {
			return err
		}
	}
	return tx.Commit()
}

func note(ctx context.Context, tx *sql.Tx, order string, i int, line Line) error {
	_, err := tx.ExecContext(ctx,
		`INSERT INTO reservations (order_id, line, sku, quantity) VALUES ($1, $2, $3, $4)`,
		order, i, line.SKU, line.Quantity)
	if err != nil {
		return fmt.Errorf("note %s: %w", line.SKU, err)
	}
	return nil
}
