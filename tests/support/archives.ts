import { createRequire } from 'node:module'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import type sevenZip from '7z-wasm'
import type { Header } from 'tar-stream'
import { pack } from 'tar-stream'
import { ZipFile } from 'yazl'

interface TestEntry {
  name: string
  content?: string | Uint8Array
  /** Unix mode with its type, such as `0o120777` for a link. */
  mode?: number
}

export type Entries = Record<string, string | Uint8Array> | TestEntry[]

function listEntries(entries: Entries): TestEntry[] {
  if (Array.isArray(entries)) return entries
  return Object.entries(entries).map(([name, content]) => ({ name, content }))
}

export async function zipOf(entries: Entries, options: { forceZip64Format?: boolean } = {}): Promise<Buffer> {
  const zip = new ZipFile()
  for (const { name, content = '', mode = 0o100644 } of listEntries(entries)) {
    zip.addBuffer(Buffer.from(content), name, { mode, ...options })
  }
  zip.end({ forceZip64Format: false, comment: '', ...options })
  return buffer(zip.outputStream)
}

/** As `zipOf`, with each name put in the place of `from` that the writing library would refuse; lengths are equal. */
export function renamed(archive: Buffer, from: string, to: Uint8Array | string): Buffer {
  const name = Buffer.from(to)
  if (name.length !== from.length) throw new Error(`"${from}" and its replacement differ in length`)
  return Buffer.from(
    archive.toString('latin1').replaceAll(from, () => name.toString('latin1')),
    'latin1',
  )
}

/** A tar archive; `header` adds to each entry's header, such as `type: 'symlink'`. */
export async function tarOf(entries: Entries, header: Partial<Header> = {}): Promise<Buffer> {
  const tar = pack()
  for (const { name, content = '' } of listEntries(entries)) {
    tar.entry({ name, ...header }, Buffer.from(content))
  }
  tar.finalize()
  return buffer(tar as unknown as AsyncIterable<Uint8Array>)
}

export async function tarGzOf(entries: Entries): Promise<Buffer> {
  return gzipSync(await tarOf(entries))
}

const startSevenZip = createRequire(import.meta.url)('7z-wasm') as typeof sevenZip.default

/**
 * Returns the archive that `7zz a` creates from files with these arguments; `type` is one of 7-Zip's, such as
 * `7z`, `xz` or `bzip2`.
 */
export async function sevenZipOf(type: string, entries: Entries, args: string[] = []): Promise<Buffer> {
  const { FS, callMain } = await startSevenZip({ print: () => undefined, printErr: () => undefined })
  FS.mkdir('/work')
  FS.chdir('/work')
  const tops = new Set<string>()
  for (const { name, content = '', mode } of listEntries(entries)) {
    const segments = name.split('/')
    for (let depth = 1; depth < segments.length; depth += 1) {
      const folder = segments.slice(0, depth).join('/')
      if (!tops.has(`${folder}/`)) FS.mkdir(folder)
      tops.add(`${folder}/`)
    }
    if (mode !== undefined) FS.symlink(String(content), name)
    else FS.writeFile(name, Buffer.from(content))
    tops.add(segments[0] ?? name)
  }
  const names = [...tops].filter((name) => !name.endsWith('/'))
  callMain(['a', `-t${type}`, '-snl', ...args, '/out.bin', '--', ...names])
  return Buffer.from(FS.readFile('/out.bin'))
}

/** Returns the content compressed with bzip2 or xz. */
export function compressedOf(type: 'bzip2' | 'xz', content: string | Uint8Array): Promise<Buffer> {
  return sevenZipOf(type, { content })
}

/** A zip as if a program for DOS had written it: the upper byte of "version made by" (APPNOTE 4.4.2) is 0. */
export function fromDos(zip: Buffer): Buffer {
  const bytes = Buffer.from(zip)
  const signature = Buffer.from([0x50, 0x4b, 1, 2])
  for (let at = bytes.indexOf(signature); at >= 0; at = bytes.indexOf(signature, at + 1)) bytes[at + 5] = 0
  return bytes
}
