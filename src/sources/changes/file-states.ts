import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { relative } from 'node:path'
import { invalid } from '../../core/errors/errors.ts'
import { openGuarded } from '../../core/files/guarded-files.ts'
import { scanFile, scanFolder } from '../../inputs/index.ts'

/** A file below a folder, without its content. */
interface FileState {
  path: string
  /** Below the folder; empty for the folder itself. */
  name: string
  sizeBytes: number
  changedMs: number
}

/** Lists a file with its sidecars, or the files below a folder. Throws `Failure` if there is no such path. */
export async function listFileStates(
  path: string,
  options: { maxEntries: number; signal: AbortSignal },
): Promise<FileState[]> {
  const status = await stat(path).catch(() => undefined)
  if (status === undefined) throw invalid('no-such-file', `File or folder "${path}" does not exist`)
  const files = status.isDirectory()
    ? await scanFolder(path, options)
    : [await scanFile(path, options.signal)]
  const states: FileState[] = []
  for (const file of files)
    for (const one of [file.path, ...Object.values(file.sidecars)]) {
      // A file that was removed since is not a part of the state.
      const found = await stat(one).catch(() => undefined)
      if (found === undefined) continue
      const name = relative(path, one)
      states.push({ path: one, name, sizeBytes: found.size, changedMs: found.mtimeMs })
    }
  return states.sort((one, other) => (one.name < other.name ? -1 : 1))
}

/** Digest of names, sizes and times. */
export function digestOfStates(states: readonly FileState[]): string {
  const lines = states.map(({ name, sizeBytes, changedMs }) => JSON.stringify([name, sizeBytes, changedMs]))
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}

/** Returns the digest of the content of each file, by name. */
export async function hashFiles(
  states: readonly Pick<FileState, 'path' | 'name'>[],
  signal: AbortSignal,
): Promise<Record<string, string>> {
  const digests: [string, string][] = []
  for (const { path, name } of states) {
    // A folder that is one dataset is compared by its list alone.
    if ((await stat(path)).isFile()) digests.push([name, await hashFile(path, signal)])
  }
  return Object.fromEntries(digests)
}

async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  const file = await openGuarded(path)
  try {
    for await (const chunk of file.createReadStream({ autoClose: false, signal })) hash.update(chunk)
  } finally {
    await file.close()
  }
  return hash.digest('hex')
}

/** One digest for several files. */
export function digestOfFiles(files: Record<string, string>): string {
  const lines = Object.entries(files)
    .map((entry) => JSON.stringify(entry))
    .sort()
  return createHash('sha256').update(lines.join('\n')).digest('hex')
}
