import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { invalid } from '../../core/errors/errors.ts'
import type { Format } from '../../formats/worker.ts'
import type { StoreConnection, StoreType } from '../store.ts'

/** A file that is served directly. */
export interface FileSource {
  type: StoreType
  format: Format
  /** The main file. */
  path: string
  charset?: string
  /** Path of its index, which may not exist yet. */
  indexPath: string
}

/** Returns the name of an index, derived from everything that the index depends on. */
export function indexName({ type, parameters }: Pick<StoreConnection, 'type' | 'parameters'>): string {
  const { path = '', charset = '' } = parameters
  const digest = createHash('sha256')
    .update(JSON.stringify([type, path, charset]))
    .digest('hex')
  return `${digest.slice(0, 32)}.index`
}

/** Returns the file at `parameters.path`; `parameters.charset` overrides its text encoding. */
export function fileSource(connection: StoreConnection, format: Format): FileSource {
  const { path, charset } = connection.parameters
  if (path === undefined) throw invalid('store-path', `A ${connection.type} store needs the parameter "path"`)
  if (connection.indexFolder === undefined) throw new Error(`No index folder is set for ${path}`)
  return {
    type: connection.type,
    format,
    path,
    indexPath: join(connection.indexFolder, indexName(connection)),
    charset,
  }
}
