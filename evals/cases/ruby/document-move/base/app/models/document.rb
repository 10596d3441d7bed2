# frozen_string_literal: true

class Document < ApplicationRecord
  belongs_to :account
  belongs_to :folder
  has_many :events, class_name: "DocumentEvent", dependent: :destroy

  validates :name, presence: true, uniqueness: { scope: :folder_id }

  def record!(what, by:)
    events.create!(what:, user: by)
  end
end
