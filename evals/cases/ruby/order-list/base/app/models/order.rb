# frozen_string_literal: true

class Order < ApplicationRecord
  STATUSES = %w[open packed sent returned].freeze

  belongs_to :account
  belongs_to :customer

  validates :status, inclusion: { in: STATUSES }
  validates :number, presence: true, uniqueness: { scope: :account_id }
end
