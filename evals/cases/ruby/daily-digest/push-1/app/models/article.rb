# frozen_string_literal: true

class Article < ApplicationRecord
  belongs_to :newsletter

  scope :published, -> { where(published_at: ..Time.current) }
  scope :published_on, ->(day) { published.where(published_at: day.all_day).order(:published_at) }
end
