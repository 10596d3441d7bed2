# frozen_string_literal: true

# The orders of an account, the newest first.
class OrderSearch
  MOST = 100

  def initialize(account, status: nil)
    @account = account
    @status = status
  end

  def results
    orders = @account.orders.order(created_at: :desc, id: :desc)
    orders = orders.where(status: @status) if @status.present?
    orders.limit(MOST)
  end
end
