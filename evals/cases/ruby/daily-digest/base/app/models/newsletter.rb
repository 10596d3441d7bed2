# frozen_string_literal: true

class Newsletter < ApplicationRecord
  has_many :articles, dependent: :destroy
  has_many :subscribers, dependent: :destroy
end
