# frozen_string_literal: true

class User < ApplicationRecord
  belongs_to :account
  has_many :memberships, dependent: :destroy

  def editor_of?(folder)
    memberships.exists?(folder:, role: "editor")
  end

  def viewer_of?(folder)
    memberships.exists?(folder:)
  end
end
