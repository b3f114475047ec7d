import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { Format } from '../../formats/format.ts'
import { defined } from '../../lib/defined.ts'
import { invalid } from '../../lib/errors.ts'
import type { StoreConnection, StoreType } from '../store.ts'

/** A file that is served as it is. */
export interface FileSource {
  type: StoreType
  format: Format
  /** The main file. */
  path: string
  charset?: string
  /** Where its index is, or is to be. */
  indexPath: string
}

/** What the index of a file depends on. */
export function indexName({ type, parameters }: Pick<StoreConnection, 'type' | 'parameters'>): string {
  const { path = '', charset = '' } = parameters
  const digest = createHash('sha256')
    .update(JSON.stringify([type, path, charset]))
    .digest('hex')
  return `${digest.slice(0, 32)}.index`
}

/** The file that `parameters.path` names; `parameters.charset` overrides its text encoding. */
export function fileSource(connection: StoreConnection, format: Format): FileSource {
  const { path, charset } = connection.parameters
  if (path === undefined) throw invalid('store-path', `A ${connection.type} store needs the parameter "path"`)
  if (connection.indexFolder === undefined) throw new Error(`Nobody says where the index of ${path} is`)
  return {
    type: connection.type,
    format,
    path,
    indexPath: join(connection.indexFolder, indexName(connection)),
    ...defined({ charset }),
  }
}
