import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { extractArchive } from '../../src/inputs/archive.ts'
import type { SourceLimits } from '../../src/inputs/archives/unpacking.ts'
import { defaultSourceLimits } from './source-limits.ts'

/** An empty folder of a test's own, removed after it. */
export async function temporaryFolder(test: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'terrane-archive-'))
  test.after(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export interface UnpackOptions {
  limits?: Partial<SourceLimits>
  signal?: AbortSignal
}

/** Unpacks an archive of these bytes into `folder/out`; throws what that throws. */
export async function unpackInto(
  folder: string,
  name: string,
  bytes: Uint8Array,
  { limits = {}, signal = new AbortController().signal }: UnpackOptions = {},
): Promise<void> {
  await writeFile(join(folder, 'archive'), bytes)
  await extractArchive(join(folder, 'archive'), join(folder, 'out'), {
    limits: { ...defaultSourceLimits, ...limits },
    signal,
    name,
  })
}

/** Every file below a folder by its path, with its text. */
async function readTree(folder: string): Promise<Record<string, string>> {
  const files: Record<string, string> = {}
  if (!existsSync(folder)) return files
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    files[path.slice(folder.length + 1)] = await readFile(path, 'utf8')
  }
  return files
}

/** Unpacks an archive of these bytes; gives its files by path with their texts. */
export async function unpack(
  test: TestContext,
  name: string,
  bytes: Uint8Array,
  options?: UnpackOptions,
): Promise<Record<string, string>> {
  const folder = await temporaryFolder(test)
  await unpackInto(folder, name, bytes, options)
  return readTree(join(folder, 'out'))
}
