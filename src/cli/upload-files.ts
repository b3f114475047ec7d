import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { groupSidecars, scanFile } from '../inputs/index.ts'
import type { UploadFile } from './multipart.ts'
import { UsageError } from './options.ts'

const scanTimeoutMs = 60_000

/** Returns the files of a path: the whole content of a folder, or one file with its sidecars. */
export async function filesToUpload(path: string): Promise<UploadFile[]> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined) throw new UsageError(`${path} does not exist`)
  if (found.isDirectory()) return folderFiles(path)
  const { sidecars } = await scanFile(path, AbortSignal.timeout(scanTimeoutMs))
  return Promise.all([path, ...Object.values(sidecars)].map((one) => uploadFile(one, basename(one))))
}

/** Omits sidecars of files that are also given, so that `*` works as expected. */
export function mainPaths(paths: string[]): string[] {
  const mains = new Set(groupSidecars(paths).map((file) => file.path))
  return paths.filter((path) => mains.has(join(dirname(path), basename(path))))
}

async function folderFiles(folder: string): Promise<UploadFile[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
  return Promise.all(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return uploadFile(path, relative(folder, path).split(sep).join('/'))
    }),
  )
}

async function uploadFile(path: string, name: string): Promise<UploadFile> {
  return { path, name, sizeBytes: (await stat(path)).size }
}
