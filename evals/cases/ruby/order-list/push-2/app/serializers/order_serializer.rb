# frozen_string_literal: true

# An order as the API shows it.
class OrderSerializer
  def initialize(order)
    @order = order
  end

  def as_json(*)
    {
      number: @order.number,
      status: @order.status,
      customer: { id: @order.customer_id, name: @order.customer.name },
      total: format("%.2f", @order.total),
      created_at: @order.created_at.iso8601
    }
  end
end
