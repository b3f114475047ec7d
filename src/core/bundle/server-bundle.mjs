// The bundle of the server in `build/server/`: whether it was made of the sources that are there now.
// Plain JavaScript, because the set-up also runs it, on any Node from 18.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A file that changed so recently may change again within the same time stamp of the file system. */
const unsettledMs = 2000

/** Returns the folder of all bundles, with `current.json`, which names the newest. */
export function bundlesFolder(root) {
  return join(root, 'build', 'server')
}

/**
 * Returns the folder of the bundle built from the present sources, or the reason why there is none.
 *
 * A source whose size, modification time and change time equal those of the build is not read. All others are
 * compared by content, so an edited source never passes, and a copy of the whole tree does. An installed package has no
 * sources: its manifest names its only bundle.
 */
export function findBundle(root) {
  const packaged = packagedBundle(root)
  if (packaged !== undefined) return { folder: packaged }
  const { id, files } = readCurrent(root) ?? {}
  if (id === undefined) return { reason: 'no bundle was built' }
  const folder = join(bundlesFolder(root), id)
  if (!existsSync(join(folder, 'main.js'))) return { reason: 'the bundle is missing' }
  for (const [path, record] of Object.entries(files)) {
    if (!isSame(join(root, path), record)) return { reason: `${path} has changed` }
  }
  return { folder }
}

/** Returns the bundle of an installed package; undefined where the sources are. */
function packagedBundle(root) {
  if (existsSync(join(root, 'src', 'main.ts'))) return undefined
  const { bundle } = readJson(join(root, 'package.json')) ?? {}
  return typeof bundle === 'string' ? join(root, bundle) : undefined
}

/** Returns the content of `current.json`: the name of the newest bundle, and the record of each file it was made of. */
export function readCurrent(root) {
  return readJson(join(bundlesFolder(root), 'current.json'))
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch {
    return undefined
  }
}

/**
 * Reads a file and returns its text with its record: hash, size, modification and change time in milliseconds. A
 * file that has just changed gets no times, so that it is always compared by its content. No file has no text, and
 * an empty hash.
 */
export function recordFile(path, nowMs = Date.now()) {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return { text: '', record: [''] }
  const bytes = readFileSync(path)
  const isSettled = Math.max(stats.mtimeMs, stats.ctimeMs) < nowMs - unsettledMs
  const record = [hashOf(bytes), bytes.length]
  return {
    text: bytes.toString('utf8'),
    record: isSettled ? [...record, stats.mtimeMs, stats.ctimeMs] : record,
  }
}

function isSame(path, [hash, sizeBytes, modifiedMs, changedMs]) {
  const stats = statSync(path, { throwIfNoEntry: false })
  if (stats === undefined || hash === '') return stats === undefined && hash === ''
  if (stats.size !== sizeBytes) return false
  if (stats.mtimeMs === modifiedMs && stats.ctimeMs === changedMs) return true
  return hashOf(readFileSync(path)) === hash
}

function hashOf(bytes) {
  return createHash('sha256').update(bytes).digest('hex')
}
