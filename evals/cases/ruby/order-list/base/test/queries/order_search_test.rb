# frozen_string_literal: true

require "test_helper"

class OrderSearchTest < ActiveSupport::TestCase
  setup do
    @account = accounts(:harbour)
    @account.orders.delete_all
  end

  test "lists the newest first" do
    old = create_order("O-1", created_at: 2.days.ago)
    new = create_order("O-2", created_at: 1.day.ago)

    assert_equal [new, old], OrderSearch.new(@account).results.to_a
  end

  test "lists those of a status" do
    create_order("O-1", status: "open")
    sent = create_order("O-2", status: "sent")

    assert_equal [sent], OrderSearch.new(@account, status: "sent").results.to_a
  end

  private

  def create_order(number, **attributes)
    @account.orders.create!(number:, customer: customers(:ada), status: "open", total: 10, **attributes)
  end
end
