import type { DatabaseSync } from 'node:sqlite'
import type { ComparedColumn } from '../compare/compared-columns.ts'
import { indexKeys } from '../compare/find-differences.ts'
import { binary } from '../compare/single-keys.ts'
import type { Refusal } from '../record-encoder.ts'
import type { StagedRows } from '../stage-rows.ts'

type OnRefused = (stagedId: number, refusal: Refusal) => void

/** Removes rows with a null or duplicate key; returns the rest. */
export function rejectKeys(
  db: DatabaseSync,
  rows: StagedRows,
  keys: readonly ComparedColumn[],
  onRefused: OnRefused,
): StagedRows {
  indexKeys(db, keys)
  const refused = new Set<number>()
  for (const { name, after } of keys) {
    for (const { id } of db.prepare(`SELECT s.id FROM side.t s WHERE ${after} IS NULL ORDER BY s.id`).all()) {
      if (refused.has(Number(id))) continue
      onRefused(Number(id), { field: name, reason: `The key "${name}" is null` })
      refused.add(Number(id))
    }
  }
  for (const { id, first, text } of repeatedKeys(db, keys)) {
    const reason = `Row ${rows.rowNumbers.rowNumber(first)} has the key ${text} already`
    onRefused(id, { field: keys[0]?.name ?? '', reason })
    refused.add(id)
  }
  return removeStagedRows(db, rows, [...refused])
}

function* repeatedKeys(
  db: DatabaseSync,
  keys: readonly ComparedColumn[],
): Generator<{ id: number; first: number; text: string }> {
  const columns = keys.map(({ after }) => after)
  const same = columns.map((column, index) => `${binary(column)} = g.k${index}`).join(' AND ')
  const found = db.prepare(
    `SELECT s.id, g.first, ${columns.join(', ')} FROM (
         SELECT min(s.id) AS first, ${columns.map((column, index) => `${column} AS k${index}`).join(', ')}
         FROM side.t s WHERE ${columns.map((column) => `${column} IS NOT NULL`).join(' AND ')}
         GROUP BY ${columns.map(binary).join(', ')} HAVING count(*) > 1) g
       CROSS JOIN side.t s ON ${same} AND s.id <> g.first ORDER BY s.id`,
  )
  found.setReturnArrays(true)
  found.setReadBigInts(true)
  for (const row of found.all() as unknown as unknown[][]) {
    const [id, first, ...values] = row
    const text = keys.map(({ name }, index) => `${name} = ${String(values[index])}`).join(', ')
    yield { id: Number(id), first: Number(first), text }
  }
}

/** Removes staged rows permanently. */
export function removeStagedRows(db: DatabaseSync, rows: StagedRows, ids: readonly number[]): StagedRows {
  if (ids.length === 0) return rows
  const remove = db.prepare('DELETE FROM side.t WHERE id = ?')
  for (const id of ids) remove.run(id)
  return { ...rows, rowCount: rows.rowCount - ids.length, refused: [...rows.refused, ...ids] }
}
