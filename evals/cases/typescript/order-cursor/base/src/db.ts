/** What we need of the database driver. */
export interface Db {
  query<Row>(sql: string, values: readonly unknown[]): Promise<Row[]>;
}
