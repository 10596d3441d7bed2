# frozen_string_literal: true

class Article < ApplicationRecord
  belongs_to :supplier

  validates :sku, presence: true, uniqueness: true
end
