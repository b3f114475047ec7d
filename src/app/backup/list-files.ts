import type { FileHandle } from 'node:fs/promises'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Folders of the data directory whose files cannot be made again. */
const filesOfLayers = ['stores'] as const
const filesOfImports = ['uploads', 'rejects', 'archives'] as const
const single = ['known_hosts'] as const
/** Files of imports are held open by so many handles: an import that ends removes its uploads. */
const maxHandles = 2000
const sqliteMagic = 'SQLite format 3\0'

/** A file of the data directory at the moment of the backup. */
export interface ListedFile {
  /** Path below the data directory. */
  name: string
  path: string
  sizeBytes: number
  /** Open, so that the content stays when the file is removed. */
  handle?: FileHandle
}

export interface ListedFiles {
  /** Databases of layers, which other processes may write. */
  databases: ListedFile[]
  /** Files that are complete under their name, or only grow. */
  plain: ListedFile[]
  close(): Promise<void>
}

/** Lists the files to back up. The caller must call `close`. */
export async function listFiles(root: string): Promise<ListedFiles> {
  const databases: ListedFile[] = []
  const plain: ListedFile[] = []
  const handles: FileHandle[] = []
  for (const folder of filesOfImports)
    for await (const file of walk(root, folder)) {
      const handle = handles.length < maxHandles ? await open(file.path).catch(() => undefined) : undefined
      if (handle !== undefined) handles.push(handle)
      plain.push({ ...file, handle })
    }
  for (const folder of filesOfLayers)
    for await (const file of walk(root, folder)) {
      if (/-(wal|shm|journal)$/.test(file.name)) continue
      if (await isSqlite(file.path)) databases.push(file)
      else plain.push(file)
    }
  for (const name of single) {
    const found = await stat(join(root, name)).catch(() => undefined)
    if (found !== undefined) plain.push({ name, path: join(root, name), sizeBytes: found.size })
  }
  return {
    databases,
    plain,
    close: async () => {
      await Promise.all(handles.map((handle) => handle.close().catch(() => undefined)))
    },
  }
}

async function* walk(root: string, folder: string): AsyncGenerator<ListedFile> {
  const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const name = `${folder}/${entry.name}`
    if (entry.isDirectory()) yield* walk(root, name)
    if (!entry.isFile()) continue
    const path = join(root, name)
    const found = await stat(path).catch(() => undefined)
    if (found !== undefined) yield { name, path, sizeBytes: found.size }
  }
}

async function isSqlite(path: string): Promise<boolean> {
  const handle = await open(path).catch(() => undefined)
  if (handle === undefined) return false
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, 0)
    return bytesRead === 16 && buffer.toString('latin1') === sqliteMagic
  } finally {
    await handle.close()
  }
}
