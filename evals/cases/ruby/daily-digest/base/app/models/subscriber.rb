# frozen_string_literal: true

# Somebody who gets a newsletter; `digested_on` is the day of the last one.
class Subscriber < ApplicationRecord
  belongs_to :newsletter

  scope :active, -> { where(unsubscribed_at: nil) }
end
