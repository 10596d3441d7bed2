# frozen_string_literal: true

# Somebody who gets a newsletter; `digested_on` is the day of the last one.
class Subscriber < ApplicationRecord
  belongs_to :newsletter

  scope :active, -> { where(unsubscribed_at: nil) }
  scope :not_digested_on, ->(day) { where(digested_on: nil).or(where.not(digested_on: day)) }
end
