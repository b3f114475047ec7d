import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { defined } from '../../core/values/defined.ts'
import type { RejectLine } from '../../formats/reject-lines.ts'
import { readLineBytes, rowOfLine } from '../../formats/reject-lines.ts'
import { toRejectLine } from '../../formats/reject-writer.ts'
import type { LoadPlan } from './load-plan.ts'
import { openSource } from './open-source.ts'
import { rowGeometry, rowProperties } from './read-values.ts'

/** Limits for reading source values again; further rows are listed with their transformed values. */
const maxBytes = 64 * 2 ** 20
const maxMs = 10 * 60_000

type Found = Map<number, Pick<RejectLine, 'properties' | 'wkb'>>

/** Reads the source until every requested row was found. */
async function findRows(
  { source: from }: LoadPlan,
  requested: ReadonlySet<number>,
  signal: AbortSignal,
): Promise<Found> {
  const found: Found = new Map()
  const source = await openSource(from, signal)
  let bytes = 0
  try {
    for await (const batch of source.batches) {
      for (const [index, row] of batch.rowNumbers.entries()) {
        if (!requested.has(row)) continue
        const { geometry } = rowGeometry(batch, index)
        const wkb = geometry === undefined ? undefined : Buffer.from(geometry).toString('base64')
        const properties = rowProperties(batch, index)
        found.set(row, wkb === undefined ? { properties } : { properties, wkb })
        bytes += (wkb?.length ?? 0) + 100 + 50 * batch.columns.length
      }
      if (found.size === requested.size || bytes > maxBytes) break
    }
  } finally {
    await source.close()
  }
  return found
}

async function* withFound(path: string, found: Found): AsyncGenerator<string | Buffer> {
  for await (const bytes of readLineBytes(path)) {
    const row = found.get(rowOfLine(bytes))
    if (row === undefined) {
      yield bytes
      yield '\n'
    } else {
      const line = JSON.parse(bytes.toString('utf8')) as RejectLine
      const { wkb: _wkb, ...facts } = line
      yield toRejectLine(line.code === 'row-not-stored' ? { ...facts, ...defined(row) } : line)
    }
  }
}

/**
 * Reads the source again to give rows that the store refused as a whole their source values. Call after the
 * commit, when no client waits for the table. On errors the list is not changed.
 */
export async function restoreRejects(
  plan: LoadPlan,
  requested: ReadonlySet<number>,
  outer: AbortSignal,
): Promise<void> {
  const { rejectsPath } = plan
  const signal = AbortSignal.any([outer, AbortSignal.timeout(maxMs)])
  const part = `${rejectsPath}.part`
  try {
    const found = await findRows(plan, requested, signal)
    await pipeline(withFound(rejectsPath, found), createWriteStream(part, { mode: 0o600, flush: true }), {
      signal,
    })
    await rename(part, rejectsPath)
  } catch {
    await rm(part, { force: true })
  }
}
