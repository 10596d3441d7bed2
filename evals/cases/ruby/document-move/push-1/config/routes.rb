# frozen_string_literal: true

Rails.application.routes.draw do
  resources :documents, only: %i[show update destroy] do
    post :move, on: :collection
  end
end
