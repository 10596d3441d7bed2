# frozen_string_literal: true

require "test_helper"

class BookingTest < ActiveSupport::TestCase
  setup do
    @booking = Booking.new(berth: berths(:pier), arrives_on: "2024-06-01", leaves_on: "2024-06-04", extras: ["power"])
  end

  test "counts the nights" do
    assert_equal 3, @booking.nights
  end

  test "has a title" do
    assert_equal "Pier 7, 01 Jun to 04 Jun", @booking.title
  end

  test "notes when it was confirmed" do
    freeze_time
    @booking.confirmed!

    assert_equal Time.current, @booking.confirmed_at
  end

  test "keeps its extras" do
    @booking.save!

    assert_equal ["power"], @booking.reload.extras
    assert_equal "---\n- power\n", @booking.extras_before_type_cast
  end
end
