# frozen_string_literal: true

class Article < ApplicationRecord
  belongs_to :newsletter

  scope :published, -> { where(published_at: ..Time.current) }
end
