# frozen_string_literal: true

class DocumentsController < ApplicationController
  before_action :set_document, except: :move
  before_action :require_viewer, only: :show
  before_action :require_editor, only: %i[update destroy]

  def show
    render json: @document
  end

  def update
    if @document.update(params.require(:document).permit(:name, :body))
      @document.record!("updated", by: current_user)
      render json: @document
    else
      render json: { errors: @document.errors }, status: :unprocessable_entity
    end
  end

  def destroy
    @document.destroy!
    head :no_content
  end

  def move
    folder = current_user.account.folders.find(params.require(:folder_id))
    return head :forbidden unless current_user.editor_of?(folder)

    moved = DocumentMove.new(params.require(:ids), folder:, by: current_user).call
    render json: moved
  rescue DocumentMove::Refused, ActiveRecord::RecordInvalid => e
    render json: { error: e.message }, status: :unprocessable_entity
  end

  private

  def set_document
    @document = current_user.account.documents.find(params[:id])
  end

  def require_viewer
    head :forbidden unless current_user.viewer_of?(@document.folder)
  end

  def require_editor
    head :forbidden unless current_user.editor_of?(@document.folder)
  end
end
