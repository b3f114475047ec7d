import { rmSync } from 'node:fs'
import type { CallContext } from '../../../core/workers/handlers.ts'
import { serveWork } from '../../../core/workers/serve-work.ts'
import { RejectWriter } from '../../../formats/reject-writer.ts'
import { FormatError } from '../../../formats/worker.ts'
import type { StoreConnection } from '../../store.ts'
import { fileSource } from '../file-source.ts'
import { findServedFormat } from '../served-formats.ts'
import { buildIndex } from './build-index.ts'
import type { IndexHeader } from './layout.ts'

export interface BuildRequest {
  connection: StoreConnection
  /** Output path for unreadable rows. */
  rejectsPath?: string
}

async function build(
  { connection, rejectsPath }: BuildRequest,
  { signal, notify }: CallContext<number>,
): Promise<IndexHeader> {
  const format = findServedFormat(connection.type)
  if (format === undefined) throw new FormatError(`Files of type ${connection.type} are not served`)
  const rejects = rejectsPath === undefined ? undefined : new RejectWriter(rejectsPath)
  if (rejectsPath !== undefined) rmSync(rejectsPath, { force: true })
  try {
    return await buildIndex(fileSource(connection, format), {
      signal,
      onProgress: notify,
      onReject: (reject) => rejects?.add(reject),
    })
  } finally {
    rejects?.close()
  }
}

const handlers = { build }
export type IndexHandlers = typeof handlers

serveWork(handlers)
