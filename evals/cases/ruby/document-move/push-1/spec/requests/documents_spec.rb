# frozen_string_literal: true

require "rails_helper"

RSpec.describe "Documents" do
  let(:account) { create(:account) }
  let(:folder) { create(:folder, account:) }
  let(:user) { create(:user, account:) }

  before { sign_in(user) }

  it "shows a document to viewers" do
    create(:membership, user:, folder:, role: "viewer")
    document = create(:document, account:, folder:)

    get "/documents/#{document.id}"

    expect(response).to have_http_status(:ok)
  end

  it "lets editors only change it" do
    create(:membership, user:, folder:, role: "viewer")
    document = create(:document, account:, folder:)

    patch "/documents/#{document.id}", params: { document: { name: "new" } }

    expect(response).to have_http_status(:forbidden)
  end

  describe "moving" do
    let(:other) { create(:folder, account:) }
    let(:documents) { create_list(:document, 2, account:, folder:) }

    before { create(:membership, user:, folder:, role: "editor") }

    it "puts documents into the other folder" do
      create(:membership, user:, folder: other, role: "editor")

      post "/documents/move", params: { ids: documents.map(&:id), folder_id: other.id }

      expect(response).to have_http_status(:ok)
      expect(documents.map { |document| document.reload.folder }).to all(eq(other))
    end

    it "is for editors of the other folder" do
      create(:membership, user:, folder: other, role: "viewer")

      post "/documents/move", params: { ids: documents.map(&:id), folder_id: other.id }

      expect(response).to have_http_status(:forbidden)
    end

    it "is not for documents that the user does not see" do
      create(:membership, user:, folder: other, role: "editor")
      hidden = create(:document, account:, folder: create(:folder, account:))

      post "/documents/move", params: { ids: [hidden.id], folder_id: other.id }

      expect(response).to have_http_status(:unprocessable_entity)
    end
  end
end
