import { readdir } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import type { DataFile, Format } from '../../formats/format.ts'
import { invalid } from '../../lib/errors.ts'
import type { StoreConnection, VectorStore } from '../store.ts'
import { createFileStore } from './file-store.ts'

/** The main file with every file of its folder that shares its base name, in any letter case. */
export async function withSidecars(path: string): Promise<DataFile> {
  const base = `${basename(path, extname(path))}.`.toLowerCase()
  const sidecars: Record<string, string> = {}
  for (const name of await readdir(dirname(path))) {
    const isSidecar = name.toLowerCase().startsWith(base) && name !== basename(path)
    if (isSidecar) sidecars[name.slice(base.length).toLowerCase()] = join(dirname(path), name)
  }
  return { path, sidecars }
}

/** A store over the file that `parameters.path` names; `parameters.charset` overrides its text encoding. */
export function openFileStore(connection: StoreConnection, format: Format): VectorStore {
  const { path, charset } = connection.parameters
  if (path === undefined) throw invalid('store-path', `A ${connection.type} store needs the parameter "path"`)
  return createFileStore({
    type: connection.type,
    format,
    file: () => withSidecars(path),
    ...(charset === undefined ? {} : { charset }),
  })
}
