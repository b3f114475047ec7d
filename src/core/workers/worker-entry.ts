import { existsSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { bundleFolder } from '../bundle/bundle-folder.ts'
import { findBundle } from '../bundle/server-bundle.mjs'

const sourceFolder = dirname(dirname(import.meta.dirname))

/**
 * Returns the file to start for a worker: the bundled one if this process runs from a bundle, or runs the
 * sources from which a bundle was built; otherwise the source file itself. Workers start other workers in the
 * same form.
 */
export function workerEntry(source: URL): URL {
  const path = fileURLToPath(source)
  const folder = usedBundle()
  if (folder === undefined || !path.startsWith(sourceFolder + sep)) return source
  // Same name as `entryName` of `scripts/setup/server.mjs` returns.
  const name = relative(sourceFolder, path).replace(/\.ts$/, '').replaceAll(sep, '.')
  const bundled = join(folder, `${name}.js`)
  return existsSync(bundled) ? pathToFileURL(bundled) : source
}

/** Result for a process that runs the sources; later edits do not change the modules it has loaded. */
let found: { folder?: string | undefined } | undefined

function usedBundle(): string | undefined {
  if (bundleFolder !== undefined) return bundleFolder
  if (!isMainThread || process.send !== undefined) return undefined
  found ??= findBundle(dirname(sourceFolder))
  return found.folder
}
