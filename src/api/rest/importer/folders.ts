import { lstat, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Static } from 'typebox'
import { Type } from 'typebox'
import { notFound } from '../../../core/errors/errors.ts'
import { listGuarded } from '../../../core/files/guarded-files.ts'
import { isFolderDataset } from '../../../formats/index.ts'
import { isSkippedName, resolveInRoots } from '../../../inputs/index.ts'
import { operation } from '../../endpoint.ts'

const maxEntries = 1000

const Entry = Type.Object({
  name: Type.String(),
  path: Type.String({ description: 'Value for `location` or `file` of the data of an import' }),
  kind: Type.Union([Type.Literal('folder'), Type.Literal('file')]),
  sizeBytes: Type.Optional(Type.Integer()),
  modified: Type.Optional(Type.String()),
})
type FolderEntry = Static<typeof Entry>

export const listFolder = operation({
  summary: 'Folders and files of the server that imports may name',
  description: 'Without `path`, the folders of TERRANE_IMPORT_ROOTS. Omits symbolic links and hidden files.',
  tags: ['importer'],
  query: Type.Object({
    path: Type.Optional(Type.String({ maxLength: 4096, description: 'A folder below one of them' })),
  }),
  answers: {
    200: Type.Object({
      path: Type.Optional(Type.String()),
      entries: Type.Array(Entry, { description: `Folders first, by name; at most ${maxEntries}` }),
      hasMore: Type.Boolean({ description: 'True if there are more entries than those listed' }),
    }),
  },
  handle: async ({ importRoots }: { importRoots: readonly string[] }, request) => {
    const { path: requested } = request.query
    if (requested === undefined) {
      const entries = importRoots.map((path): FolderEntry => ({ name: basename(path), path, kind: 'folder' }))
      return { entries, hasMore: false }
    }
    const path = await resolveInRoots(requested, importRoots)
    const status = await stat(path).catch(() => undefined)
    if (status?.isDirectory() !== true) throw notFound('no-such-folder', `There is no folder "${requested}"`)
    const { found, hasMore } = await entriesOf(path)
    return { path, entries: await Promise.all(found.map((one) => withFacts(path, one))), hasMore }
  },
})

/** The first entries in the order in which they are shown. */
async function entriesOf(
  folder: string,
): Promise<{ found: Pick<FolderEntry, 'name' | 'kind'>[]; hasMore: boolean }> {
  const found: Pick<FolderEntry, 'name' | 'kind'>[] = []
  let hasMore = false
  for await (const entry of listGuarded(folder)) {
    if (isSkippedName(entry.name) || !(entry.isFile() || entry.isDirectory())) continue
    if (found.length >= maxEntries) {
      hasMore = true
      break
    }
    // A folder that is one dataset is not listed.
    const isFolder = entry.isDirectory() && !isFolderDataset(entry.name)
    found.push({ name: entry.name, kind: isFolder ? 'folder' : 'file' })
  }
  const rank = ({ kind }: Pick<FolderEntry, 'kind'>): number => (kind === 'folder' ? 0 : 1)
  found.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))
  return { found, hasMore }
}

async function withFacts(folder: string, one: Pick<FolderEntry, 'name' | 'kind'>): Promise<FolderEntry> {
  const path = join(folder, one.name)
  const status = await lstat(path).catch(() => undefined)
  if (status === undefined) return { ...one, path }
  const size = status.isFile() ? { sizeBytes: status.size } : {}
  return { ...one, path, ...size, modified: status.mtime.toISOString() }
}
