# frozen_string_literal: true

Rails.application.routes.draw do
  resources :documents, only: %i[show update destroy]
end
