import { pipeline } from 'node:stream/promises'
import type { Header } from 'tar-stream'
import { extract } from 'tar-stream'
import type { Unpacking } from './unpacking.ts'

type TarEntry = AsyncIterable<unknown> & { header: Header; resume(): unknown }

/** Options that the types of the package omit. */
const reading: object = { filenameEncoding: 'latin1', allowUnknownFormat: true }

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })
const windows1252 = new TextDecoder('windows-1252')

/**
 * POSIX.1-2001 pax headers contain UTF-8; elsewhere names are bytes, mostly UTF-8 as well, else Windows-1252.
 */
function entryName({ name }: Header, pax: Record<string, string>): string {
  if (pax.path !== undefined) return name
  const raw = Buffer.from(name, 'latin1')
  try {
    return strictUtf8.decode(raw)
  } catch {
    return windows1252.decode(raw)
  }
}

function faultOf({ type }: Header, pax: Record<string, string>): string | undefined {
  if (Object.keys(pax).some((key) => key.startsWith('GNU.sparse.'))) return 'it is a sparse file'
  if (type === 'file' || type === 'contiguous-file' || type === 'directory') return undefined
  if (type === 'symlink' || type === 'link') return 'it is a link'
  if (type === 'fifo') return 'it is a pipe'
  if (type === 'character-device' || type === 'block-device') return 'it is a device'
  return 'its type is not supported, such as a sparse file or part of a split archive'
}

/** The types of the package do not declare the type of chunks. */
async function* bytesOf(content: AsyncIterable<unknown>): AsyncGenerator<Uint8Array> {
  for await (const chunk of content) if (chunk instanceof Uint8Array) yield chunk
}

async function writeEntry(entry: TarEntry, unpacking: Unpacking): Promise<void> {
  await unpacking.rest()
  const { header } = entry
  const pax = (header as { pax?: Record<string, string> | null }).pax ?? {}
  const isFolder = header.type === 'directory'
  const name = unpacking.admit(entryName(header, pax), { isFolder, fault: faultOf(header, pax) })
  if (name === undefined) entry.resume()
  else await unpacking.write(name, bytesOf(entry))
}

/** Unpacks a tar archive (v7, ustar, GNU, pax) as a stream; the caller counts the bytes. */
export async function unpackTar(content: AsyncIterable<Uint8Array>, unpacking: Unpacking): Promise<void> {
  const entries = extract(reading)
  const feeding = pipeline(content, entries)
  feeding.catch(() => undefined)
  for await (const entry of entries) await writeEntry(entry, unpacking)
  await feeding
}
