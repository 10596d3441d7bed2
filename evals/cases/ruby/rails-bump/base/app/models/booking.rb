# frozen_string_literal: true

class Booking < ApplicationRecord
  belongs_to :berth

  enum state: { asked: 0, confirmed: 1, cancelled: 2 }

  serialize :extras, Array

  validates :arrives_on, :leaves_on, presence: true
  validate :leaves_after_arriving

  before_save :note_confirmation, if: -> { state_changed?(to: "confirmed") }

  def nights
    (leaves_on - arrives_on).to_i
  end

  def title
    "#{berth.name}, #{arrives_on.to_s(:short)} to #{leaves_on.to_s(:short)}"
  end

  private

  def leaves_after_arriving
    return if arrives_on.nil? || leaves_on.nil? || leaves_on > arrives_on

    errors.add(:leaves_on, "is not after the arrival")
  end

  def note_confirmation
    self.confirmed_at = Time.current
  end
end
