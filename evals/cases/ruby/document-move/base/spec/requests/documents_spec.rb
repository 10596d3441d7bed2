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
end
