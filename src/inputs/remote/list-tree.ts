import { invalid } from '../../core/errors/errors.ts'
import { isSkippedName } from '../scan.ts'
import type { RemoteLocation } from './location.ts'
import type { ListOptions, RemoteEntry } from './remote.ts'

const maxDepth = 30

export interface TreeEntry {
  name: string
  kind: 'file' | 'folder' | 'other'
  location: RemoteLocation
}

/** Lists every file below a remote folder; does not follow links. Throws `Failure` beyond `maxEntries`. */
export async function listTree(
  root: RemoteLocation,
  { maxEntries, touch }: ListOptions,
  readFolder: (folder: RemoteLocation) => Promise<TreeEntry[]>,
): Promise<RemoteEntry[]> {
  const files: RemoteEntry[] = []
  const waiting = [{ prefix: '', folder: root, depth: 0 }]
  let count = 0
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const { name, kind, location } of await readFolder(at.folder)) {
      touch()
      if (isSkippedName(name)) continue
      count += 1
      if (count > maxEntries) {
        throw invalid('too-many-entries', `The remote folder contains more than ${maxEntries} entries`)
      }
      if (kind === 'file') files.push({ name: at.prefix + name, location })
      if (kind === 'folder' && at.depth < maxDepth) {
        waiting.push({ prefix: `${at.prefix}${name}/`, folder: location, depth: at.depth + 1 })
      }
    }
  }
  return files
}
