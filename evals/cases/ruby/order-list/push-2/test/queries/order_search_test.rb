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

    assert OrderSearch.new(@account, status: "sent").results.to_a, [sent]
  end

  test "counts the pages" do
    51.times { |number| create_order("O-#{number}") }

    assert_equal 2, OrderSearch.new(@account).pages
    assert_equal 0, OrderSearch.new(@account, status: "returned").pages
  end

  test "goes on where the last page ended" do
    orders = Array.new(51) { |number| create_order("O-#{number}", created_at: number.hours.ago) }

    assert_equal [orders.last], OrderSearch.new(@account, page: 2).results.to_a
  end

  test "takes anything that is no page for the first one" do
    assert_equal 1, OrderSearch.new(@account, page: "-3").page
    assert_equal 1, OrderSearch.new(@account, page: "last").page
  end

  private

  def create_order(number, **attributes)
    @account.orders.create!(number:, customer: customers(:ada), status: "open", total: 10, **attributes)
  end
end
