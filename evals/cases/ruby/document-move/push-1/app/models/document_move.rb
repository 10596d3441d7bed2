# frozen_string_literal: true

# Puts documents into another folder.
class DocumentMove
  MOST = 500

  class Refused < StandardError; end

  def initialize(ids, folder:, by:)
    @ids = Array(ids).uniq
    @folder = folder
    @by = by
  end

  def call
    raise Refused, "at most #{MOST} documents at a time" if @ids.size > MOST

    documents = Document.where(id: @ids).includes(:folder).to_a
    raise Refused, "unknown documents" if documents.size < @ids.size
    raise Refused, "not yours to move" unless documents.map(&:folder).uniq.all? { |from| @by.viewer_of?(from) }

    documents.each { |document| move(document) }
  end

  private

  def move(document)
    return if document.folder == @folder

    document.update!(folder: @folder)
    document.record!("moved", by: @by)
  end
end
