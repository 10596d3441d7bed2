# frozen_string_literal: true

# The orders of an account, the newest first, page by page.
class OrderSearch
  PER_PAGE = 50

  attr_reader :page

  def initialize(account, status: nil, page: nil)
    @account = account
    @status = status
    @page = [page.to_i, 1].max
  end

  def results
    matching.order(created_at: :desc, id: :desc).offset(page * PER_PAGE).limit(PER_PAGE)
  end

  def pages
    matching.count.fdiv(PER_PAGE).ceil
  end

  private

  def matching
    @status.present? ? @account.orders.where(status: @status) : @account.orders
  end
end
