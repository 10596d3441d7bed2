# frozen_string_literal: true

class Tag < ApplicationRecord
  has_many :taggings, dependent: :destroy
  has_many :articles, through: :taggings

  validates :slug, :name, presence: true

  def self.slug_of(name)
    name.squish.parameterize
  end

  # The tag of this name, which is made where there is none. Two editors may do so at one time; the savepoint keeps a
  # transaction around this usable for the one who comes second.
  def self.named(name)
    slug = slug_of(name)
    find_by(slug:) || transaction(requires_new: true) { create!(slug:, name: name.squish) }
  rescue ActiveRecord::RecordNotUnique
    find_by!(slug:)
  end
end
