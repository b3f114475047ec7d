import { createWriteStream, existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { CorrectedLine } from '../../formats/reject-lines.ts'
import { readLineBytes, rowOfLine } from '../../formats/reject-lines.ts'
import type { CorrectionPlan } from '../model/load-rules.ts'
import type { StoredRejects } from './stored-rejects.ts'

const partBytes = 1 << 16

/**
 * Yields the list as it is after the load: loaded rows are marked, rows rejected again have their new reason.
 */
async function* linesAfter(
  { rejects, at }: CorrectionPlan,
  again: string,
  known: StoredRejects,
): AsyncGenerator<Buffer> {
  for await (const line of readLineBytes(rejects)) {
    if (line.length === 0) continue
    const row = rowOfLine(line)
    if (known.isRejectedAgain(row)) continue
    const mark: CorrectedLine = { row, mendedAt: at }
    yield known.isLoaded(row) ? Buffer.from(JSON.stringify(mark)) : line
  }
  if (existsSync(again)) yield* readLineBytes(again)
}

async function* inParts(lines: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = []
  let bytes = 0
  const end = Buffer.from('\n')
  for await (const line of lines) {
    waiting.push(line, end)
    bytes += line.length + 1
    if (bytes < partBytes) continue
    yield Buffer.concat(waiting)
    waiting = []
    bytes = 0
  }
  yield Buffer.concat(waiting)
}

/**
 * Writes the list of rejected rows as it is after a load of corrected rows; `again` is the list of those it
 * rejected. The file is on disk when it returns.
 */
export async function writeCorrections(
  plan: CorrectionPlan,
  again: string,
  known: StoredRejects,
  signal: AbortSignal,
): Promise<void> {
  await mkdir(dirname(plan.rejectsAfter), { recursive: true })
  const output = createWriteStream(plan.rejectsAfter, { mode: 0o600, flush: true })
  await pipeline(inParts(linesAfter(plan, again, known)), output, { signal })
}
