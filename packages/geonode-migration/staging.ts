import type { SQLInputValue, StatementSync } from 'node:sqlite'
import { DatabaseSync } from 'node:sqlite'

/** A value of the dump, with the dump's references. */
export interface StagedValue {
  /** Seconds since 1970. */
  from: number
  to: number
  service: string
  metric: string
  eventType: string
  resource: string
  label: string
  value: number
  samples: number
}

const transactionRows = 20_000

/**
 * The dump in a temporary database, so that objects may come in any order, later ones replace earlier ones,
 * and memory does not grow with the dump.
 */
export class Staging {
  readonly database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  #pending = 0

  constructor(path: string) {
    this.database = new DatabaseSync(path)
    this.database.exec(`pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -32768;
      create table objects (model text, pk text, fields text not null, primary key (model, pk)) without rowid;
      create table labels (pk text primary key, name text not null, user_name text) without rowid;
      create table vals (
        service text, metric text, event_type text, resource text, label text, from_s integer, to_s integer,
        value real not null, samples integer not null,
        primary key (service, metric, event_type, resource, label, from_s, to_s)) without rowid;
      create table rows (
        service text, metric integer, event_type integer, resource integer, resolution integer, period integer,
        label text, user_name text, value real not null, samples integer not null,
        primary key (service, metric, event_type, resource, resolution, period, label)) without rowid`)
    this.database.exec('begin')
  }

  putObject(model: string, pk: string, fields: unknown): void {
    this.run('insert or replace into objects values (?, ?, ?)', model, pk, JSON.stringify(fields))
  }

  putLabel(pk: string, name: string, userName: string | null): void {
    this.run('insert or replace into labels values (?, ?, ?)', pk, name, userName)
  }

  putValue({ service, metric, eventType, resource, label, from, to, value, samples }: StagedValue): void {
    const key = [service, metric, eventType, resource, label, from, to]
    this.run('insert or replace into vals values (?, ?, ?, ?, ?, ?, ?, ?, ?)', ...key, value, samples)
  }

  run(sql: string, ...values: SQLInputValue[]): void {
    this.#statement(sql).run(...values)
    this.#pending += 1
    if (this.#pending < transactionRows) return
    this.#pending = 0
    this.database.exec('commit; begin')
  }

  /** Yields rows one by one; `T` is the selected row type. */
  *iterate<T>(sql: string, ...values: SQLInputValue[]): Generator<T> {
    for (const row of this.database.prepare(sql).iterate(...values)) yield row as T
  }

  /** The objects of a model with their keys, in the order of the keys. */
  *objects<T>(model: string): Generator<[pk: string, fields: T]> {
    const sql = 'select pk, fields from objects where model = ?'
    for (const { pk, fields } of this.iterate<{ pk: string; fields: string }>(sql, model))
      yield [pk, JSON.parse(fields)]
  }

  find<T>(model: string, pk: string): T | undefined {
    const found = this.#statement('select fields from objects where model = ? and pk = ?').get(model, pk)
    return typeof found?.fields === 'string' ? JSON.parse(found.fields) : undefined
  }

  /** Returns the value of a statement that selects `count`. */
  count(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#statement(sql).get(...values)?.count)
  }

  close(): void {
    this.#statements.clear()
    this.database.close()
  }

  #statement(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known !== undefined) return known
    const statement = this.database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
