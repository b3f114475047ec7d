import { serveWork } from '../../core/workers/serve-work.ts'
import type { ArchivedTile, ArchiveFacts, ArchiveWriter, ExportFormat } from './archive.ts'
import { MbtilesWriter } from './mbtiles-writer.ts'
import { PmtilesWriter } from './pmtiles-writer.ts'

/** File that the thread writes. */
export interface ArchiveWorkData {
  path: string
  format: ExportFormat
}

function handlersOf({ path, format }: ArchiveWorkData) {
  const writer: ArchiveWriter = format === 'pmtiles' ? new PmtilesWriter(path) : new MbtilesWriter(path)
  return {
    add: ({ tiles }: { tiles: ArchivedTile[] }): number => writer.add(tiles),
    finish: ({ facts }: { facts: ArchiveFacts }): number => writer.finish(facts),
    discard: (): void => writer.discard(),
  }
}

export type ArchiveHandlers = ReturnType<typeof handlersOf>

serveWork<ArchiveHandlers, ArchiveWorkData>(handlersOf)
