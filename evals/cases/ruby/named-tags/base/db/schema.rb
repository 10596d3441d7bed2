ActiveRecord::Schema[7.0].define(version: 2024_02_11_101500) do
  create_table "articles", force: :cascade do |t|
    t.string "title", null: false
    t.datetime "created_at", null: false
    t.datetime "updated_at", null: false
  end

  create_table "taggings", force: :cascade do |t|
    t.bigint "article_id", null: false
    t.bigint "tag_id", null: false
    t.index ["article_id", "tag_id"], name: "index_taggings_on_article_id_and_tag_id", unique: true
  end

  create_table "tags", force: :cascade do |t|
    t.string "slug", null: false
    t.string "name", null: false
    t.index ["slug"], name: "index_tags_on_slug", unique: true
  end
end
