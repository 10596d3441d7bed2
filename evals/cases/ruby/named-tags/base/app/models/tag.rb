# frozen_string_literal: true

class Tag < ApplicationRecord
  has_many :taggings, dependent: :destroy
  has_many :articles, through: :taggings

  validates :slug, :name, presence: true

  def self.slug_of(name)
    name.squish.parameterize
  end
end
