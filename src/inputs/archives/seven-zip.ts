import { ownValue } from '../../core/values/record-keys.ts'
import type { ArchiveKind } from './archive-kind.ts'
import { ByteSlices } from './byte-slices.ts'
import { runSevenZip } from './seven-zip-program.ts'
import type { Unpacking } from './unpacking.ts'

/** `-px` passes a password, so that 7-Zip never prompts for one. */
const listing = ['l', '-slt', '-ba', '-sccUTF-8', '-t7z', '-px']
const contents = ['x', '-so', '-t7z', '-px']
const maxLineCharacters = 1 << 16

async function* readLines(content: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of content) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > maxLineCharacters) throw new Error('its list of entries has a line that is too long')
    yield* lines
  }
  yield rest
}

/** Yields the properties of each entry, in archive order. */
async function* listProperties(path: string, signal: AbortSignal): AsyncGenerator<Map<string, string>> {
  let properties = new Map<string, string>()
  for await (const line of readLines(runSevenZip(path, listing, signal))) {
    const at = line.indexOf(' = ')
    if (at > 0) properties.set(line.slice(0, at), line.slice(at + 3))
    else if (line === '' && properties.size > 0) {
      yield properties
      properties = new Map()
    }
  }
  if (properties.size > 0) yield properties
}

interface SevenZipEntry {
  /** Undefined if it is not written. */
  name: string | undefined
  sizeBytes: number
  crc?: number
}

const kindFaults: Record<string, string> = {
  l: 'it is a link',
  p: 'it is a pipe',
  s: 'it is a socket',
  b: 'it is a device',
  c: 'it is a device',
}

/** Attributes look like `A -rw-r--r--`, `D` or `AL`: those of Windows, then the Unix mode. */
function faultOf(attributes: string, isEncrypted: boolean): string | undefined {
  if (isEncrypted) return 'it is encrypted: pack it without a password'
  const [windows = '', mode = ''] = attributes.split(' ')
  return windows.includes('L') ? kindFaults.l : ownValue(kindFaults, mode.slice(0, 1))
}

function admitEntry(properties: Map<string, string>, unpacking: Unpacking): SevenZipEntry {
  const attributes = properties.get('Attributes') ?? ''
  const sizeBytes = Number(properties.get('Size') ?? 0)
  const crc = properties.get('CRC') ?? ''
  unpacking.expand(sizeBytes)
  const name = unpacking.admit(properties.get('Path') ?? '', {
    isFolder: attributes.startsWith('D'),
    fault: faultOf(attributes, properties.get('Encrypted') === '+'),
  })
  return { name, sizeBytes, crc: crc === '' ? undefined : Number.parseInt(crc, 16) }
}

async function drain(content: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _chunk of content);
}

/** Unpacks a 7z archive: checks its whole list first, then reads all contents as one stream in list order. */
async function unpackSevenZip(path: string, unpacking: Unpacking): Promise<void> {
  const { signal } = unpacking
  const entries: SevenZipEntry[] = []
  for await (const properties of listProperties(path, signal)) entries.push(admitEntry(properties, unpacking))
  const slices = new ByteSlices(runSevenZip(path, contents, signal))
  try {
    for (const { name, sizeBytes, crc } of entries) {
      const content = slices.take(sizeBytes)
      if (name === undefined) await drain(content)
      else await unpacking.write(name, content, crc)
    }
    await slices.finish()
  } finally {
    await slices.close()
  }
}

export const sevenZip: ArchiveKind = {
  name: '7z',
  endings: ['.7z'],
  mediaTypes: ['application/x-7z-compressed'],
  unpack: unpackSevenZip,
}
